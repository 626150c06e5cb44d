import type { CheckAnswer, CheckSubject, CheckVerdict, HumanCheck } from '../guard/human-check.ts';
import { html, type Markup } from '../page/html.ts';
import type { ReadSecret } from '../voter/voting-secret.ts';
import { isSolution, issueTask, readSolvedTask, type Task } from './altcha-task.ts';

/** Long enough to read, choose and be called to the door; a page that is open for longer gets a new task by itself. */
const LIFETIME_MS = 600_000;
/** A spent proof is remembered longer than it is valid, because the engine's clock may run ahead of this one. */
const MEMORY_MARGIN_MS = 300_000;

/** Proof of work by ALTCHA, on this server alone: nobody else learns who votes. */
export class AltchaCheck implements HumanCheck {
  readonly sources = [];
  readonly scripts = [];
  readonly #secret: ReadSecret;
  readonly #cost: number;
  readonly #clock: () => number;
  readonly #workerPath: string;

  /** @param cost 256 times so many iterations of PBKDF2 are needed on average */
  constructor(secret: ReadSecret, cost: number, clock: () => number, workerPath: string) {
    this.#secret = secret;
    this.#cost = cost;
    this.#clock = clock;
    this.#workerPath = workerPath;
  }

  async render(subject: CheckSubject): Promise<Markup> {
    const task = await this.renew(subject);
    return html`<div data-proof data-challenge="${JSON.stringify(task)}" data-lifetime-ms="${LIFETIME_MS}" data-worker="${this.#workerPath}" data-renew="/${subject.pollId}/challenge">
<input type="hidden" name="proof" value="">
<p class="check" aria-live="polite" data-proof-state></p>
</div>`;
  }

  async renew(subject: CheckSubject): Promise<Task> {
    const expiresAt = Math.ceil((this.#clock() + LIFETIME_MS) / 1000);
    return issueTask(await this.#secret(), subject, this.#cost, expiresAt);
  }

  async verify({ fields, pollId, voter }: CheckAnswer): Promise<CheckVerdict> {
    const shown = fields['proof'];
    if (shown === undefined || shown === '') return { outcome: 'missing' };
    const solved = readSolvedTask(shown);
    if (!solved || !isSolution(await this.#secret(), { pollId, voter }, solved)) return { outcome: 'failed' };
    const { nonce, expiresAt } = solved.challenge.parameters;
    if (expiresAt * 1000 <= this.#clock()) return { outcome: 'expired' };
    const proof = { id: nonce, expiresAtMs: expiresAt * 1000 + MEMORY_MARGIN_MS };
    return { outcome: 'passed', proof, ofVoter: true };
  }
}
