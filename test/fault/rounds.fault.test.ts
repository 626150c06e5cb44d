// @module-tag redis-server
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { idOfRound } from '../../src/poll/poll.ts';
import { PollError } from '../../src/poll/poll-error.ts';
import { GOOD_POLL } from '../support/api-request.ts';
import { startRedisCluster } from '../support/redis-cluster.ts';
import { redisRig } from '../support/redis-rig.ts';
import { type RelayProcess, startRelayProcess } from '../support/relay-process.ts';
import { until } from '../support/until.ts';
import { Screens } from './screens.ts';
import { slotOf } from './watched-cluster.ts';

const ROUNDS = 4;
const SCREENS_OF_RELAY = 250;
const VOTERS = 64;
const BALLOTS_BETWEEN = 500;
const TRIES = 3_000;
/** In which Redis is killed. */
const KILLED = 2;

const { start, relayOn, closeAfter } = redisRig();

interface House {
  readonly redisUrl: string;
  readonly durability?: 'replicated';
  /** Kills the server that holds a poll, with `kill -9`. */
  readonly kill: (id: string) => Promise<unknown>;
}

async function startServer(): Promise<House> {
  const redis = await start(['--appendonly', 'yes', '--appendfsync', 'always']);
  const kill = async () => {
    await redis.kill9();
    await redis.restart();
  };
  return { redisUrl: redis.url, kill };
}

async function startCluster(): Promise<House> {
  const cluster = await startRedisCluster({ primaries: 3, replicas: 3 });
  closeAfter(() => cluster.stop());
  const kill = async (id: string) => {
    const owner = await cluster.ownerOf(slotOf(id));
    await owner.server.kill9();
    await until(async () => (await cluster.ownerOf(slotOf(id))) !== owner, 'a new owner', 60_000);
    await owner.server.restart();
  };
  return { redisUrl: cluster.url, durability: 'replicated', kill };
}

it.each([
  ['a server', startServer],
  ['a cluster, whose replica takes over', startCluster],
])(
  'counts each ballot in its own round and brings every screen to zero with `reset`, while rounds begin at full speed on %s',
  async (_, startHouse) => {
    const { kill, ...house } = await startHouse();
    const engines = await Promise.all([1, 2, 3, 4].map(() => openEngine(house)));
    closeAfter(() => Promise.all(engines.map(engine => engine.close())));
    const relays = [
      await relayOn(house.redisUrl, { engine: engines[2]! }),
      await relayOn(house.redisUrl, { engine: engines[3]! }),
    ] as const;
    const { id, admin_key } = await relays[0].create();
    const answer = (await engines[0]!.polls.find(id))!.poll.answers[0]!.id;
    const screens = await Screens.open(relays, [id], SCREENS_OF_RELAY);
    closeAfter(() => screens.close());

    /** Of the forms that voters hold. */
    let round = 1;
    let isVoting = true;
    let sent = 0;
    const accepted: string[][] = Array.from({ length: ROUNDS + 1 }, () => []);
    const vote = async (engine: Engine) => {
      while (isVoting) {
        sent += 1;
        const ballotId = `${round}-${sent}`;
        const ballot = { pollId: id, round, answers: [answer], voter: ballotId, address: ballotId, ballotId };
        const { outcome } = await untilAnswered(() => engine.castBallot(ballot));
        expect(['accepted', 'repeated', 'round_over']).toContain(outcome);
        if (outcome !== 'round_over') accepted[ballot.round]!.push(ballotId);
      }
    };
    closeAfter(async () => {
      isVoting = false;
    });
    const voters = Array.from({ length: VOTERS }, (_, index) => vote(engines[index % 2]!));

    for (let ended = 1; ended < ROUNDS; ended += 1) {
      const enough = sent + BALLOTS_BETWEEN;
      await until(() => sent >= enough && accepted[ended]!.length > 0, 'ballots of the round', 60_000);
      const begun = begin(relays[ended % 2]!, id, admin_key, ended);
      if (ended === KILLED) await kill(id);
      await begun;
      // Old forms are sent all the while, so anything but zero would be a ballot of another round.
      const shows = () =>
        screens.clients.every(({ last }) => last?.type === 'results' && last.round === ended + 1);
      await until(shows, 'the next round on every screen', 60_000);
      for (const client of screens.clients) {
        const first = client.of('results').find(results => results.round === ended + 1);
        expect(first).toMatchObject({ reset: true, total_votes: 0 });
      }
      round = ended + 1;
    }
    await until(() => accepted[ROUNDS]!.length >= BALLOTS_BETWEEN, 'ballots of the last round', 60_000);
    isVoting = false;
    await Promise.all(voters);

    for (let number = 1; number <= ROUNDS; number += 1) {
      const stored: string[] = [];
      const place = number === ROUNDS ? id : idOfRound(id, number);
      for await (const batch of engines[1]!.polls.readBallots(place))
        stored.push(...batch.map(({ ballotId }) => ballotId));
      expect(stored.filter(ballotId => !ballotId.startsWith(`${number}-`))).toEqual([]);
      const kept = new Set(stored);
      expect(accepted[number]!.filter(ballotId => !kept.has(ballotId))).toEqual([]);
      expect((await engines[0]!.polls.find(place))!.results.totalVoters).toBe(stored.length);
    }
    await screens.showing((await engines[0]!.polls.find(id))!.results.totalVoters);
  },
);

