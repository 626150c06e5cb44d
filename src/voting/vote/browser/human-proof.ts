import type { Challenge, Solution } from 'altcha-lib';
import { find } from '../../page/browser/dom.ts';
import { phrases } from '../../page/browser/i18n.ts';

/** A proof is not handed in during its last seconds: it would run out on the way. */
const SPARE_MS = 15_000;

/** The check cannot run in this browser. */
export class CheckFailed extends Error {}

/**
 * The proof of work, solved while the person reads.
 *
 * States: solving → solved → (too old at the time of the tap) solving. `ready` resolves in the state solved.
 */
export class HumanProof {
  readonly #box: HTMLElement;
  readonly #field: HTMLInputElement;
  #validUntil: number;
  #solving: Promise<void>;

  constructor(box: HTMLElement, field: HTMLInputElement) {
    this.#box = box;
    this.#field = field;
    this.#validUntil = this.#expiry();
    this.#solving = this.#solve(JSON.parse(box.dataset['challenge'] ?? '{}') as Challenge);
    // Whoever waits for it hears of a failure; nobody may be waiting yet.
    this.#solving.catch(() => {});
  }

  get isReady(): boolean {
    return this.#field.value !== '' && Date.now() < this.#validUntil;
  }

  /**
   * Resolves when the form may be sent. Rejects where no new challenge can be had; the next call tries again.
   *
   * @param signal gives up asking for a new challenge
   * @throws CheckFailed where it cannot be solved
   */
  async ready(signal: AbortSignal): Promise<void> {
    await this.#solving.catch(() => {});
    if (this.isReady) return;
    this.#solving = this.#renew(signal);
    await this.#solving;
  }

  async #renew(signal: AbortSignal): Promise<void> {
    this.#field.value = '';
    const reply = await fetch(this.#box.dataset['renew'] ?? '', { signal });
    if (!reply.ok) throw new Error(`a new check was refused: ${reply.status}`);
    this.#validUntil = this.#expiry();
    await this.#solve((await reply.json()) as Challenge);
  }

  async #solve(challenge: Challenge): Promise<void> {
    this.#say(phrases.checking);
    const solution = await solveBeside(challenge, this.#box.dataset['worker'] ?? '');
    this.#field.value = JSON.stringify({ challenge, solution });
    this.#say(phrases.checked);
    this.#box.dataset['solved'] = '';
  }

  #expiry(): number {
    return Date.now() + Number(this.#box.dataset['lifetimeMs']) - SPARE_MS;
  }

  #say(text: string): void {
    const state = find(this.#box, 'proof-state');
    if (state) state.textContent = text;
  }
}

function solveBeside(challenge: Challenge, workerPath: string): Promise<Solution> {
  const worker = new Worker(workerPath, { type: 'module' });
  return new Promise<Solution>((done, fail) => {
    worker.addEventListener('message', ({ data }: MessageEvent<Solution>) => done(data));
    worker.addEventListener('error', () => fail(new CheckFailed('the check could not run')));
    worker.postMessage(challenge);
  }).finally(() => worker.terminate());
}
