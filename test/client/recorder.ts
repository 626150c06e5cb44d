import type { ResultsMessage, WatchListener, WatchState } from '../../src/client/watch-state.ts';

/** Records the calls of a listener, and lets a test wait for them. */
export class Recorder implements WatchListener {
  readonly results: ResultsMessage[] = [];
  readonly states: WatchState[] = [];
  readonly shows: (string | null)[] = [];
  readonly #waiting = new Set<() => void>();

  get versions(): number[] {
    return this.results.map(({ version }) => version);
  }

  get last(): WatchState | undefined {
    return this.states.at(-1);
  }

  readonly onResults = (results: ResultsMessage): void => {
    this.results.push(results);
    this.#recheck();
  };

  readonly onState = (state: WatchState): void => {
    this.states.push(state);
    this.#recheck();
  };

  readonly onShow = (id: string | null): void => {
    this.shows.push(id);
    this.#recheck();
  };

  /** Resolves when the predicate holds. The timeout of the test is the limit. */
  until(predicate: (recorder: this) => boolean): Promise<void> {
    return new Promise(resolve => {
      const check = (): void => {
        if (!predicate(this)) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }

  state(name: WatchState['state']): Promise<void> {
    return this.until(({ last }) => last?.state === name);
  }

  version(version: number): Promise<void> {
    return this.until(({ results }) => results.at(-1)?.version === version);
  }

  #recheck(): void {
    for (const check of [...this.#waiting]) check();
  }
}