it('keeps each ballot in its round on the embedded engine, killed while and after rounds begin', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-'));
  closeAfter(() => rm(dataDir, { recursive: true, force: true }));
  const withEngine = async <T>(use: (engine: Engine) => Promise<T>): Promise<T> => {
    const engine = await openEngine({ dataDir });
    return use(engine).finally(() => engine.close());
  };
  const withRelay = async <T>(use: (relay: RelayProcess) => Promise<T>): Promise<T> => {
    const relay = await startRelayProcess('', { DATA_DIR: dataDir });
    return use(relay).finally(() => relay.kill());
  };
  const { id, admin_key } = await withRelay(async ({ url }) => {
    const body = JSON.stringify({ poll: GOOD_POLL });
    const reply = await fetch(`${url}/api/poll`, { method: 'POST', body });
    return (await reply.json()) as { id: string; admin_key: string };
  });
  for (let round = 1; round <= ROUNDS; round += 1) {
    await withEngine(async engine => {
      const { poll } = (await engine.polls.find(id))!;
      expect(poll.round ?? 1).toBe(round);
      for (let number = 1; number <= ROUNDS; number += 1) {
        const ballotId = `${number}`;
        const answers = [poll.answers[0]!.id];
        const ballot = { pollId: id, round: number, answers, voter: 'one', address: 'one', ballotId };
        const { outcome } = await engine.castBallot(ballot);
        expect(outcome).toBe(number === round ? 'accepted' : 'round_over');
      }
      for (let number = 1; number < round; number += 1) {
        const earlier = await engine.polls.find(idOfRound(id, number));
        expect(earlier?.results).toMatchObject({ totalVoters: 1, status: 'closed' });
      }
    });
    if (round === ROUNDS) return;
    // Killed with the request on its way, it has begun this round or not; the same press then begins no second one.
    await withRelay(async relay => {
      const pressed = begin(relay, id, admin_key, round).catch(() => {});
      if (round % 2 === 1) await pressed;
      await relay.kill();
    });
    await withRelay(relay => begin(relay, id, admin_key, round));
  }
});

/** Presses until a reply comes: the same key begins one round. */
async function begin(
  { url }: { readonly url: string },
  id: string,
  key: string,
  ended: number,
): Promise<void> {
  const headers = {
    'x-api-key': key,
    'idempotency-key': `the-round-after-number-${ended}`,
    'content-type': 'application/json',
  };
  const request = { method: 'POST', headers, body: JSON.stringify({ round: ended }) };
  const press = async () => {
    const { status } = await fetch(`${url}/api/poll/${id}/again`, request);
    expect([200, 503]).toContain(status);
    return status === 200;
  };
  await until(press, 'the round to begin', 60_000);
}

async function untilAnswered<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof PollError) || error.code !== 'engine_unavailable' || tries === TRIES)
        throw error;
      await new Promise(resolve => setTimeout(resolve, 20));
    }
}
