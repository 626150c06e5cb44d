import { show as phrases } from '../../../locales/en.json';
import type { PollId } from '../../../poll/poll.ts';
import type { PublicPollState } from '../on-air-message.ts';
import { find } from './dom.ts';
import { ShowWatch } from './show-watch.ts';

/** Whoever has just voted reads that it was counted. */
const READ_MS = 6_000;
/** A finger that is on its way to an answer must not meet another one there. */
const TOUCHED_MS = 1_500;
const LOOK_AGAIN_MS = 300;
/** Which show this tab follows, and on which poll's page: forms and sign-ins come back to a poll without its show. */
const SLOT = 'tallycast-show';

interface Place {
  readonly show: string;
  readonly poll: PollId;
}

interface MovingOnOptions {
  /** What the page knows to be on air, where that is not its own: a poll that was deleted has no page. */
  readonly known?: PollId | null;
  /** How the poll stands on this page. */
  readonly mark?: string | undefined;
  readonly onStanding?: (poll: PublicPollState) => void;
}

/**
 * Follows a show from poll to poll. The page goes by itself to what comes on air, but never takes a choice out of somebody's hand:
 * where one was begun, it offers the next vote instead.
 *
 * States: here → (another poll comes on air) due, as soon as nobody touches or reads what would go → gone; or offered, while a
 * choice or a comment is begun. Here again where the first poll is put back.
 */
export class ShowFollower {
  readonly #show: string;
  readonly #poll: PollId | null;
  #touchedMs = Number.NEGATIVE_INFINITY;
  /** What the page has to follow yet; null where nothing is on air. */
  #due: { readonly poll: PollId | null; readonly fromMs: number } | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #standing: ReturnType<typeof setTimeout> | undefined;
  readonly #strip = createStrip();

  /** @param poll on this page; null where it waits for one */
  constructor(show: string, poll: PollId | null, { known = poll, mark, onStanding }: MovingOnOptions = {}) {
    this.#show = show;
    this.#poll = poll;
    // Reloaded and shared is the show, which always leads to what is on air.
    history.replaceState(null, '', `/show/${show}`);
    for (const kind of ['pointerdown', 'keydown', 'touchmove'])
      addEventListener(kind, () => this.#touch(), { passive: true, capture: true });
    new ShowWatch(
      show,
      known,
      { poll, mark },
      {
        onSwitch: (onAir, spreadMs) => this.#hear(onAir, spreadMs),
        onStanding: (standing, spreadMs) => {
          clearTimeout(this.#standing);
          this.#standing = setTimeout(() => onStanding?.(standing), Math.random() * spreadMs);
        },
      },
    );
  }

  /** What this page belongs to: as the server says, or as this tab came from there. Undefined for a page of its own. */
  static showOf({ dataset: { poll = '', show } }: HTMLElement): string | undefined {
    const place = show ? { show, poll } : recall();
    if (place?.poll !== poll) return undefined;
    remember(place);
    return place.show;
  }

  /** The poll on this page is gone: its show knows what there is. */
  leave(): void {
    location.replace(`/show/${this.#show}`);
  }

  #touch(): void {
    this.#touchedMs = performance.now();
  }

  #hear(onAir: PollId | null, spreadMs: number): void {
    clearInterval(this.#timer);
    if (onAir !== null) this.#say();
    if (onAir === this.#poll) return;
    // Where nothing comes, nobody has to come for it.
    const waitMs = onAir === null ? 0 : Math.random() * spreadMs;
    this.#due = { poll: onAir, fromMs: performance.now() + waitMs };
    this.#timer = setInterval(() => this.#look(), LOOK_AGAIN_MS);
    this.#look();
  }

  #look(): void {
    const nowMs = performance.now();
    if (!this.#due || nowMs < this.#due.fromMs) return;
    const { poll } = this.#due;
    if (poll !== null && isBegun()) this.#offer(poll);
    else if (nowMs <= this.#touchedMs + TOUCHED_MS) return;
    else if (poll === null) this.#tellSoon();
    else if (nowMs > READ_MS || !find(document, 'counted')) this.#go(poll);
  }

  #go(poll: PollId): void {
    clearInterval(this.#timer);
    remember({ show: this.#show, poll });
    location.replace(this.#addressOf(poll));
  }

  #addressOf(poll: PollId): string {
    return `/${poll}?show=${this.#show}`;
  }

  #offer(poll: PollId): void {
    const { title, text, go } = phrases.next;
    const link = document.createElement('a');
    link.className = 'button';
    link.href = this.#addressOf(poll);
    link.textContent = go;
    if (this.#strip.querySelector('a')?.href !== link.href) this.#say(title, text, link);
  }

  #tellSoon(): void {
    clearInterval(this.#timer);
    this.#say(phrases.soon.title, phrases.soon.text);
  }

  /** Whatever lies under a finger stays where it is: an offer stands over the page. */
  #say(title?: string, text = '', link?: HTMLElement): void {
    const heading = document.createElement('b');
    heading.textContent = title ?? '';
    const words = document.createElement('p');
    words.append(heading, ' ', text);
    this.#strip.classList.toggle('offer', link !== undefined);
    this.#strip.replaceChildren(...(title === undefined ? [] : [words]), ...(link ? [link] : []));
  }
}

/** There and empty from the beginning, so that what it says later is read out. */
function createStrip(): HTMLElement {
  const strip = document.createElement('section');
  strip.className = 'moving-on';
  strip.setAttribute('role', 'status');
  document.body.prepend(strip);
  return strip;
}

/** An answer that is chosen and can still be sent, a comment, whatever is being written. What a browser fills in by itself is none. */
function isBegun(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    '[data-vote] input, [data-comments] input, textarea',
  );
  return [...fields].some(field => field.type !== 'hidden' && !field.closest('[hidden]') && isFilled(field));
}

function isFilled(field: HTMLInputElement | HTMLTextAreaElement): boolean {
  if (/^(?:radio|checkbox)$/.test(field.type)) return (field as HTMLInputElement).checked;
  const isHeld = field === document.activeElement || field instanceof HTMLTextAreaElement;
  return isHeld && field.value.trim() !== '';
}

/** A browser that keeps nothing is no reason to fail: its page stays where it is after a form. */
function remember(place: Place): void {
  try {
    sessionStorage.setItem(SLOT, JSON.stringify(place));
  } catch {}
}

function recall(): Place | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(SLOT) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
