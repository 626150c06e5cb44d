import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PollTracker } from '../../src/client/poll-tracker.ts';
import { Hub } from '../../src/hub/hub.ts';
import type { Interest, Seat, Subscriber } from '../../src/hub/seat.ts';
import type { CloseEvent } from '../../src/protocol/close-event.ts';
import type { ServerMessage } from '../../src/protocol/messages.ts';
import { Connection } from '../../src/transport/connection.ts';
import { Recorder } from '../client/recorder.ts';
import { interest } from '../hub/subscriber-stub.ts';
import { completed } from '../support/completed.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { KEYS, OnePoll, POLL_ID } from '../support/one-poll.ts';
import { WireStub } from './wire-stub.ts';

const RUNS = 500;
const VIEW_KEY = { hash: KEYS.viewKeyHash, carrier: 'query' } as const;
/** What a watcher may ask for, but for compact. */
const wishes = fc.record({
  hz: fc.constantFrom(1, 10, 20),
  key: fc.constantFrom(undefined, VIEW_KEY),
  since: fc.constantFrom(undefined, 1, 5, 1_000),
});
const watcher = fc.nat(3);

/** What may happen to a poll, to those who watch it, and between its engine and a relay, with how often. */
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ act: fc.constant('vote' as const), answer: fc.nat(1) }) },
  { weight: 5, arbitrary: fc.record({ act: fc.constant('wait' as const), ms: fc.nat(400) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('block' as const), watcher }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('free' as const), watcher }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('join' as const), wishes }) },
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constantFrom(
        ...(['close', 'open', 'hide', 'show', 'deadline', 'no deadline', 'lose ballots'] as const),
        ...(['engine lost', 'engine back'] as const),
      ),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** A connection on a wire that a test blocks, and what the other side makes of what it gets. */
class Screen extends Connection implements Subscriber {
  readonly wire: WireStub;

  constructor(hub: Hub, asked: Interest) {
    const wire = new WireStub();
    super(wire, performance.now());
    this.wire = wire;
    hub.subscribe(POLL_ID, asked, this);
  }

  get messages(): ServerMessage[] {
    return this.wire.written.map(json => JSON.parse(json));
  }

  end(_: Seat, event: CloseEvent): void {
    throw new Error(`ended: ${event.reason}`);
  }

  /** What a client hands on. */
  watch(): Recorder {
    const seen = new Recorder();
    const tracker = new PollTracker(seen);
    for (const message of this.messages) tracker.take(message, 'websocket');
    return seen;
  }
}

