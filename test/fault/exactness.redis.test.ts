import { beforeAll, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import type { ResultsBody, ResultsMessage } from '../../src/protocol/messages.ts';
import { expectConsistent, Ledger } from '../support/ledger.ts';
import { LiveClient } from '../support/live-client.ts';
import { redisRig } from '../support/redis-rig.ts';
import { type RelayProcess, startRelayProcess } from '../support/relay-process.ts';
import type { TestRelay } from '../support/test-relay.ts';

const BALLOTS = 50_000;
const CASTERS = 8;
/** Ballots that one caster has under way at the same time. */
const WINDOW = 40;
const ANSWERS = ['a', 'b', 'c', 'd', 'e'];
const PATIENCE_MS = 90_000;

/**
 * The whole house at work: eight casters on two engines, one relay in a process of its own and one in this, readers and
 * subscribers on both, and among the ballots retries at the same moment, retries later, and voters who try twice.
 */
const { start, relayOn, closeAfter } = redisRig('file');
let engines: Engine[];
let here: TestRelay;
let there: RelayProcess;
beforeAll(async () => {
  const { url } = await start();
  engines = [await openEngine({ redisUrl: url }), await openEngine({ redisUrl: url })];
  closeAfter(() => Promise.all(engines.map(engine => engine.close())));
  here = await relayOn(url);
  there = await startRelayProcess(url);
  closeAfter(() => there.stop());
});

it(
  '50,000 ballots with retries and duplicates are counted exactly, in every read and at every subscriber',
  async () => {
    const { id } = await here.create({ answers: ANSWERS, mip: true });
    const answers = (await here.read(id)).poll_answers.map(answer => answer.id);
    const ledger = new Ledger(id);
    const clients = await subscribe(id);

    let casting = true;
    const reading = Promise.all(
      [here.url, there.url].map(url => readAllTheWhile(url, id, ledger, () => casting)),
    );
    await Promise.all(Array.from({ length: CASTERS }, (_, caster) => castShare(caster, answers, ledger)));
    casting = false;
    const reads = await reading;

    expect(ledger.unknown).toBe(0);
    expect(ledger.accepted).toBe(BALLOTS);
    await ledger.expectExact(engines[0] as Engine);
    for (const relay of [here, there]) {
      const end = await readResults(relay.url, id);
      expect(end).toMatchObject({ total_votes: BALLOTS, total_voters: BALLOTS, version: BALLOTS + 1 });
      expectConsistent(end);
    }
    for (const client of clients) await expectFollowed(client);
    for (const count of reads) expect(count).toBeGreaterThan(10);
  },
  PATIENCE_MS,
);

async function subscribe(id: string): Promise<LiveClient[]> {
  const urls = [here.wsUrl, there.wsUrl].flatMap(url =>
    [1, 10, 20].map(hz => `${url}/api/poll/${id}/live?hz=${hz}`),
  );
  return Promise.all(urls.map(url => LiveClient.open(url)));
}

/** One caster's ballots: each once, every tenth twice at once, every eleventh again later, every twelfth voter anew. */
async function castShare(caster: number, answers: readonly string[], ledger: Ledger): Promise<void> {
  const engine = engines[caster % engines.length] as Engine;
  const other = engines[(caster + 1) % engines.length] as Engine;
  let next = caster;
  const worker = async () => {
    for (;;) {
      const number = next;
      next += CASTERS;
      if (number >= BALLOTS) return;
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

async function expectFollowed(client: LiveClient): Promise<void> {
  await client.results(BALLOTS);
  const results: ResultsMessage[] = client.of('results');
  for (const message of results) expectConsistent(message);
  const versions = results.map(({ version }) => version);
  expect(versions).toEqual([...versions].sort((a, b) => a - b));
  expect(client.last).toMatchObject({ version: BALLOTS + 1 });
  client.close();
}

async function readResults(url: string, id: string): Promise<ResultsBody> {
  const response = await fetch(`${url}/api/poll/${id}`);
  // Redis may be late on a busy machine, and then a read says so.
  if (response.status === 503) return readResults(url, id);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as ResultsBody;
}
