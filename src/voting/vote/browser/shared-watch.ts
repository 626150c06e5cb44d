import {
  type ResultsMessage,
  type Watch,
  type WatchListener,
  type WatchState,
  watchPoll,
} from '../../../client/watch-poll.ts';

/** What tabs tell each other. */
type Word = { readonly results: ResultsMessage } | { readonly state: WatchState } | 'news?';

/**
 * Watches a poll as `watchPoll` does, over one connection for all tabs of this browser: the tab that holds the poll's lock
 * listens, and tells the others. A tab that nobody sees gives up the lock, and with it the connection, as a phone might let it
 * stand still. Where a browser has no locks, which is on plain HTTP, each tab listens for itself, while it is seen.
 */
export class SharedWatch implements Watch {
  readonly #url: string;
  readonly #hz: number;
  readonly #listener: WatchListener;
  readonly #channel: BroadcastChannel | undefined;
  #watch: Watch | undefined;
  #results: ResultsMessage | undefined;
  #state: WatchState | undefined;
  #leave = () => {};

  constructor(url: string, hz: number, listener: WatchListener) {
    this.#url = url;
    this.#hz = hz;
    this.#listener = listener;
    this.#channel = navigator.locks ? new BroadcastChannel(`tallycast ${url}`) : undefined;
    this.#channel?.addEventListener('message', ({ data }: MessageEvent<Word>) => this.#hear(data));
    document.addEventListener('visibilitychange', this.#follow);
    this.#follow();
  }

  close(): void {
    document.removeEventListener('visibilitychange', this.#follow);
    this.#leave();
    this.#channel?.close();
  }

  readonly #follow = (): void => {
    this.#leave();
    if (document.visibilityState !== 'visible') return;
    const leaving = new AbortController();
    const { signal } = leaving;
    this.#leave = () => leaving.abort();
    signal.addEventListener('abort', () => this.#unlisten());
    if (this.#channel) this.#share(this.#channel, signal);
    else this.#listen();
  };

  #share(channel: BroadcastChannel, signal: AbortSignal): void {
    // Who listens already says at once what it knows.
    channel.postMessage('news?' satisfies Word);
    const holding = navigator.locks.request(this.#url, { signal }, () => {
      this.#listen();
      return new Promise<void>(release => signal.addEventListener('abort', () => release()));
    });
    // Left while another tab held it.
    holding.catch(() => {});
  }

  #listen(): void {
    this.#watch = watchPoll(this.#url, {
      hz: this.#hz,
      onResults: results => this.#tell({ results }),
      onState: state => this.#tell({ state }),
    });
  }

  #unlisten(): void {
    this.#watch?.close();
    this.#watch = undefined;
  }

  #tell(word: Word): void {
    this.#channel?.postMessage(word);
    this.#hear(word);
  }

  #hear(word: Word): void {
    if (word === 'news?') {
      if (!this.#watch) return;
      if (this.#results) this.#channel?.postMessage({ results: this.#results } satisfies Word);
      if (this.#state) this.#channel?.postMessage({ state: this.#state } satisfies Word);
    } else if ('results' in word) {
      this.#results = word.results;
      this.#listener.onResults(word.results);
    } else {
      this.#state = word.state;
      this.#listener.onState?.(word.state);
    }
  }
}
