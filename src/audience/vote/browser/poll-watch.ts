import type { Watch } from '../../../client/watch-poll.ts';
import { pauseWhileVisible } from '../../../pages/page/browser/dom.ts';
import {
  GONE_STATUS,
  INTERVAL_HEADER,
  STATE_INTERVAL_MS,
  type StateMessage,
} from '../../../pages/page/messages.ts';
import type { PollStatus } from '../../../poll/poll.ts';

/** Watches a poll while the page is visible: of many tabs, the one in front has a connection. */
export function watchWhileVisible(start: () => Watch): Watch {
  let watch: Watch | undefined;
  const restart = () => {
    watch?.close();
    watch = document.visibilityState === 'visible' ? start() : undefined;
  };
  document.addEventListener('visibilitychange', restart);
  restart();
  return {
    close() {
      document.removeEventListener('visibilitychange', restart);
      watch?.close();
    },
  };
}

/** Requests the state of a poll now and then while the page is visible. It needs no connection to a relay. */
export class StateWatch {
  readonly #url: string;
  readonly #onState: (state: StateMessage | null) => void;
  #againMs: number;
  #watching: AbortController | undefined;

  /** @param onState gets null for a deleted poll */
  constructor(url: string, status: PollStatus, onState: (state: StateMessage | null) => void) {
    this.#url = url;
    this.#againMs = STATE_INTERVAL_MS[status];
    this.#onState = onState;
  }

  start(): void {
    if (this.#watching) return;
    this.#watching = new AbortController();
    void this.#follow(this.#watching.signal);
  }

  stop(): void {
    this.#watching?.abort();
    this.#watching = undefined;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for (let waitMs = 0; ; ) {
      // Spread, because a whole audience may have opened its pages in the same second.
      const spreadMs = this.#againMs * (0.75 + Math.random() / 2);
      await pauseWhileVisible(Math.max(waitMs, spreadMs), signal);
      if (signal.aborted) return;
      waitMs = await this.#request(signal);
    }
  }

  /** @returns milliseconds of `Retry-After` */
  async #request(signal: AbortSignal): Promise<number> {
    try {
      const headers = { [INTERVAL_HEADER]: `${this.#againMs}` };
      const reply = await fetch(this.#url, { headers, signal });
      if (reply.ok) {
        const state = (await reply.json()) as StateMessage;
        this.#againMs = state.againMs;
        if (!signal.aborted) this.#onState(state);
      } else if (reply.status === GONE_STATUS) this.#onState(null);
      return Number(reply.headers.get('retry-after')) * 1000 || 0;
    } catch {
      return 0;
    }
  }
}
