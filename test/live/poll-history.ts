import fc from 'fast-check';
import { vi } from 'vitest';
import { Hub } from '../../src/live/hub.ts';
import type { Held } from '../../src/protocol/client-message.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { KEYS, OnePoll, POLL_ID } from '../support/one-poll.ts';
import type { ConnectionStub } from './connection-stub.ts';

export const VIEW_KEY = { hash: KEYS.viewKeyHash, carrier: 'query' } as const;

/** Options of a subscriber, except compact. */
export const wishes = fc.record({
  hz: fc.constantFrom(1, 10, 20),
  key: fc.constantFrom(undefined, VIEW_KEY),
  since: fc.constantFrom<Held | undefined>(
    undefined,
    ...[1, 5, 1_000].flatMap(version => [
      { version, position: undefined },
      { version, position: `${version}-other` },
    ]),
  ),
});
const watcher = fc.nat(3);

/** Events of a poll, its subscribers, and its engine, by frequency. */
export const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ act: fc.constant('vote' as const), answer: fc.nat(1) }) },
  { weight: 5, arbitrary: fc.record({ act: fc.constant('wait' as const), ms: fc.nat(400) }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('block' as const), watcher }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('free' as const), watcher }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('join' as const), wishes }) },
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constantFrom(
        'close',
        'open',
        'hide',
        'show',
        'deadline',
        'no deadline',
        'lose ballots',
        'remove votes',
        'count again',
        'engine lost',
        'engine back',
        'new keys',
      ),
    }),
  },
);
export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const CHANGES = {
  close: { status: 'closed' },
  open: { status: 'open' },
  hide: { resultsVisibility: 'hidden' },
  show: { resultsVisibility: 'always' },
  deadline: { deadlineMs: 2_000_000_000_000 },
  'no deadline': { deadlineMs: null },
  'count again': { voidedVotes: undefined },
} as const;

/** A poll, its engine and a hub with fake timers. */
export class PollHistory {
  readonly one = new OnePoll();
  readonly engine = new EngineDouble(this.one.engine);
  readonly hub = new Hub({ engine: this.engine.engine, isOperatorKey: () => false });

  /** @param connections of each watcher */
  async take(
    taken: Exclude<Step, { act: 'join' }>,
    connections: readonly (readonly ConnectionStub[])[],
  ): Promise<void> {
    const { version = 0, votes = [] } = this.one.reading?.results ?? {};
    if (taken.act === 'vote') this.#cast(taken.answer);
    else if (taken.act === 'wait') await vi.advanceTimersByTimeAsync(taken.ms);
    else if (taken.act === 'block' || taken.act === 'free')
      for (const connection of connections[taken.watcher % connections.length] ?? [])
        turn(connection, taken.act);
    else if (taken.act === 'engine lost') this.engine.lose();
    else if (taken.act === 'engine back') this.engine.giveBack();
    else if (taken.act === 'new keys') this.hub.reauthorize();
    else if (taken.act === 'lose ballots')
      this.one.set({ version: Math.max(1, version - 3), votes: votes.map(half) });
    else if (taken.act === 'remove votes')
      this.one.set({ version: version + 1, votes: votes.map(half), voidedVotes: version });
    else this.one.set({ version: version + 1, ...CHANGES[taken.act] });
    await this.one.hints.publish(POLL_ID);
  }

  #cast(answer: number): void {
    const { version = 0, votes = [], totalVoters = 0 } = this.one.reading?.results ?? {};
    const counted = votes.map((count, index) => (index === answer ? count + 1 : count));
    this.one.set({ version: version + 1, votes: counted, totalVoters: totalVoters + 1 });
  }
}

function turn(connection: ConnectionStub, act: 'block' | 'free'): void {
  if (act === 'free') connection.drain();
  else connection.isFull = true;
}

const half = (count: number) => Math.floor(count / 2);
