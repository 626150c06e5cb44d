import type { PollStatus } from '../../../poll/poll.ts';
import { pauseWhileSeen } from '../../page/browser/dom.ts';
import type { StateMessage } from '../../page/state-message.ts';

/** Until the server has said when to ask again; the page itself is as new as its first answer would be. */
const FIRST_MS: Readonly<Record<PollStatus, number>> = { upcoming: 3_000, open: 15_000, closed: 30_000 };
export interface StateListener {
  readonly onState: (state: StateMessage) => void;
  readonly onGone: () => void;
}

/**
 * Asks the voting server now and then how a poll stands, for a page whose voter sees no results: that costs a relay no
 * connection. A page that nobody looks at asks nothing, and asks as soon as somebody does.
 */
export class StateWatch {
  readonly #url: string;
  readonly #listener: StateListener;
  #againMs: number;
  #watching: AbortController | undefined;

  constructor(url: string, status: PollStatus, listener: StateListener) {
    this.#url = url;
    this.#againMs = FIRST_MS[status];
    this.#listener = listener;
  }

  begin(): void {
    if (this.#watching) return;
    this.#watching = new AbortController();
    void this.#follow(this.#watching.signal);
  }

  end(): void {
    this.#watching?.abort();
    this.#watching = undefined;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for (let waitMs = 0; ; ) {
      // Pages that were opened in the same second do not go on asking in the same second.
      const spreadMs = this.#againMs * (0.75 + Math.random() / 2);
      await pauseWhileSeen(Math.max(waitMs, spreadMs), signal);
      if (signal.aborted) return;
      waitMs = await this.#look(signal);
    }
  }

  /** @returns milliseconds that the server asks to wait */
  async #look(signal: AbortSignal): Promise<number> {
    try {
      const reply = await fetch(this.#url, { signal });
      if (reply.ok) {
        const state = (await reply.json()) as StateMessage;
        this.#againMs = state.againMs;
        if (!signal.aborted) this.#listener.onState(state);
      } else if (reply.status === 404) this.#listener.onGone();
      return Number(reply.headers.get('retry-after')) * 1000 || 0;
    } catch {
      return 0;
    }
  }
}
