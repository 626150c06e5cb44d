import type { ClientMessage } from '../protocol/messages.ts';
import { PollTracker } from './poll-tracker.ts';
import { guarded, type WatchListener } from './watch-state.ts';

/** One poll on a shared connection, and everybody on this page who watches it. */
export class SharedPoll extends PollTracker {
  readonly id: string;
  /** The first key that anybody showed: what one watcher may see, the page may see. */
  key: string | undefined;
  /** The relay was asked for it, and not merely for a show that points to it. */
  isAsked = false;
  readonly #listeners: Set<WatchListener>;

  constructor(id: string) {
    const listeners = new Set<WatchListener>();
    super({
      onResults: results => {
        for (const { onResults } of listeners) guarded(onResults, results);
      },
      onState: state => {
        for (const { onState } of listeners) guarded(onState, state);
      },
    });
    this.id = id;
    this.#listeners = listeners;
  }

  get isUnwatched(): boolean {
    return this.#listeners.size === 0;
  }

  /** To be said, now or on opening. */
  get subscribe(): ClientMessage {
    this.isAsked = true;
    const { id, key, since } = this;
    return { type: 'subscribe', id, key, since };
  }

  /** Whoever comes later is told at once what the others know. */
  add(listener: WatchListener): void {
    this.#listeners.add(listener);
    const { results, state } = this;
    queueMicrotask(() => {
      // What came in between has been told already.
      if (!this.#listeners.has(listener) || this.state !== state || this.results !== results) return;
      if (results) guarded(listener.onResults, results);
      if (state.state !== 'connecting' || state.attempts > 0) guarded(listener.onState, state);
    });
  }

  remove(listener: WatchListener): void {
    this.#listeners.delete(listener);
  }
}
