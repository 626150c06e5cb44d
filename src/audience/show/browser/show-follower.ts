import { show as phrases } from '../../../locales/en.json';
import { basePath } from '../../../pages/page/browser/base-path.ts';
import { create, find } from '../../../pages/page/browser/dom.ts';
import { readStoredJson, store } from '../../../pages/page/browser/stored.ts';
import type { MarkedPollState, OnAirMessage, PageLook } from '../../../pages/page/messages.ts';
import type { PollId } from '../../../poll/poll.ts';

const READ_MS = 6_000;
/** A page must not change under a finger that is about to tap. */
const TOUCH_PAUSE_MS = 1_500;
const CHECK_INTERVAL_MS = 300;
const TIMEOUT_MS = 30_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8_000;
/** A whole audience may return to its pages at once. */
const RETURN_SPREAD_MS = 500;
/** Remembers the show of this tab and its poll, because forms and sign-in return to the poll without its show. */
const SLOT = 'tallycast-show';

interface RememberedShow {
  readonly show: string;
  readonly poll: PollId;
}

interface ShowFollowerOptions {
  /** The poll on air, if it is not the one on this page: a deleted poll has no page. */
  readonly known?: PollId | null;
  readonly mark?: string | undefined;
  readonly onState?: (poll: MarkedPollState) => void;
}

/** Follows a show: loads the poll that goes on air, or offers a link to it while the voter is filling in a form. */
export class ShowFollower {
  readonly #show: string;
  readonly #poll: PollId | null;
  readonly #onState: ShowFollowerOptions['onState'];
  /** As far as the page knows. */
  #onAir: PollId | null;
  #mark: string | undefined;
  #look = document.documentElement.dataset['look'];
  #visit = new AbortController();
  #touchedMs = Number.NEGATIVE_INFINITY;
  #next: { readonly poll: PollId | null; readonly fromMs: number } | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #stateTimer: ReturnType<typeof setTimeout> | undefined;
  #lookTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #strip = createStrip();

  /** @param poll on this page; null on the page of a show with nothing on air */
  constructor(show: string, poll: PollId | null, { known = poll, mark, onState }: ShowFollowerOptions = {}) {
    this.#show = show;
    this.#poll = poll;
    this.#onAir = known;
    this.#mark = mark;
    this.#onState = onState;
    // Reloading or sharing the page leads to the poll on air.
    history.replaceState(null, '', `${basePath}/show/${show}`);
    const onTouch = () => {
      this.#touchedMs = performance.now();
    };
    for (const kind of ['pointerdown', 'keydown', 'touchmove'])
      addEventListener(kind, onTouch, { passive: true, capture: true });
    document.addEventListener('visibilitychange', () => this.#restart(Math.random() * RETURN_SPREAD_MS));
    this.#restart(0);
  }

  /** Returns the show of this page, from the server or from this tab's history; undefined without a show. */
  static showOf({ dataset: { poll = '', show } }: HTMLElement): string | undefined {
    const kept = readStoredJson('sessionStorage', SLOT) as RememberedShow | undefined;
    const followed = show ? { show, poll } : kept;
    if (followed?.poll !== poll) return undefined;
    remember(followed);
    return followed.show;
  }

  leave(): void {
    location.replace(`${basePath}/show/${this.#show}`);
  }

  #restart(pauseMs: number): void {
    this.#visit.abort();
    this.#visit = new AbortController();
    if (document.visibilityState === 'visible') void this.#watch(pauseMs, this.#visit.signal);
  }

