// @module-tag redis-server
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Engine, HINT_WINDOW_MS, type Polls } from '../../src/engine/engine.ts';
import { engineWith } from '../../src/engine/engine-with.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { Hub } from '../../src/live/hub.ts';
import type { ResultsMessage } from '../../src/protocol/messages.ts';
import { ConnectionStub, subscriptionOptions } from '../live/connection-stub.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { Ledger } from '../support/ledger.ts';
import { LiveClient } from '../support/live-client.ts';
import { OnePoll, POLL_ID } from '../support/one-poll.ts';
import { redisRig } from '../support/redis-rig.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import { castBallots, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { Crowd } from './crowd.ts';
import { FORMS, type FormName, type RedisForm } from './forms.ts';
import { between, measured, randomOf, seed, size } from './plan.ts';
import { CONVERGES_MS, expectHistory, Screens } from './screens.ts';

/** Hints that die in silence, come late, twice or never, stop within a window, or are made up. */

const NOTICED_MS = 15_000;
const PUBLISH_EVERY_MS = 50;
/** When votes stop, and hints arrive. */
const EXACT_MS = 1_000;
const RATES = [5, 10, 20];
/**
 * A ballot right after the one that is hinted at, in the middle of its window, right before its
 * end, at it and after it.
 */
const EDGES_MS = [0, 5, 10, 15, HINT_WINDOW_MS - 2, HINT_WINDOW_MS - 1, HINT_WINDOW_MS, HINT_WINDOW_MS + 1];
/** Longer than a tick of the slowest: every lane is idle. */
const QUIET_MS = 450;

const BALLOTS = 40;
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

const rig = redisRig('file');
const { start, relayOn, clientOf, closeAfter } = redisRig();

describe.each(['the embedded engine', ...Object.keys(FORMS)])('hints on %s', name => {
  let form: RedisForm | undefined;
  beforeAll(async () => {
    form = name in FORMS ? await FORMS[name as FormName](rig) : undefined;
  });

  it.skipIf(!(name in FORMS))(
    'T9: where the link that listens dies in silence, results are right in five seconds, and it is noticed in 15',
    async () => {
      const { url, links } = form!;
      const voting = await relayOn(url);
      // Over the links that fail.
      const listening = await relayOn(links.url);
      const random = randomOf(`T9 ${name}`);
      const { id } = await voting.create();
      const screens = await Screens.open([listening], [id], 3);
      closeAfter(() => screens.close());
      let hints = 0;
      const { ready, unfollow } = listening.engine.hints.follow(id, () => {
        hints += 1;
      });
      await ready;
      const crowd = await Crowd.start({
        engines: [voting.engine],
        pollId: id,
        random,
        voters: 4,
        pauseMs: 10,
      });
      await crowd.more(20);

      links.each(link => link.setMode('blackhole', 'tallycast-hints'));
      const since = new Stopwatch();
      await crowd.more(between(random, 10, 100));
      await crowd.end();
      const convergedMs = await screens.showing(crowd.acknowledged);
      const before = hints;
      const publishing = setInterval(
        () => void voting.engine.hints.publish(id).catch(() => {}),
        PUBLISH_EVERY_MS,
      );
      await until(() => hints > before, 'a hint', 30_000).finally(() => clearInterval(publishing));
      const noticedMs = since.ms;
      await crowd.ledger.expectExact(voting.engine);
      screens.expectFollowed();
      measured(
        'T9',
        `${name}: screens exact ${(convergedMs / 1_000).toFixed(1)} s after the last ballot, hints heard again after ${(noticedMs / 1_000).toFixed(1)} s`,
      );
      expect(convergedMs).toBeLessThan(CONVERGES_MS);
      expect(noticedMs).toBeLessThan(NOTICED_MS);
      unfollow();
    },
  );

  /** Ballots within a window publish no hint, and here nothing is swept: a relay that doesn't read again stays late. */
  describe('the last ballot of a window', () => {
    const open = async (): Promise<{ relay: TestRelay; engines: Engine[] }> => {
      if (!form) {
        const own = await relayOn();
        return {
          relay: await relayOn(undefined, { engine: withoutSweep(own.engine) }),
          engines: [own.engine],
        };
      }
      const [inner, ...engines] = await Promise.all([1, 2, 3].map(() => openEngine({ redisUrl: form?.url })));
      for (const engine of [...engines, inner!]) closeAfter(() => engine.close());
      return { relay: await relayOn(undefined, { engine: withoutSweep(inner!) }), engines };
    };

    it('is on every screen in time, from any front end and at any time', async () => {
      const { relay, engines } = await open();
      // A poll for each moment: windows are the poll's own.
      await Promise.all(
        EDGES_MS.map(async (edgeMs, at) => {
          const { id } = await relay.create();
          const clients = await Promise.all(
            RATES.map(hz => LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live?hz=${hz}`)),
          );
          for (const client of clients) closeAfter(() => client.close());
          // When every lane rests, and out of step with all.
          for (const [turn, quietMs] of [QUIET_MS, 60 + at * 7].entries()) {
            await pause(quietMs);
            const [first, last] = (turn + at) % 2 === 0 ? engines : engines.toReversed();
            await castBallots(first as Engine, id, 0, 1);
            await pause(edgeMs);
            await castBallots((last ?? first) as Engine, id, 0, 1);
            const since = new Stopwatch();
            await Promise.all(clients.map(client => client.results(2 * (turn + 1))));
            expect(since.ms).toBeLessThan(EXACT_MS);
          }
        }),
      );
    }, 120_000);

    it('is on the screen of a client that connects in the middle of it', async () => {
      const { relay, engines } = await open();
      const come = async (edgeMs: number) => {
        const { id } = await relay.create();
        await castBallots(engines[0] as Engine, id, 0, 1);
        const opening = LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live`);
        await pause(edgeMs);
        await castBallots(engines.at(-1) as Engine, id, 0, 1);
        const client = await opening;
        await client.message(({ type }) => type === 'results', 'the first results');
        await castBallots(engines.at(-1) as Engine, id, 0, 1);
        await client.results(3);
        client.close();
      };
      await Promise.all(EDGES_MS.map(come));
    }, 120_000);
  });
});

function withoutSweep(engine: Engine): Engine {
  return engineWith(engine, { polls: { findRevisions: () => new Promise(() => {}) } });
}

it('a poll whose first subscriber comes while Redis stalls moves by hints as soon as it answers, not by the sweep', async () => {
  const redis = await start();
  const inner = await openEngine({ redisUrl: redis.url });
  closeAfter(() => inner.close());
  let sweeps = 0;
  const findRevisions: Polls['findRevisions'] = ids => {
    sweeps += 1;
    return inner.polls.findRevisions(ids);
  };
  const relay = await relayOn(undefined, { engine: engineWith(inner, { polls: { findRevisions } }) });
  const { id } = await relay.create();
  // Longer than a command may take, shorter than a connection may be silent.
  await clientOf(redis).call('CLIENT', 'PAUSE', 2_000, 'ALL');
  const live = await LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live?hz=20`);
  closeAfter(() => live.close());
  await live.results(0);
  const before = sweeps;
  for (let votes = 1; votes <= BALLOTS; votes += 1) {
    await castBallots(inner, id, 0, 1);
    await live.results(votes);
  }
  // One by one: without hints each of them would have waited for a sweep of its own.
  expect(sweeps - before).toBeLessThan(BALLOTS / 2);
}, 120_000);

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
