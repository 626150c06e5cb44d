// @module-tag redis-server
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openTables, storeIn } from '../../src/engine/embedded/embedded-tables.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { redisKeys } from '../../src/engine/redis/redis-store.ts';
import { positionOf } from '../../src/live/results-body.ts';
import type { Reading } from '../../src/poll/poll.ts';
import type { ResultsBody, ResultsMessage, ServerMessage } from '../../src/protocol/messages.ts';
import { ask } from '../support/api-request.ts';
import { completed } from '../support/completed.ts';
import { EventClient } from '../support/event-client.ts';
import { LiveClient } from '../support/live-client.ts';
import { redisRig } from '../support/redis-rig.ts';
import { inMessages, startTestRelay, type TestRelay, untilAvailable } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

/** An engine that comes back with less than it had, and then reaches the same version with other counts. */

const { start, relayOn, clientOf, closeAfter } = redisRig();

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-'));
  closeAfter(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function embeddedRelay(dataDir: string): Promise<TestRelay> {
  const engine = await openEngine({ dataDir });
  const relay = await startTestRelay({ engine });
  const close = async () => {
    await relay.close();
    await engine.close();
  };
  closeAfter(close);
  return { ...relay, close };
}

/** A relay, and how to go back to a backup. */
interface Restorable {
  readonly relay: TestRelay;
  backUp(): Promise<() => Promise<TestRelay>>;
}

const ENGINES: Record<string, () => Promise<Restorable>> = {
  'the embedded engine': async () => {
    const [dataDir, backup] = [await makeFolder(), await makeFolder()];
    const relay = await embeddedRelay(dataDir);
    return {
      relay,
      async backUp() {
        await relay.engine.archive.copyTo(join(backup, 'copy'));
        return async () => {
          await relay.close();
          await rm(dataDir, { recursive: true });
          await mkdir(dataDir);
          await cp(join(backup, 'copy'), storeIn(dataDir));
          return embeddedRelay(dataDir);
        };
      },
    };
  },
  Redis: async () => {
    const redis = await start();
    const relay = await relayOn(redis.url);
    return {
      relay,
      async backUp() {
        await clientOf(redis).save();
        return async () => {
          await redis.restart();
          return relayOn(redis.url);
        };
      },
    };
  },
};

describe.each(Object.entries(ENGINES))('an older backup of %s, with votes to the same version', (_, open) => {
  /** The position that was shown before, and a relay at which others have its version now. */
  async function restored(): Promise<{
    relay: TestRelay;
    id: string;
    before: ResultsBody;
    now: ResultsBody;
  }> {
    const { relay: first, backUp } = await open();
    const { id } = await first.create();
    await first.cast(id, 0, 2);
    const restore = await backUp();
    await first.cast(id, 0, 3);
    const before = await first.read(id);
    const relay = await restore();
    expect(await relay.read(id)).toMatchObject({ version: 3, total_votes: 2 });
    await relay.cast(id, 1, 3);
    const now = inMessages(await relay.read(id));
    expect([now.version, now.total_votes]).toEqual([before.version, before.total_votes]);
    return { relay, id, before, now };
  }

  it('sends full results with reset on a WebSocket', async () => {
    const { relay, id, before, now } = await restored();
    const live = await LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live?since=${before.position}`);
    closeAfter(() => live.close());
    await live.until(() => live.messages.length > 0, 'the first message');
    expect(live.messages[0]).toEqual({ ...now, type: 'results', reset: true, timestamp: expect.any(Number) });
  });

  it('sends full results with reset on an event stream', async () => {
    const { relay, id, before, now } = await restored();
    const headers = { 'last-event-id': before.position };
    const events = await EventClient.open(`${relay.url}/api/poll/${id}/live`, headers);
    closeAfter(() => events.close());
    await until(() => events.events.length > 0, 'the first event');
    expect(events.events[0]).toEqual({
      id: now.position,
      message: { ...now, type: 'results', reset: true, timestamp: expect.any(Number) },
    });
  });

  it('replies 200 to a read', async () => {
    const { relay, id, before, now } = await restored();
    const read = (etag: string) => ask(`${relay.url}/api/poll/${id}`, { headers: { 'if-none-match': etag } });
    const reply = await read(`W/"${before.position}"`);
    expect([reply.status, reply.headers.get('etag')]).toEqual([200, `W/"${now.position}"`]);
    expect(inMessages(reply.json)).toEqual({ ...now, timestamp: expect.any(Number) });
    expect((await read(`W/"${now.position}"`)).status).toBe(304);
  });
});

/** What may happen to one poll. Nothing that is lost is hinted at. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('vote' as const), answer: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constantFrom('save', 'lose', 'read', 'reopen') }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('close', 'open', 'wait') }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('refill' as const), ballots: fc.integer({ min: 1, max: 3 }) }),
  },
);
const histories = fc.array(step, { minLength: 4, maxLength: 10 });
const SIDE_BY_SIDE = 60;
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Keeps a poll as it is now. @returns puts it back, in silence */
type Keep = (id: string) => Promise<() => Promise<unknown>>;

/** What screens of one poll show, each by one wire, through a history of losses. */
class Witnesses {
  readonly #relay: TestRelay;
  readonly #keep: Keep;
  readonly #id: string;
  readonly #live: LiveClient[] = [];
  #events: EventClient | undefined;
  #read: ResultsBody | undefined;
  /** What the screens showed when they connected, and what they were sent before that. */
  #held: (ResultsMessage | undefined)[] = [];
  readonly #earlier: ResultsMessage[] = [];
  #kept: (() => Promise<unknown>) | undefined;

  constructor(relay: TestRelay, keep: Keep, id: string) {
    this.#relay = relay;
    this.#keep = keep;
    this.#id = id;
  }

  async follow(steps: readonly Step[]): Promise<{ wrong: number; forks: number }> {
    await this.#connect();
    for (const taken of steps) await this.#take(taken);
    const position = await this.#exact();
    await this.#readAgain();
    const { results } = (await this.#stored())[0];
    // Every position that was ever shown is a claim that some screen may come back with.
    const seen = new Map(this.#all().map(message => [message.position, message.version]));
    let wrong = this.#read?.position === position && shows(this.#read, results.votes) ? 0 : 1;
    for (const [claimed, version] of seen) if (!(await this.#resume(claimed, version, position))) wrong += 1;
    // Again, because what was read before the loss may have come after the first look.
    await this.#exact();
    for (const screen of this.#screens()) if (!screen || !shows(screen, results.votes)) wrong += 1;
    for (const each of [...this.#live, this.#events]) each?.close();
    const forks = [...seen].filter(([at, version]) => at !== position && version === results.version);
    return { wrong, forks: forks.length };
  }

  /** Until every screen shows what is stored. @returns its position */
  async #exact(): Promise<string> {
    let position = '';
    const isExact = async () => {
      [, position] = await this.#stored();
      return this.#screens().every(shown => shown?.position === position);
    };
    await until(isExact, 'every screen to show what is stored');
    return position;
  }

  async #take(taken: Step): Promise<void> {
    if (taken.act === 'vote') {
      const [{ results }] = await this.#stored();
      if (results.status === 'open') await this.#relay.cast(this.#id, (taken as { answer: number }).answer);
    } else if (taken.act === 'save') this.#kept = await this.#keep(this.#id);
    else if (taken.act === 'lose') await this.#kept?.();
    else if (taken.act === 'read') await this.#readAgain();
    else if (taken.act === 'reopen') await this.#connect();
    else if (taken.act === 'wait') await this.#seen();
    else if (taken.act === 'refill') await this.#refill((taken as { ballots: number }).ballots);
    else await this.#setClosed(taken.act === 'close');
  }

  /** The same version with other votes, told by no hint. */
  async #refill(ballots: number): Promise<void> {
    const before = await this.#keep(this.#id);
    await this.#reach(1, ballots);
    const other = await this.#keep(this.#id);
    await before();
    await this.#reach(0, ballots);
    await this.#seen();
    await other();
  }

  async #reach(answer: number, ballots: number): Promise<void> {
    await this.#setClosed(false);
    await this.#relay.cast(this.#id, answer, ballots);
  }

  async #stored(): Promise<[reading: Reading, position: string]> {
    const reading = (await this.#relay.engine.polls.find(this.#id))!;
    return [reading, positionOf(reading)];
  }

  /** Said again where the engine is late, as on a busy machine. */
  async #setClosed(closed: boolean): Promise<void> {
    const change = () => this.#relay.engine.polls.change(this.#id, { closed });
    await untilAvailable(isLast => change().catch(error => (isLast ? Promise.reject(error) : undefined)));
  }

  /** Until one screen shows what is stored. */
  async #seen(): Promise<void> {
    await until(async () => this.#screens()[0]?.position === (await this.#stored())[1], 'a screen');
  }

  /** Screens come back with what they show. */
  async #connect(): Promise<void> {
    this.#held = this.#screens();
    this.#earlier.splice(0, this.#earlier.length, ...this.#all());
    const [plain, compact, event] = this.#held.map(shown => shown?.position);
    for (const each of [...this.#live, this.#events]) each?.close();
    const url = `${this.#relay.wsUrl}/api/poll/${this.#id}/live?hz=20`;
    const held = (position?: string) => (position === undefined ? '' : `&since=${position}`);
    const headers = event === undefined ? {} : { 'last-event-id': event };
    const [first, second, events] = await Promise.all([
      LiveClient.open(url + held(plain)),
      LiveClient.open(`${url}&compact=1${held(compact)}`),
      EventClient.open(`${this.#relay.url}/api/poll/${this.#id}/live`, headers),
    ]);
    this.#live.splice(0, 2, first, second);
    this.#events = events;
    await until(() => this.#wires().every(messages => messages.length > 0), 'first messages');
  }

  /** As a polling page: keeps its content on 304. */
  async #readAgain(): Promise<void> {
    const etag = this.#read && { 'if-none-match': `W/"${this.#read.position}"` };
    const reply = await fetch(`${this.#relay.url}/api/poll/${this.#id}`, { headers: { ...etag } });
    if (reply.status === 200) this.#read = (await reply.json()) as ResultsBody;
    else expect(reply.status).toBe(304);
  }

  /** @returns whether one that claims this position is shown what is stored, by every wire */
  async #resume(claimed: string, version: number, position: string): Promise<boolean> {
    const path = `/api/poll/${this.#id}`;
    const live = await LiveClient.open(`${this.#relay.wsUrl}${path}/live?since=${claimed}`);
    const events = await EventClient.open(`${this.#relay.url}${path}/live`, { 'last-event-id': claimed });
    await until(() => live.messages.length > 0 && events.events.length > 0, 'first messages');
    const headers = { 'if-none-match': `W/"${claimed}"` };
    const { status } = await fetch(`${this.#relay.url}${path}`, { headers });
    for (const each of [live, events]) each.close();
    const isHeld = claimed === position;
    const now = Number.parseInt(position, 10);
    const isRight = (message: ServerMessage | undefined) =>
      isHeld
        ? message?.type === 'current' && message.position === position
        : message?.type === 'results' &&
          message.position === position &&
          (message.reset === true) === version >= now;
    return [live.messages[0], events.events[0]?.message].every(isRight) && status === (isHeld ? 304 : 200);
  }

  /** What each wire has brought since it was opened. */
  #wires(): ServerMessage[][] {
    return [
      ...this.#live.map(({ messages }) => messages),
      this.#events?.events.map(({ message }) => message) ?? [],
    ];
  }

  #all(): ResultsMessage[] {
    const results = this.#wires().flatMap(messages => completed(messages));
    return [
      ...this.#earlier,
      ...results.filter((message): message is ResultsMessage => message.type === 'results'),
    ];
  }

  /** What each screen shows: the newest that its wire has brought, else what it had before. */
  #screens(): (ResultsMessage | undefined)[] {
    return this.#wires().map((messages, screen) => {
      const results = completed(messages).filter(
        (message): message is ResultsMessage => message.type === 'results',
      );
      return results.at(-1) ?? this.#held[screen];
    });
  }
}

