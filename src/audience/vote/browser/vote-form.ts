import type { Challenge, Solution } from 'altcha-lib';
import { fill } from '../../../locales/i18n.ts';
import { basePath } from '../../../pages/page/browser/base-path.ts';
import { create, find, namePressed, runEach } from '../../../pages/page/browser/dom.ts';
import { phrases, wording } from '../../../pages/page/browser/i18n.ts';

/** The server replies within two seconds, but a phone's connection may be slow. */
export const TIMEOUT_MS = 15_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10_000;
/** Retries of a crowd with the same `Retry-After` are spread over this time. */
const SPREAD_MS = 1_000;

type SendResult =
  | { readonly page: string }
  | { readonly rejection: Document }
  /** Blocked by something between this page and the server. */
  | 'blocked'
  /** The human check cannot run in this browser. */
  | 'unsupported'
  /** No reply, or one that is not from the server. */
  | { readonly retryAfterMs: number };

/**
 * Sends the form after the human check, and retries without a reply: the form carries its ballot
 * id, so it cannot count twice. Without this script the browser sends the form.
 */
export class VoteForm {
  readonly #form: HTMLFormElement;
  readonly #proof: HumanProof | undefined;
  /** The one that was pressed last. */
  #button: HTMLButtonElement | undefined;
  #label: string;
  readonly #onRejected: (page: Document) => void;
  #isSending = false;

  /** @param onRejected gets the page with the reason and the filled-in form */
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
      if (this.#isSending) return;
      this.#press(event.submitter as HTMLButtonElement | null);
      void this.#vote();
    });
    form.addEventListener('change', ({ target }) => removeNotice((target as HTMLInputElement).name));
    restoreChoice(form);
    followChoices(form);
    // Looks only, which not every browser can do.
    runEach(() => this.#markStuckBar());
    // After the back button the form works again.
    addEventListener('pageshow', ({ persisted }) => persisted && this.#reset(this.#label));
  }

  /** Prepares the human check after the poll has opened, so that it is done by the time of the vote. */
  prepare(): void {
    void this.#proof?.prepare();
  }

  #press(button: HTMLButtonElement | null): void {
    namePressed(this.#form, button);
    if (!button) return;
    this.#button = button;
    this.#label = button.textContent ?? '';
  }

  /** While the bar covers answers, one pixel of it is below the window. */
  #markStuckBar(): void {
    const bar = this.#button?.parentElement;
    const onChange = ([entry]: IntersectionObserverEntry[]) =>
      bar?.toggleAttribute('data-stuck', (entry?.intersectionRatio ?? 1) < 1);
    if (bar) new IntersectionObserver(onChange, { threshold: [0, 1] }).observe(bar);
  }

  async #vote(): Promise<void> {
    this.#isSending = true;
    for (let tries = 0; this.#isSending; tries += 1) {
      const result = await this.#try(tries === 0 ? phrases.sending : phrases.tryingAgain);
      if (result === 'unsupported') return this.#reset(phrases.tryAgain);
      // Navigating shows the page of whatever blocked the request.
      if (result === 'blocked') return this.#form.submit();
      if ('rejection' in result) return this.#onRejected(result.rejection);
      if ('page' in result) return location.replace(basePath + result.page);
      this.#showUndelivered();
      const pauseMs = Math.max(result.retryAfterMs, Math.min(FIRST_PAUSE_MS * 2 ** tries, MAX_PAUSE_MS));
      await pause(pauseMs + SPREAD_MS * Math.random());
    }
  }

  /** Sends the current choice, which the voter may have changed between two tries. */
  async #try(label: string): Promise<SendResult> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
    try {
      if (this.#proof && !this.#proof.isReady) {
        this.#setButton(phrases.oneMoment, true);
        await this.#proof.ready(abort.signal);
      }
      this.#setButton(label, true);
      return await send(this.#form, abort.signal);
    } catch (error) {
      return error instanceof UnsupportedCheck ? 'unsupported' : { retryAfterMs: 0 };
    } finally {
      clearTimeout(timer);
    }
  }

  #showUndelivered(): void {
    if (find(this.#form, 'undelivered')) return;
    const attributes = { class: 'notice problem', 'data-undelivered': '', role: 'alert' };
    this.#button?.before(create('p', attributes, phrases.undelivered));
  }

  #reset(label: string): void {
    this.#isSending = false;
    find(this.#form, 'undelivered')?.remove();
    namePressed(this.#form);
    this.#setButton(label, false);
  }

  #setButton(text: string, busy: boolean): void {
    if (!this.#button) return;
    this.#button.textContent = text;
    // `disabled` would take the focus away.
    this.#button.setAttribute('aria-disabled', String(busy));
  }
}

/** After other rules have loaded the form again, what still exists is chosen. Browsers choose by the place. */
function restoreChoice(form: HTMLFormElement): void {
  const answers = history.state;
  if (!answers) return;
  history.replaceState(null, '');
  for (const field of form.querySelectorAll<HTMLInputElement>('[name=answer]'))
    field.checked = answers.includes(field.value);
}

/** @throws without a reply from the server */
async function send(form: HTMLFormElement, signal: AbortSignal): Promise<SendResult> {
  const reply = await fetch(form.action, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams(new FormData(form) as unknown as Record<string, string>),
    signal,
  });
  if (reply.ok) {
    // Captive portals may reply with anything.
    const { page } = (await reply.json()) as { page?: unknown };
    if (typeof page !== 'string') throw new Error('unknown reply');
    return { page };
  }
  if (reply.status < 500 && reply.status !== 429) {
    const rejection = new DOMParser().parseFromString(await reply.text(), 'text/html');
    return rejection.querySelector('main [data-focus]') ? { rejection } : 'blocked';
  }
  return { retryAfterMs: Number(reply.headers.get('retry-after')) * 1000 || 0 };
}

