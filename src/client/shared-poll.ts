import type { ClientMessage } from '../protocol/messages.ts';
import { PollTracker } from './poll-tracker.ts';
import { guarded, type WatchListener } from './watch-state.ts';

/** One poll on a shared connection, and everybody on this page who watches it. */
export class SharedPoll {
  readonly id: string;
  readonly tracker: PollTracker;
  /** The first key that anybody showed: what one watcher may see, the page may see. */
  key: string | undefined;
  readonly #listeners = new Set<WatchListener>();

  constructor(id: string) {
    this.id = id;
    this.tracker = new PollTracker({
      onResults: results => {
        for (const { onResults } of this.#listeners) guarded(onResults, results);
      },
      onState: state => {
        for (const { onState } of this.#listeners) guarded(onState, state);
      },
    });
  }

  get isUnwatched(): boolean {
    return this.#listeners.size === 0;
  }

  get subscribe(): ClientMessage {
    return { type: 'subscribe', id: this.id, key: this.key, since: this.tracker.since };
  }

  get unsubscribe(): ClientMessage {
    return { type: 'unsubscribe', id: this.id };
  }

  /** Whoever comes later is told at once what the others know. */
  add(listener: WatchListener): void {
    this.#listeners.add(listener);
    const { results, state } = this.tracker;
    queueMicrotask(() => {
      // What came in between has been told already.
      if (!this.#listeners.has(listener) || this.tracker.state !== state || this.tracker.results !== results)
        return;
      if (results) guarded(listener.onResults, results);
      if (state.state !== 'connecting' || state.attempts > 0) guarded(listener.onState, state);
    });
  }

  remove(listener: WatchListener): void {
    this.#listeners.delete(listener);
  }
}
