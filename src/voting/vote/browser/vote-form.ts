import { find } from '../../page/browser/dom.ts';
import { phrases } from '../../page/browser/i18n.ts';
import { CheckFailed, HumanProof } from './human-proof.ts';

/** A server that is there answers within two seconds; a phone's line may be slow. */
const PATIENCE_MS = 15_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
/** A crowd that was told to wait for as many seconds comes back spread over one more. */
const SPREAD_MS = 1_000;

type Answer =
  | { readonly page: string }
  | { readonly rejection: Document }
  /** By something between this page and our server. */
  | 'refused'
  /** The human check cannot run here. */
  | 'broken'
  /** Nobody answered, or somebody who is not the server. */
  | { readonly retryAfterMs: number };

/**
 * Sends the form once the human check is done, and again for as long as nobody answers: it carries the id of its ballot, so it
 * cannot count twice. Without this script the browser sends it, and the server refuses it in words.
 *
 * States: idle → checking → sending → (no answer) waiting → sending → counted, which is a page of its own, or rejected, which the
 * answer holds as a page.
 */
export class VoteForm {
  readonly #form: HTMLFormElement;
  readonly #button: HTMLButtonElement | undefined;
  readonly #proof: HumanProof | undefined;
  readonly #label: string;
  readonly #onRejected: (page: Document) => void;
  #underWay = false;

  /** @param onRejected gets the page that says why, with the form as it was filled in */
  constructor(form: HTMLFormElement, onRejected: (page: Document) => void) {
    this.#form = form;
    this.#onRejected = onRejected;
    this.#button = find<HTMLButtonElement>(form, 'submit');
    this.#label = this.#button?.textContent ?? '';
    const box = find(form, 'proof');
    const field = form.querySelector<HTMLInputElement>('input[name=proof]');
    this.#proof = box && field ? new HumanProof(box, field) : undefined;
    form.addEventListener('submit', event => {
      event.preventDefault();
      if (!this.#underWay) void this.#vote();
    });
    form.addEventListener('change', ({ target }) => settleNotice((target as HTMLInputElement).name));
    // Back from the next page: the button works again.
    addEventListener('pageshow', ({ persisted }) => persisted && this.#rest(this.#label));
  }

  async #vote(): Promise<void> {
    this.#underWay = true;
    for (let tries = 0; this.#underWay; tries += 1) {
      const answer = await this.#try(tries === 0 ? phrases.sending : phrases.tryingAgain);
      if (answer === 'broken') return this.#rest(phrases.tryAgain);
      // What stands in the way tells the voter why, on a page of its own.
      if (answer === 'refused') return this.#form.submit();
      if ('rejection' in answer) return this.#onRejected(answer.rejection);
      if ('page' in answer) return location.replace(answer.page);
      this.#tellUndelivered();
      const pauseMs = Math.max(answer.retryAfterMs, Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS));
      await pause(pauseMs + SPREAD_MS * Math.random());
    }
  }

  /** With what is chosen now: whoever changed the choice while nobody answered means the new one. */
  async #try(label: string): Promise<Answer> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), PATIENCE_MS);
    try {
      if (this.#proof && !this.#proof.isReady) {
        this.#say(phrases.oneMoment, true);
        await this.#proof.ready(abort.signal);
      }
      this.#say(label, true);
      return await send(this.#form, abort.signal);
    } catch (error) {
      return error instanceof CheckFailed ? 'broken' : { retryAfterMs: 0 };
    } finally {
      clearTimeout(timer);
    }
  }

  #tellUndelivered(): void {
    if (find(this.#form, 'undelivered')) return;
    const notice = document.createElement('p');
    notice.className = 'notice problem';
    notice.dataset['undelivered'] = '';
    notice.setAttribute('role', 'alert');
    notice.textContent = phrases.undelivered;
    this.#button?.before(notice);
  }

  #rest(label: string): void {
    this.#underWay = false;
    find(this.#form, 'undelivered')?.remove();
    this.#say(label, false);
  }

  #say(text: string, busy: boolean): void {
    if (!this.#button) return;
    this.#button.textContent = text;
    // Not `disabled`: that would take the focus away.
    this.#button.setAttribute('aria-disabled', String(busy));
  }
}

/** @throws where no answer comes, or none of ours */
async function send(form: HTMLFormElement, signal: AbortSignal): Promise<Answer> {
  const reply = await fetch(form.action, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams(new FormData(form) as unknown as Record<string, string>),
    signal,
  });
  if (reply.ok) {
    // Somebody between us and the server may answer in its place, with anything.
    const { page } = (await reply.json()) as { page?: unknown };
    if (typeof page !== 'string') throw new Error('not our answer');
    return { page };
  }
  if (reply.status < 500 && reply.status !== 429) {
    const rejection = new DOMParser().parseFromString(await reply.text(), 'text/html');
    return rejection.querySelector('main [data-focus]') ? { rejection } : 'refused';
  }
  return { retryAfterMs: Number(reply.headers.get('retry-after')) * 1000 || 0 };
}

/** "Choose an answer first" has had its say once one is chosen. */
function settleNotice(field: string): void {
  for (const notice of document.querySelectorAll<HTMLElement>('[data-settled-by]'))
    if (notice.dataset['settledBy'] === field) notice.remove();
}

/** Ends early where the browser says that the network is back. */
function pause(ms: number): Promise<void> {
  return new Promise(done => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      done();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
  });
}
