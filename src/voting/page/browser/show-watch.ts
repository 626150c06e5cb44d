import type { PollId } from '../../../poll/poll.ts';
import type { OnAirMessage, PublicPollState } from '../on-air-message.ts';

/** Longer than the server holds a request: whoever hears nothing for so long hears nothing any more. */
const PATIENCE_MS = 30_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
/** Somebody comes back to the page, and so may all others, when the show says so. */
const BACK_MS = 500;

export interface ShowListener {
  /** Another poll is on air. @param spreadMs over how long all pages are to spread their coming for it */
  readonly onSwitch: (onAir: PollId | null, spreadMs: number) => void;
  /** The poll on this page, which is on air, stands otherwise than before: may send all pages to a server, as a switch does. */
  readonly onStanding: (poll: PublicPollState, spreadMs: number) => void;
}

/**
 * Asks the voting server what a show has on air and how that stands, by a request that is answered when either changes. A page
 * that nobody looks at asks nothing, and asks as soon as somebody does. A server that is away is asked again, with growing pauses.
 */
export class ShowWatch {
  readonly #url: string;
  readonly #listener: ShowListener;
  readonly #poll: PollId | null;
  #known: PollId | null;
  /** How the poll on this page stands, as far as the page knows. */
  #mark: string | undefined;
  #asking = new AbortController();

  /**
   * @param known what the page knows to be on air
   * @param page the poll on this page, and the mark of how it stands there
   */
  constructor(
    show: string,
    known: PollId | null,
    page: { readonly poll: PollId | null; readonly mark: string | undefined },
    listener: ShowListener,
  ) {
    this.#url = `/show/${show}/live`;
    this.#known = known;
    this.#poll = page.poll;
    this.#mark = page.mark;
    this.#listener = listener;
    document.addEventListener('visibilitychange', () => this.#settle(Math.random() * BACK_MS));
    this.#settle(0);
  }

  #settle(ms: number): void {
    this.#asking.abort();
    this.#asking = new AbortController();
    if (document.visibilityState === 'visible') void this.#ask(ms, this.#asking.signal);
  }

  async #ask(firstMs: number, signal: AbortSignal): Promise<void> {
    let pauseMs = firstMs;
    for (let failures = 0; ; ) {
      await new Promise(done => setTimeout(done, pauseMs));
      if (signal.aborted) return;
      const answer = await this.#look(signal);
      if (signal.aborted) return;
      failures = answer ? 0 : failures + 1;
      pauseMs = answer
        ? answer.againMs
        : Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
      if (answer) this.#take(answer);
    }
  }

  #take({ onAir, spreadMs, poll }: OnAirMessage): void {
    if (onAir !== this.#known) {
      this.#known = onAir;
      this.#listener.onSwitch(onAir, spreadMs);
    } else if (poll && onAir === this.#poll && poll.mark !== this.#mark) {
      this.#mark = poll.mark;
      this.#listener.onStanding(poll, spreadMs);
    }
  }

  /** @returns undefined where nobody answers, or somebody who is not the server */
  async #look(signal: AbortSignal): Promise<OnAirMessage | undefined> {
    const patience = new AbortController();
    const give = () => patience.abort();
    const timer = setTimeout(give, PATIENCE_MS);
    signal.addEventListener('abort', give);
    try {
      const known = this.#known === null ? '' : `?known=${this.#known}`;
      const mark = known === '' || this.#known !== this.#poll ? '' : `&mark=${this.#mark}`;
      const reply = await fetch(`${this.#url}${known}${mark}`, {
        signal: patience.signal,
        cache: 'no-store',
      });
      return reply.ok ? ((await reply.json()) as OnAirMessage) : undefined;
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', give);
    }
  }
}
