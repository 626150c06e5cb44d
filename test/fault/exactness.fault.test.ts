// @module-tag redis-server
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import type { ResultsBody, ResultsMessage } from '../../src/protocol/messages.ts';
import { expectConsistent, Ledger } from '../support/ledger.ts';
import { LiveClient } from '../support/live-client.ts';
import { startRedisCluster } from '../support/redis-cluster.ts';
import { type RedisRig, redisRig } from '../support/redis-rig.ts';
import { startRedisSentinels } from '../support/redis-sentinel.ts';
import { type RelayProcess, startRelayProcess } from '../support/relay-process.ts';
import type { TestRelay } from '../support/test-relay.ts';

const CASTERS = 8;
/** Ballots that one caster has under way at the same time. */
const WINDOW = 40;
const ANSWERS = ['a', 'b', 'c', 'd', 'e'];
const PATIENCE_MS = 90_000;

interface House {
  readonly engines: readonly [Engine, Engine];
  readonly here: TestRelay;
  readonly there: RelayProcess;
}

/** Where each form of `REDIS_URL` keeps its polls, and how many ballots each of them gets: on a cluster they lie apart. */
const FORMS = [
  { form: 'one server', polls: 1, ballots: 50_000, open: async (rig: RedisRig) => rig.start() },
  {
    form: 'the primary of Sentinels',
    polls: 1,
    ballots: 10_000,
    // What a busy machine delays is no failover.
    open: async () => startRedisSentinels({ downAfterMs: PATIENCE_MS }),
  },
  { form: 'a cluster', polls: 4, ballots: 2_500, open: async () => startRedisCluster() },
];

/**
 * The whole house at work: eight casters on two engines, one relay in a process of its own and one in this, readers and
 * subscribers on both, and among the ballots retries at the same moment, retries later, and voters that vote twice.
 */
describe.each(FORMS)('on $form', ({ polls, ballots, open }) => {
  const rig = redisRig('file');
  let house: House;
  beforeAll(async () => {
    const redis = await open(rig);
    rig.closeAfter(() => redis.stop());
    const { url } = redis;
    const engines = [await openEngine({ redisUrl: url }), await openEngine({ redisUrl: url })] as const;
    rig.closeAfter(() => Promise.all(engines.map(engine => engine.close())));
    house = { engines, here: await rig.relayOn(url), there: await startRelayProcess(url) };
    rig.closeAfter(() => house.there.stop());
  });

  it(
    `${polls} × ${ballots} ballots with retries and duplicates are counted exactly, in every read and at every subscriber`,
    async () => {
      await Promise.all(Array.from({ length: polls }, () => countExactly(house, ballots)));
    },
    PATIENCE_MS,
  );
});

async function countExactly(house: House, ballots: number): Promise<void> {
  const { engines, here, there } = house;
  const { id } = await here.create({ answers: ANSWERS, mip: true });
  const answers = (await here.read(id)).poll_answers.map(answer => answer.id);
  const ledger = new Ledger(id);
  const clients = await subscribe(house, id);

  let casting = true;
  const reading = Promise.all(
    [here.url, there.url].map(url => readAllTheWhile(url, id, ledger, () => casting)),
  );
  const castShare = casterOf(engines, answers, ledger, ballots);
  await Promise.all(Array.from({ length: CASTERS }, (_, caster) => castShare(caster)));
  casting = false;
  const reads = await reading;

  expect(ledger.unknown).toBe(0);
  expect(ledger.accepted).toBe(ballots);
  await ledger.expectExact(engines[0]);
  for (const relay of [here, there]) {
    const end = await readResults(relay.url, id);
    expect(end).toMatchObject({ total_votes: ballots, total_voters: ballots, version: ballots + 1 });
    expectConsistent(end);
  }
  for (const client of clients) await expectFollowed(client, ballots);
  for (const count of reads) expect(count).toBeGreaterThan(1);
}

async function subscribe({ here, there }: House, id: string): Promise<LiveClient[]> {
  const urls = [here.wsUrl, there.wsUrl].flatMap(url =>
    [1, 10, 20].map(hz => `${url}/api/poll/${id}/live?hz=${hz}`),
  );
  return Promise.all(urls.map(url => LiveClient.open(url)));
}

/** One caster's ballots: each once, every tenth twice at once, every eleventh again later, every twelfth by the same voter with a new id. */
function casterOf(
  engines: House['engines'],
  answers: readonly string[],
  ledger: Ledger,
  ballots: number,
): (caster: number) => Promise<void> {
  return async caster => {
    const [engine, other] = caster % 2 === 0 ? engines : ([engines[1], engines[0]] as const);
    let next = caster;
    const worker = async () => {
      for (;;) {
        const number = next;
        next += CASTERS;
        if (number >= ballots) return;
        const ballot = ledger.draw(answers[number % answers.length] as string, number);
        const twin = number % 10 === 0 ? [ledger.castUntilKnown(other, ballot)] : [];
        await Promise.all([ledger.castUntilKnown(engine, ballot), ...twin]);
        if (number % 11 === 0) expect(await ledger.castUntilKnown(other, ballot)).toBe('repeated');
        if (number % 12 === 0) {
          const again = ledger.draw(answers[0] as string, number, { ballotId: `again-${number}` });
          expect(await ledger.castUntilKnown(other, again)).toBe('duplicate_voter');
        }
      }
    };
    await Promise.all(Array.from({ length: WINDOW }, worker));
  };
}

/** @returns how many reads there were, each of one consistent moment and none older than what was acknowledged before */
async function readAllTheWhile(
  url: string,
  id: string,
  ledger: Ledger,
  going: () => boolean,
): Promise<number> {
  let reads = 0;
  let newest = 0;
  while (going()) {
    const acknowledged = ledger.accepted;
    const results = await readResults(url, id);
    expectConsistent(results);
    if (results.total_votes < acknowledged || results.total_votes < newest)
      throw new Error(`${results.total_votes} votes after ${acknowledged} acknowledged and ${newest} read`);
    newest = results.total_votes;
    reads += 1;
  }
  return reads;
}

async function expectFollowed(client: LiveClient, ballots: number): Promise<void> {
  await client.results(ballots);
  const results: ResultsMessage[] = client.of('results');
  for (const message of results) expectConsistent(message);
  const versions = results.map(({ version }) => version);
  expect(versions).toEqual([...versions].sort((a, b) => a - b));
  expect(client.last).toMatchObject({ version: ballots + 1 });
  client.close();
}

async function readResults(url: string, id: string): Promise<ResultsBody> {
  const response = await fetch(`${url}/api/poll/${id}`);
  // Redis may be late on a busy machine, and then a read says so.
  if (response.status === 503) return readResults(url, id);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as ResultsBody;
}
