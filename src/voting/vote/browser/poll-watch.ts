import {
  type ResultsMessage,
  type Watch,
  type WatchListener,
  type WatchState,
  watchPoll,
} from '../../../client/watch-poll.ts';
import type { PollStatus } from '../../../poll/poll.ts';
import { pauseWhileVisible } from '../../page/browser/dom.ts';
import type { StateMessage } from '../../page/messages.ts';

/** A message between the tabs of one browser. */
type TabMessage = { readonly results: ResultsMessage } | { readonly state: WatchState } | 'request';

/**
 * Watches a poll as `watchPoll` does, over one connection for all tabs of this browser: the tab that holds the poll's lock connects
 * and shares what it receives. Hidden tabs release the lock. Without locks, as on plain HTTP, each visible tab connects.
 */
export class SharedWatch implements Watch {
  readonly #url: string;
  readonly #hz: number;
  readonly #listener: WatchListener;
  readonly #channel: BroadcastChannel | undefined;
  #watch: Watch | undefined;
  #results: ResultsMessage | undefined;
  #state: WatchState | undefined;
  #stop = () => {};

  constructor(url: string, hz: number, listener: WatchListener) {
    this.#url = url;
    this.#hz = hz;
    this.#listener = listener;
    this.#channel = openChannel(`tallycast ${url}`);
    this.#channel?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => this.#receive(data));
    document.addEventListener('visibilitychange', this.#restart);
    this.#restart();
  }

  close(): void {
    document.removeEventListener('visibilitychange', this.#restart);
    this.#stop();
    this.#channel?.close();
  }

  readonly #restart = (): void => {
    this.#stop();
    if (document.visibilityState !== 'visible') return;
    const controller = new AbortController();
    const { signal } = controller;
    this.#stop = () => controller.abort();
    signal.addEventListener('abort', () => {
      this.#watch?.close();
      this.#watch = undefined;
    });
    if (this.#channel) this.#connectWithLock(this.#channel, signal);
    else this.#connect();
  };

  #connectWithLock(channel: BroadcastChannel, signal: AbortSignal): void {
    // A tab that is connected replies at once.
    channel.postMessage('request' satisfies TabMessage);
    const hold = () => {
      this.#connect();
      return new Promise<void>(release => signal.addEventListener('abort', () => release()));
    };
    // A browser that refuses the lock connects without; an abort ends the wait for another tab's lock.
    navigator.locks.request(this.#url, { signal }, hold).catch(() => signal.aborted || this.#connect());
  }

  #connect(): void {
    this.#watch = watchPoll(this.#url, {
      hz: this.#hz,
      page: true,
      onResults: results => this.#share({ results }),
      onState: state => this.#share({ state }),
    });
  }

  #share(message: TabMessage): void {
    this.#channel?.postMessage(message);
    this.#receive(message);
  }

  #receive(message: TabMessage): void {
    if (message === 'request') {
      if (!this.#watch) return;
      if (this.#results) this.#channel?.postMessage({ results: this.#results } satisfies TabMessage);
      if (this.#state) this.#channel?.postMessage({ state: this.#state } satisfies TabMessage);
    } else if ('results' in message) {
      this.#results = message.results;
      this.#listener.onResults(message.results);
    } else {
      this.#state = message.state;
      this.#listener.onState?.(message.state);
    }
  }
}

/** @returns undefined where tabs cannot share a connection */
function openChannel(name: string): BroadcastChannel | undefined {
  try {
    return typeof navigator.locks?.request === 'function' ? new BroadcastChannel(name) : undefined;
  } catch {
    return undefined;
  }
}

const FIRST_MS: Readonly<Record<PollStatus, number>> = { upcoming: 3_000, open: 15_000, closed: 30_000 };

interface StateListener {
  readonly onState: (state: StateMessage) => void;
  readonly onGone: () => void;
}

/** Requests the state of a poll now and then while the page is visible. It needs no connection to a relay. */
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
