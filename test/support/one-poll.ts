import { EmbeddedHints } from '../../src/engine/embedded/embedded-hints.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { pollSettings, type Reading } from '../../src/poll/poll.ts';

export const POLL_ID = 'stubbedPoll1';
export const KEYS = { adminKeyHash: 'a'.repeat(64), viewKeyHash: 'b'.repeat(64) };

/** An engine of one poll whose state a test sets outright. */
export class OnePoll {
  reading: Reading | undefined = readingOf({});
  /** Without a reading: it was deleted, not lost. */
  isDeleted = true;
  readonly hints = new EmbeddedHints();
  readonly engine: Engine;

  constructor() {
    const polls = {
      find: async () => this.reading,
      findRevisions: async (ids: readonly string[]) =>
        ids.map(id => (id === POLL_ID ? this.reading?.results : undefined)),
    };
    const events = { wasDeleted: async () => this.isDeleted };
    this.engine = { polls, events, hints: this.hints, records: {}, comments: {} } as unknown as Engine;
  }

  set(changes: Partial<Reading['results']>, keys: Partial<Reading['keys']> = {}): void {
    if (!this.reading) return;
    const { results, ...rest } = this.reading;
    this.reading = { ...rest, keys: { ...rest.keys, ...keys }, results: { ...results, ...changes } };
  }

  /** One more ballot. */
  vote(): void {
    const { version = 0, votes = [] } = this.reading?.results ?? {};
    this.set({
      version: version + 1,
      votes: [(votes[0] ?? 0) + 1, votes[1] ?? 0],
      totalVoters: (votes[0] ?? 0) + 1,
    });
  }
}

export function readingOf(results: Partial<Reading['results']>): Reading {
  return {
    hintedAtMs: 0,
    poll: {
      id: POLL_ID,
      title: 'Stubbed',
      description: '',
      answers: [
        { id: 'one', text: 'One' },
        { id: 'two', text: 'Two' },
      ],
      settings: pollSettings({ sharedAddress: true, allowVpn: true }),
      image: null,
      createdAtMs: 0,
    },
    keys: KEYS,
    results: {
      version: 1,
      votes: [0, 0],
      totalVoters: 0,
      status: 'open',
      deadlineMs: null,
      resultsVisibility: 'always',
      readAtMs: 1_000_000,
      ...results,
    },
  };
}