  /** By long polling while the page is visible. */
  async #watch(firstPauseMs: number, signal: AbortSignal): Promise<void> {
    let pauseMs = firstPauseMs;
    for (let failures = 0; ; ) {
      await new Promise(done => setTimeout(done, pauseMs));
      if (signal.aborted) return;
      const message = await this.#request(signal);
      if (signal.aborted) return;
      failures = message ? 0 : failures + 1;
      pauseMs = message
        ? message.againMs
        : Math.random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
      if (message) this.#receive(message);
    }
  }

  #receive({ look, onAir, poll, spreadMs }: OnAirMessage): void {
    if (look && look.mark !== this.#look) {
      this.#look = look.mark;
      clearTimeout(this.#lookTimer);
      this.#lookTimer = setTimeout(() => showLook(look), Math.random() * spreadMs);
    }
    if (onAir !== this.#onAir) {
      this.#onAir = onAir;
      this.#onSwitch(onAir, spreadMs);
    } else if (poll && onAir === this.#poll && poll.mark !== this.#mark) {
      this.#mark = poll.mark;
      clearTimeout(this.#stateTimer);
      this.#stateTimer = setTimeout(() => this.#onState?.(poll), Math.random() * spreadMs);
    }
  }

  async #request(signal: AbortSignal): Promise<OnAirMessage | undefined> {
    const attempt = new AbortController();
    const abort = () => attempt.abort();
    const timer = setTimeout(abort, TIMEOUT_MS);
    signal.addEventListener('abort', abort);
    try {
      const known = this.#onAir === null ? '' : `&known=${this.#onAir}`;
      const knownMark = known === '' || this.#onAir !== this.#poll ? '' : `&mark=${this.#mark}`;
      const knownLook = this.#look === undefined ? '' : `&look=${this.#look}`;
      const reply = await fetch(`${basePath}/show/${this.#show}/live?${known}${knownMark}${knownLook}`, {
        signal: attempt.signal,
        cache: 'no-store',
      });
      return reply.ok ? ((await reply.json()) as OnAirMessage) : undefined;
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  #onSwitch(onAir: PollId | null, spreadMs: number): void {
    clearInterval(this.#timer);
    if (onAir !== null) this.#announce();
    if (onAir === this.#poll) return;
    const waitMs = onAir === null ? 0 : Math.random() * spreadMs;
    this.#next = { poll: onAir, fromMs: performance.now() + waitMs };
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS);
    this.#check();
  }

  #check(): void {
    const nowMs = performance.now();
    if (!this.#next || nowMs < this.#next.fromMs) return;
    const { poll } = this.#next;
    if (poll !== null && hasInput()) this.#offer(poll);
    else if (nowMs <= this.#touchedMs + TOUCH_PAUSE_MS) return;
    else if (poll === null) {
      clearInterval(this.#timer);
      this.#announce(phrases.soon.title, phrases.soon.text);
    } else if (nowMs > READ_MS || !find(document, 'counted')) {
      clearInterval(this.#timer);
      remember({ show: this.#show, poll });
      location.replace(this.#urlOf(poll));
    }
  }

  #urlOf(poll: PollId): string {
    return `${basePath}/${poll}?show=${this.#show}`;
  }

  #offer(poll: PollId): void {
    const { title, text, go } = phrases.next;
    const link = create('a', { class: 'button', href: this.#urlOf(poll) }, go);
    if (this.#strip.querySelector('a')?.href !== link.href) this.#announce(title, text, link);
  }

  /** An offer covers the page, so that nothing moves under a finger. */
  #announce(title?: string, text = '', link?: HTMLElement): void {
    const paragraph = title === undefined ? [] : [create('p', {}, create('b', {}, title), ' ', text)];
    this.#strip.classList.toggle('offer', link !== undefined);
    this.#strip.replaceChildren(...paragraph, ...(link ? [link] : []));
  }
}

/** Without storage, a page stays where it is after a form. */
function remember(followed: RememberedShow): void {
  store('sessionStorage', SLOT, JSON.stringify(followed));
}

/** Present and empty from the start, because screen readers only announce changes. */
function createStrip(): HTMLElement {
  const strip = create('section', { class: 'show-strip', role: 'status' });
  document.body.prepend(strip);
  return strip;
}

/** Returns whether the voter has chosen an answer or is writing. Fields that the browser filled in do not count. */
function hasInput(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    '[data-vote] input, [data-comments] input, textarea',
  );
  return [...fields].some(field => field.type !== 'hidden' && !field.closest('[hidden]') && isFilled(field));
}

function isFilled(field: HTMLInputElement | HTMLTextAreaElement): boolean {
  if (/^(?:radio|checkbox)$/.test(field.type)) return (field as HTMLInputElement).checked;
  const isEdited = field === document.activeElement || field instanceof HTMLTextAreaElement;
  return isEdited && field.value.trim() !== '';
}

/** Replaces the look that the page came with. Older browsers keep its colors until the next page. */
function showLook({ css, logo }: PageLook): void {
  if ('adoptedStyleSheets' in document) {
    document.querySelector('head > style')?.remove();
    // Needs no source in the page's policy.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [sheet];
  }
  document.querySelector('.show-logo')?.remove();
  if (logo === null) return;
  const image = Object.assign(new Image(), { className: 'show-logo', alt: '', src: logo });
  document.querySelector('main')?.before(image);
}
