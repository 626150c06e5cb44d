import type { PollId } from '../../poll/poll.ts';
import type { OnAirMessage } from '../page/on-air-message.ts';

/** Longer than the server holds a request: whoever hears nothing for so long hears nothing any more. */
const PATIENCE_MS = 30_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
/** Somebody comes back to the page, and so may all others, when the show says so. */
const BACK_MS = 500;

/**
 * Asks the voting server what a show has on air, by a request that is answered when it changes. A page that nobody looks at asks
 * nothing, and asks as soon as somebody does. A server that is away is asked again, with growing pauses.
 */
export class ShowWatch {
  readonly #url: string;
  readonly #onSwitch: (onAir: PollId | null, spreadMs: number) => void;
  #known: PollId | null;
  #asking = new AbortController();

  /**
   * @param known the poll on this page
   * @param onSwitch is told of every other one that is on air, and over how long all pages are to spread their coming for it
   */
  constructor(
    show: string,
    known: PollId | null,
    onSwitch: (onAir: PollId | null, spreadMs: number) => void,
  ) {
    this.#url = `/show/${show}/live`;
    this.#known = known;
    this.#onSwitch = onSwitch;
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
      if (!answer || answer.onAir === this.#known) continue;
      this.#known = answer.onAir;
      this.#onSwitch(answer.onAir, answer.spreadMs);
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
      const reply = await fetch(`${this.#url}${known}`, { signal: patience.signal, cache: 'no-store' });
      return reply.ok ? ((await reply.json()) as OnAirMessage) : undefined;
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', give);
    }
  }
}
