// @module-tag redis-server
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Hub } from '../../src/live/hub.ts';
import type { ResultsMessage } from '../../src/protocol/messages.ts';
import { ConnectionStub, subscriptionOptions } from '../live/connection-stub.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { Ledger } from '../support/ledger.ts';
import { OnePoll, POLL_ID } from '../support/one-poll.ts';
import { redisRig } from '../support/redis-rig.ts';
import { measured, randomOf, seed, size } from './plan.ts';
import { CONVERGES_MS, expectHistory, Screens } from './screens.ts';

const HISTORIES = size(1_000, 10_000);
const GARBAGE = size(2_000, 20_000);
const HZ = [1, 10, 20];

/** What may happen between an engine and a relay, with how often. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.constant('vote' as const), answer: fc.nat(1) }) },
  {
    weight: 4,
    arbitrary: fc.record({ act: fc.constant('hint' as const), times: fc.integer({ min: 1, max: 5 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 400 }) }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('answer' as const), which: fc.nat(9) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant('lose' as const),
      ballots: fc.integer({ min: 1, max: 9 }),
      isNoticed: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constantFrom('hold' as const, 'engine lost' as const, 'engine back' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('join' as const), hz: fc.constantFrom(...HZ) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

describe('T13 hints that are late, doubled, lost or made up', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    vi.advanceTimersByTime(10_000);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('T13: in random histories no version goes back in silence, and the end is exact', async () => {
    let resets = 0;
    const history = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async steps => {
      const one = new OnePoll();
      const engine = new EngineDouble(one.engine);
      const hub = new Hub({ engine: engine.engine, isOperatorKey: () => false });
      const subscribers = HZ.map(hz => join(hub, hz));
      for (const taken of steps) {
        if (taken.act === 'join') subscribers.push(join(hub, taken.hz));
        else await take(taken, one, engine);
      }
      // The engine answers again, and no hint comes any more: only the sweep is left.
      for (const held of engine.held?.splice(0) ?? []) held();
      engine.held = undefined;
      if (engine.lost) engine.giveBack();
      await vi.advanceTimersByTimeAsync(CONVERGES_MS);
      const { version, votes } = one.reading?.results ?? {};
      for (const subscriber of subscribers) {
        const messages = subscriber.messages as unknown as ResultsMessage[];
        const results = messages.filter(({ type }) => type === 'results');
        expectHistory(results);
        resets += results.filter(({ reset }) => reset).length;
        const last = messages.at(-1);
        expect(last).toMatchObject({ type: 'results', version });
        expect(last?.poll_answers.map(answer => answer.votes)).toEqual(votes);
      }
      hub.close();
    });
    await fc.assert(history, { numRuns: HISTORIES, seed });
    measured(
      'T13',
      `${HISTORIES} random histories: 0 went back in silence (${resets} resets), all exact in the end`,
    );
    expect(resets).toBeGreaterThan(0);
  });
});

function join(hub: Hub, hz: number): ConnectionStub {
  const subscriber = new ConnectionStub();
  hub.subscribe(POLL_ID, subscriptionOptions({ hz }), subscriber);
  return subscriber;
}

async function take(
  taken: Exclude<Step, { act: 'join' }>,
  one: OnePoll,
  engine: EngineDouble,
): Promise<void> {
  if (taken.act === 'vote') vote(one, taken.answer);
  else if (taken.act === 'lose') lose(one, engine, taken);
  else if (taken.act === 'hint')
    for (let time = 0; time < taken.times; time += 1) await one.hints.publish(POLL_ID);
  else if (taken.act === 'wait') await vi.advanceTimersByTimeAsync(taken.ms);
  else if (taken.act === 'answer') answerRead(engine, taken.which);
  else if (taken.act === 'hold') engine.held ??= [];
  else if (taken.act === 'engine lost') engine.lose();
  else engine.giveBack();
}

/** Whichever read that waits is answered first, with what it found when it was asked. */
function answerRead({ held = [] }: EngineDouble, which: number): void {
  for (const answer of held.splice(which % Math.max(1, held.length), 1)) answer();
}

function vote(one: OnePoll, answer: number): void {
  const { version = 0, votes = [], totalVoters = 0 } = one.reading?.results ?? {};
  const counted = votes.map((count, index) => (index === answer ? count + 1 : count));
  one.set({ version: version + 1, votes: counted, totalVoters: totalVoters + 1 });
}

/** The engine comes back with less, as after a failover, and its connections notice or do not. */
function lose(
  one: OnePoll,
  engine: EngineDouble,
  { ballots, isNoticed }: { ballots: number; isNoticed: boolean },
): void {
  const { version = 0, votes = [] } = one.reading?.results ?? {};
  const [first = 0, second = 0] = votes;
  const lost = Math.min(ballots, first);
  one.set({ version: version - lost, votes: [first - lost, second], totalVoters: first - lost + second });
  if (isNoticed) for (const available of [false, true]) engine.announce(available);
}

const { start, relayOn, clientOf, closeAfter } = redisRig();

describe('T13 garbage on the channels', () => {
  it('T13: malformed messages on the channels change nothing and stop nothing', async () => {
    const random = randomOf('T13');
    const redis = await start();
    const relay = await relayOn(redis.url);
    const ids = [(await relay.create()).id, (await relay.create()).id];
    const screens = await Screens.open([relay], ids);
    closeAfter(() => screens.close());
    const client = clientOf(redis);
    const channels = [
      ...ids.map(id => `tallycast:{${id}}:hints`),
      'tallycast:{none}:hints',
      'tallycast:',
      '',
    ];
    for (let sent = 0; sent < GARBAGE; sent += 1) {
      const bytes = Buffer.from(
        Array.from({ length: 1 + Math.floor(random() * 64) }, () => Math.floor(random() * 256)),
      );
      const message = random() < 0.01 ? Buffer.alloc(1_000_000, bytes) : bytes;
      await client.publish(channels[Math.floor(random() * channels.length)] as string, message);
    }
    const ledger = new Ledger(ids[0] as string);
    const [answer = ''] = (await relay.read(ids[0] as string)).poll_answers.map(({ id }) => id);
    await ledger.cast(relay.engine, ledger.draw(answer, 1));
    await screens.clients[0]?.results(1);
    screens.expectFollowed();
    expect(screens.clients[1]?.messages).toHaveLength(1);
    measured('T13', `${GARBAGE} messages of garbage on the channels: nothing shown, nothing stopped`);
  });
});