function shows({ poll_answers }: ResultsBody, votes: readonly number[]): boolean {
  return String(poll_answers.map(answer => answer.votes)) === String(votes);
}

async function expectNoneWrong(relay: TestRelay, keep: Keep, count: number): Promise<void> {
  const sampled = fc.sample(histories, { numRuns: count, seed: 20_261_123 });
  const outcomes: { wrong: number; forks: number }[] = [];
  const witness = async () => {
    for (let steps = sampled.pop(); steps; steps = sampled.pop()) {
      const { id } = await relay.create();
      outcomes.push(await new Witnesses(relay, keep, id).follow(steps));
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, witness));
  expect(outcomes.filter(({ wrong }) => wrong > 0)).toEqual([]);
  expect(outcomes.filter(({ forks }) => forks > 0).length).toBeGreaterThan(count / 10);
}

describe('a lost tail that no relay noticed', () => {
  it('leaves no client with wrong results in 1,000 random histories on the embedded engine', async () => {
    const dataDir = await makeFolder();
    const relay = await embeddedRelay(dataDir);
    const { tallies, root } = openTables(dataDir, 'write');
    closeAfter(() => root.close());
    const keep: Keep = async id => {
      const tally = structuredClone(tallies.get(id)!);
      return () => tallies.put(id, tally);
    };
    await expectNoneWrong(relay, keep, 1_000);
  }, 300_000);

  it('leaves no client with wrong results in 200 random histories on Redis', async () => {
    const redis = await start();
    const relay = await relayOn(redis.url);
    const client = clientOf(redis);
    const names = redisKeys('tallycast:');
    const keep: Keep = async id => {
      const { poll } = names.ofPoll(id);
      const dump = await client.dumpBuffer(poll);
      return () => client.restore(poll, 0, dump, 'REPLACE');
    };
    await expectNoneWrong(relay, keep, 200);
  }, 300_000);
});