describe('compact messages', () => {
  let one: OnePoll;
  let engine: EngineDouble;
  let hub: Hub;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    vi.advanceTimersByTime(10_000);
    begin();
  });
  afterEach(() => {
    hub.close();
    vi.useRealTimers();
  });

  const begin = () => {
    one = new OnePoll();
    engine = new EngineDouble(one.engine);
    hub = new Hub({ engine: engine.engine, isOperatorKey: () => false });
  };
  const join = async (asked: Partial<Interest> = {}) => {
    const screen = new Screen(hub, interest({ compact: true, ...asked }));
    await pass(200);
    return screen;
  };
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const set = async (changes: Parameters<OnePoll['set']>[0]) => {
    one.set({ version: (one.reading?.results.version ?? 0) + 1, ...changes });
    await one.hints.publish(POLL_ID);
    await pass(200);
  };
  const vote = async (answer = 0) => {
    const { votes = [], totalVoters = 0 } = one.reading?.results ?? {};
    const counted = votes.map((count, index) => (index === answer ? count + 1 : count));
    await set({ votes: counted, totalVoters: totalVoters + 1 });
  };
  const types = ({ messages }: Screen) => messages.map(({ type }) => type);

  it('are the same bytes for all who ask for them, and nobody else gets them', async () => {
    const [first, second, plain] = [await join(), await join({ hz: 20 }), await join({ compact: false })];
    const frames = [first, second].map(({ wire }) => vi.spyOn(wire, 'write'));
    await vote();
    const [one, other] = frames.map(write => write.mock.lastCall?.[0]);
    expect(one?.json).toMatch(/^{"type":"counts",/);
    expect(other).toBe(one);
    expect(types(plain)).toEqual(['results', 'results']);
  });

  it('P44: come as results where those before never reached the wire', async () => {
    const screen = await join();
    screen.wire.isFull = true;
    await vote();
    await set({ status: 'closed' });
    await set({ status: 'open', deadlineMs: 2_000_000_000_000 });
    await vote();
    expect(types(screen)).toEqual(['results', 'counts']);
    screen.wire.free();
    await vote();
    expect(types(screen)).toEqual(['results', 'counts', 'results', 'counts']);
    expect(screen.messages[2]).toMatchObject({ version: 5, deadline: '2033-05-18T03:33:20.000Z' });
  });

  it('a reset that could not be written is said when it can be', async () => {
    const screen = await join();
    await set({ version: 40, votes: [39, 0] });
    screen.wire.isFull = true;
    await vote();
    await set({ version: 12, votes: [11, 0] });
    await vote();
    screen.wire.free();
    expect(screen.messages.at(-1)).toMatchObject({ type: 'results', total_votes: 12, reset: true });
    await vote();
    expect(screen.messages.at(-1)).toMatchObject({ type: 'counts', votes: [13, 0] });
  });

  it('P45: come as results after current, because a version alone is no picture', async () => {
    const screen = await join({ since: 1 });
    await vote();
    await vote();
    expect(types(screen)).toEqual(['current', 'results', 'counts']);
  });

  it('P45: come as results after stale', async () => {
    const screen = await join();
    engine.lose();
    await pass(200);
    engine.giveBack();
    await vote();
    await vote();
    expect(types(screen)).toEqual(['results', 'stale', 'results', 'counts']);
  });

  it('P44: in any history give the same picture as full ones, message by message', async () => {
    let counts = 0;
    let blocked = 0;
    const history = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async steps => {
      begin();
      const pairs: [Screen, Screen][] = [];
      const joinBoth = async (asked: Partial<Interest>) => {
        pairs.push([
          new Screen(hub, interest(asked)),
          new Screen(hub, interest({ ...asked, compact: true })),
        ]);
        await pass(0);
      };
      await joinBoth({ hz: 20 });
      await joinBoth({ hz: 20, key: VIEW_KEY });
      for (const taken of steps) {
        if (taken.act === 'join') await joinBoth(taken.wishes);
        else await take(taken, pairs);
      }
      blocked += pairs.filter(([full]) => full.isBlocked).length;
      engine.giveBack();
      for (const pair of pairs) for (const { wire } of pair) wire.free();
      await pass(10_000);
      for (const [full, compact] of pairs) {
        expect(completed(compact.messages)).toEqual(full.messages);
        const [whole, handedOn] = [full.watch(), compact.watch()];
        expect(handedOn.results).toEqual(whole.results);
        expect(handedOn.states).toEqual(whole.states);
        counts += types(compact).filter(type => type === 'counts').length;
      }
      hub.close();
    });
    await fc.assert(history, { numRuns: RUNS });
    expect(Math.min(counts, blocked)).toBeGreaterThan(RUNS / 2);
  });

  async function take(taken: Exclude<Step, { act: 'join' }>, pairs: [Screen, Screen][]): Promise<void> {
    const { version = 0, votes = [] } = one.reading?.results ?? {};
    if (taken.act === 'vote') cast(taken.answer);
    else if (taken.act === 'wait') await pass(taken.ms);
    else if (taken.act === 'block' || taken.act === 'free')
      for (const { wire } of pairs[taken.watcher % pairs.length] ?? []) turn(wire, taken.act);
    else if (taken.act === 'engine lost') engine.lose();
    else if (taken.act === 'engine back') engine.giveBack();
    else if (taken.act === 'lose ballots')
      one.set({ version: Math.max(1, version - 3), votes: votes.map(half) });
    else one.set({ version: version + 1, ...CHANGES[taken.act] });
    await one.hints.publish(POLL_ID);
  }

  function cast(answer: number): void {
    const { version = 0, votes = [], totalVoters = 0 } = one.reading?.results ?? {};
    const counted = votes.map((count, index) => (index === answer ? count + 1 : count));
    one.set({ version: version + 1, votes: counted, totalVoters: totalVoters + 1 });
  }
});

const CHANGES = {
  close: { status: 'closed' },
  open: { status: 'open' },
  hide: { resultsVisibility: 'hidden' },
  show: { resultsVisibility: 'always' },
  deadline: { deadlineMs: 2_000_000_000_000 },
  'no deadline': { deadlineMs: null },
} as const;

function turn(wire: WireStub, act: 'block' | 'free'): void {
  if (act === 'free') wire.free();
  else wire.isFull = true;
}

const half = (count: number) => Math.floor(count / 2);
