import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Hub } from '../../src/live/hub.ts';
import type { SubscriptionOptions } from '../../src/live/subscription.ts';
import type { Held } from '../../src/protocol/client-message.ts';
import { completed } from '../support/completed.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { KEYS, OnePoll, POLL_ID } from '../support/one-poll.ts';
import { type ConnectionStub, Screen, subscriptionOptions } from './connection-stub.ts';

const RUNS = 500;

const VIEW_KEY = { hash: KEYS.viewKeyHash, carrier: 'query' } as const;

/** Options of a subscriber, except compact. */
const wishes = fc.record({
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
const step = fc.oneof(
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
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

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
class PollHistory {
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

describe('compact messages', () => {
  let history: PollHistory;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    vi.advanceTimersByTime(10_000);
    history = new PollHistory();
  });
  afterEach(() => {
    history.hub.close();
    vi.useRealTimers();
  });

  const join = async (asked: Partial<SubscriptionOptions> = {}) => {
    const screen = new Screen(history.hub, subscriptionOptions({ compact: true, ...asked }));
    await pass(200);
    return screen;
  };
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const set = async (changes: Parameters<PollHistory['one']['set']>[0]) => {
    const { one } = history;
    one.set({ version: (one.reading?.results.version ?? 0) + 1, ...changes });
    await one.hints.publish(POLL_ID);
    await pass(200);
  };
  const vote = async (answer = 0) => {
    const { votes = [], totalVoters = 0 } = history.one.reading?.results ?? {};
    const counted = votes.map((count, index) => (index === answer ? count + 1 : count));
    await set({ votes: counted, totalVoters: totalVoters + 1 });
  };
  const types = ({ messages }: Screen) => messages.map(({ type }) => type);

  it('are the same bytes for all compact subscribers, and no other gets them', async () => {
    const [first, second, plain] = [await join(), await join({ hz: 20 }), await join({ compact: false })];
    const frames = [first, second].map(screen => vi.spyOn(screen, 'write'));
    await vote();
    const [one, other] = frames.map(write => write.mock.lastCall?.[0]);
    expect(one?.json).toMatch(/^{"type":"counts",/);
    expect(other).toBe(one);
    expect(types(plain)).toEqual(['results', 'results']);
  });

  it('P44: are replaced by results after results that were dropped', async () => {
    const screen = await join();
    screen.isFull = true;
    await vote();
    await set({ status: 'closed' });
    await set({ status: 'open', deadlineMs: 2_000_000_000_000 });
    await vote();
    expect(types(screen)).toEqual(['results', 'counts']);
    screen.drain();
    await vote();
    expect(types(screen)).toEqual(['results', 'counts', 'results', 'counts']);
    expect(screen.messages[2]).toMatchObject({ version: 5, deadline: '2033-05-18T03:33:20.000Z' });
  });

  it('a reset that could not be written is sent on drain', async () => {
    const screen = await join();
    await set({ version: 40, votes: [39, 0] });
    screen.isFull = true;
    await vote();
    await set({ version: 12, votes: [11, 0] });
    await vote();
    screen.drain();
    expect(screen.messages.at(-1)).toMatchObject({ type: 'results', total_votes: 12, reset: true });
    await vote();
    expect(screen.messages.at(-1)).toMatchObject({ type: 'counts', votes: [13, 0] });
  });

  it('P44: carry the same content as full ones in any history, message by message', async () => {
    let counts = 0;
    let blocked = 0;
    const anyHistory = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async steps => {
      history = new PollHistory();
      const pairs: [Screen, Screen][] = [];
      const joinBoth = async (asked: Partial<SubscriptionOptions>) => {
        pairs.push([
          new Screen(history.hub, subscriptionOptions(asked)),
          new Screen(history.hub, subscriptionOptions({ ...asked, compact: true })),
        ]);
        await pass(0);
      };
      await joinBoth({ hz: 20 });
      await joinBoth({ hz: 20, key: VIEW_KEY });
      for (const taken of steps) {
        if (taken.act === 'join') await joinBoth(taken.wishes);
        else await history.take(taken, pairs);
      }
      blocked += pairs.filter(([full]) => full.isBlocked).length;
      history.engine.giveBack();
      for (const pair of pairs) for (const screen of pair) screen.drain();
      await pass(10_000);
      for (const [full, compact] of pairs) {
        expect(completed(compact.messages)).toEqual(full.messages);
        const [whole, handedOn] = [full.watch(), compact.watch()];
        expect(handedOn.results).toEqual(whole.results);
        expect(handedOn.states).toEqual(whole.states);
        counts += types(compact).filter(type => type === 'counts').length;
      }
      history.hub.close();
    });
    await fc.assert(anyHistory, { numRuns: RUNS });
    expect(Math.min(counts, blocked)).toBeGreaterThan(RUNS / 2);
  });
});
