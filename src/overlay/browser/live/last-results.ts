import type { ResultsBody } from '../../../protocol/messages.ts';

/** Older than this, what was known last says nothing about now. */
const KEPT_MS = 12 * 60 * 60 * 1000;
/** Votes come faster than a disk should hear of them. */
const KEEP_EVERY_MS = 2000;

interface StoredResults {
  readonly results: ResultsBody;
  readonly keptMs: number;
}

/**
 * What was on air last, kept in the browser, for a page that is loaded while the relay is away. Only for results
 * that anybody may see. A browser that keeps nothing (private mode, a sandbox) is no reason to fail.
 */
export class LastResults {
  readonly #slot: string;
  #wroteMs = 0;

  constructor(name: string) {
    this.#slot = `tallycast:${name}`;
  }

  keep(results: ResultsBody): void {
    const now = Date.now();
    if (now - this.#wroteMs < KEEP_EVERY_MS && results.status === 'open') return;
    this.#wroteMs = now;
    this.#try(() =>
      localStorage.setItem(this.#slot, JSON.stringify({ results, keptMs: now } satisfies StoredResults)),
    );
  }

  recall(): ResultsBody | undefined {
    return this.#try(() => {
      const kept = JSON.parse(localStorage.getItem(this.#slot) ?? 'null') as StoredResults | null;
      return kept && Date.now() - kept.keptMs < KEPT_MS ? kept.results : undefined;
    });
  }

  forget(): void {
    this.#try(() => localStorage.removeItem(this.#slot));
  }

  #try<T>(action: () => T): T | undefined {
    try {
      return action();
    } catch {
      return undefined;
    }
  }
}
