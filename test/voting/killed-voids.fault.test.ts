// @module-tag redis-server
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { allBallots, ballotFor, openPoll } from '../contract/engine/engine-subject.ts';
import { redisRig } from '../support/redis-rig.ts';
import { startRelayProcess } from '../support/relay-process.ts';
import { until } from '../support/until.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';
const HEADERS = { 'x-api-key': OPERATOR_KEY, 'content-type': 'application/json' };
const BALLOTS = 20_000;
const TRIES = 5;
const rig = redisRig();

it.each(['embedded', 'Redis'])(
  'a void that a kill interrupts goes on in the next process, before any look at it: %s',
  async kind => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-voids-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const redisUrl = kind === 'Redis' ? (await rig.start()).url : '';
    const place = kind === 'Redis' ? { redisUrl } : { dataDir };
    const start = async () => {
      const more = kind === 'Redis' ? {} : { ROLE: 'all', VOTE_PORT: '0', DATA_DIR: dataDir };
      const relay = await startRelayProcess(redisUrl, { OPERATOR_KEYS: OPERATOR_KEY, ...more });
      rig.closeAfter(() => relay.kill());
      return relay;
    };
    const makePoll = async () => {
      const engine = await openEngine(place);
      const made = await openPoll({ engine, other: engine }, { sharedAddress: true });
      for (let cast = 0; cast < BALLOTS; cast += 1_000)
        await Promise.all(
          Array.from({ length: 1_000 }, () => engine.castBallot(ballotFor(made, { network: 'one' }))),
        );
      await engine.close();
      return made.poll.id;
    };
    const voidedOf = async (url: string, id: string): Promise<number> =>
      (await (await fetch(`${url}/api/poll/${id}`)).json()).voided_votes ?? 0;

    let id = '';
    for (let tries = 1, voided = 0; !(voided > 0 && voided < BALLOTS); tries += 1) {
      expect(tries).toBeLessThanOrEqual(TRIES);
      id = await makePoll();
      const relay = await start();
      const body = JSON.stringify({ void: { network: 'one' } });
      void fetch(`${relay.url}/api/poll/${id}/void`, { method: 'POST', headers: HEADERS, body }).catch(
        () => {},
      );
      await until(async () => (await voidedOf(relay.url, id)) > 0, 'the first ballots to be out');
      await relay.kill();
      const engine = await openEngine(place);
      voided = (await engine.polls.find(id))!.results.voidedVotes ?? 0;
      await engine.close();
    }

    const next = await start();
    await until(async () => (await voidedOf(next.url, id)) === BALLOTS, 'all ballots to be out', 60_000);
    await next.stop();
    const engine = await openEngine(place);
    expect((await engine.polls.find(id))!.results).toMatchObject({ totalVoters: 0, voidedVotes: BALLOTS });
    expect((await allBallots(engine, id)).every(({ voided }) => voided)).toBe(true);
    await engine.close();
  },
);