/** Says how many answers are missing or too many. The browser says so too, instead of sending such a form. */
function followChoices(form: HTMLFormElement): void {
  const line = find(form, 'choices');
  const boxes = [...form.querySelectorAll<HTMLInputElement>('[name=answer]')];
  if (!line) return;
  const least = Number(line.dataset['least']);
  const most = Number(line.dataset['most']);
  const check = () => {
    const chosen = boxes.filter(box => box.checked).length;
    const [phrase, number] =
      chosen < least ? [phrases.chooseMore, least - chosen] : [phrases.chooseFewer, chosen - most];
    const text = chosen >= least && chosen <= most ? '' : fill(phrase, { number: wording.number(number) });
    boxes[0]?.setCustomValidity(text);
    return text;
  };
  form.addEventListener('change', () => {
    line.textContent = check();
  });
  // Browsers restore the boxes of a page that is loaded again.
  addEventListener('pageshow', check);
  check();
}

function removeNotice(field: string): void {
  for (const notice of document.querySelectorAll<HTMLElement>('[data-settled-by]'))
    if (notice.dataset['settledBy'] === field) notice.remove();
}

/** Ends early once the browser is online again. */
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

/** Tasks of a poll that has just opened are requested within this time. */
const OPENING_SPREAD_MS = 1_000;
/** A proof that is about to expire could be too old when it arrives. */
const EXPIRY_MARGIN_MS = 15_000;

class UnsupportedCheck extends Error {}

/** Solves the proof of work while the voter reads, and again once it has expired. */
export class HumanProof {
  readonly #box: HTMLElement;
  readonly #field: HTMLInputElement;
  #validUntil: number;
  #solving: Promise<void>;

  constructor(box: HTMLElement, field: HTMLInputElement) {
    this.#box = box;
    this.#field = field;
    this.#validUntil = this.#expiry();
    // A poll that is not open yet gives out no task.
    const { challenge } = box.dataset;
    this.#solving = challenge ? this.#solve(JSON.parse(challenge) as Challenge) : Promise.resolve();
    // `ready` handles failures, but may not be called yet.
    this.#solving.catch(() => {});
  }

  get isReady(): boolean {
    return this.#field.value !== '' && Date.now() < this.#validUntil;
  }

  /** Requests a task at random within a second, because a whole audience does. If it fails, `ready` tries again. */
  async prepare(): Promise<void> {
    await pause(OPENING_SPREAD_MS * Math.random());
    await this.ready(AbortSignal.timeout(TIMEOUT_MS)).catch(() => {});
  }

  /** Resolves when the form may be sent; can be retried. @throws UnsupportedCheck if the task cannot be solved */
  ready(signal: AbortSignal): Promise<void> {
    const renewIfNeeded = () => (this.isReady ? undefined : this.#renew(signal));
    this.#solving = this.#solving.then(renewIfNeeded, renewIfNeeded);
    return this.#solving;
  }

  async #renew(signal: AbortSignal): Promise<void> {
    this.#field.value = '';
    const reply = await fetch(this.#box.dataset['renew'] ?? '', { signal });
    if (!reply.ok) throw new Error(`no task: status ${reply.status}`);
    this.#validUntil = this.#expiry();
    await this.#solve((await reply.json()) as Challenge);
  }

  async #solve(challenge: Challenge): Promise<void> {
    this.#show(phrases.checking);
    const solution = await solveInWorker(challenge, this.#box.dataset['worker'] ?? '');
    this.#field.value = JSON.stringify({ challenge, solution });
    this.#show(`✓ ${phrases.ready}`);
    this.#box.dataset['solved'] = '';
  }

  #expiry(): number {
    return Date.now() + Number(this.#box.dataset['lifetimeMs']) - EXPIRY_MARGIN_MS;
  }

  #show(text: string): void {
    const state = find(this.#box, 'proof-state');
    if (state) state.textContent = text;
  }
}

/** @throws UnsupportedCheck */
async function solveInWorker(challenge: Challenge, workerPath: string): Promise<Solution> {
  let worker: Worker | undefined;
  try {
    const started = new Worker(workerPath, { type: 'module' });
    worker = started;
    return await new Promise<Solution>((done, fail) => {
      started.addEventListener('message', ({ data }: MessageEvent<Solution>) => done(data));
      started.addEventListener('error', fail);
      started.postMessage(challenge);
    });
  } catch {
    throw new UnsupportedCheck();
  } finally {
    worker?.terminate();
  }
}
