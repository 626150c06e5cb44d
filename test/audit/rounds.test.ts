import { afterAll, beforeAll, expect, it } from 'vitest';
import { nodeCrypto } from '../../src/audit/node-crypto.ts';
import { openCheckpoint } from '../../src/audit/note.ts';
import { type Verdict, verifyLog } from '../../src/audit/verify-log.ts';
import { nameOfRound } from '../../src/poll/poll.ts';
import { ask, expectError, send } from '../support/api-request.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { castMany, type OpenedEngine, onEachEngine } from './log-rig.ts';

const SIZES = [300, 2, 257] as const;

onEachEngine('the logs of rounds', (_, open) => {
  let opened: OpenedEngine;
  let relay: TestRelay;
  beforeAll(async () => {
    opened = await open();
    relay = await startTestRelay({ engine: opened.engine });
  });
  afterAll(async () => {
    await relay.close();
    await opened.close();
  });

  const urlOf = (id: string, round: number) => `${relay.url}/api/poll/${nameOfRound({ id, round })}/log`;
  const bytesOf = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

  async function verify(id: string, round: number, receipt?: string): Promise<Verdict> {
    return verifyLog({
      pollId: nameOfRound({ id, round }),
      crypto: nodeCrypto,
      results: (await ask(`${relay.url}/api/poll/${id}?round=${round}`)).json,
      seen: [],
      receipt,
      read: async path => {
        const reply = await fetch(urlOf(id, round) + path.slice('/log'.length));
        if (!reply.ok) throw new Error(`${path}: ${reply.status}`);
        return reply;
      },
    });
  }

  it('stay at their addresses, one history each, and verify with their receipts', async () => {
    const { id, admin_key } = await relay.create({ verifiable: true, change_vote: true });
    const tiles: Buffer[] = [];
    const receipts: string[] = [];
    for (const [index, size] of SIZES.entries()) {
      const round = index + 1;
      await castMany(opened.engine, id, size);
      const [first] = await opened.engine.polls.readSequence(id, 1, 1);
      receipts.push(first!.ballotId);
      // The checkpoint is of an open round in part, so the log of an ended one is extended at its own place.
      if (round === 1) await ask(urlOf(id, round));
      if (round < SIZES.length) {
        const body = { round };
        expect((await send(`${relay.url}/api/poll/${id}/again`, 'POST', body, admin_key)).status).toBe(200);
        expectError(await ask(`${urlOf(id, round + 2)}/checkpoint`), 404, 'round_not_found');
      } else await send(`${relay.url}/api/poll/${id}`, 'PATCH', { poll: { status: 'closed' } }, admin_key);
      const { key, origin, ended } = (await ask(urlOf(id, round))).json.log;
      expect([origin, ended]).toEqual([`relay.test/api/poll/${nameOfRound({ id, round })}/log`, true]);
      const { text } = await ask(`${urlOf(id, round)}/checkpoint`);
      expect(openCheckpoint(nodeCrypto, text, key).size).toBe(size);
      tiles.push(await bytesOf(`${urlOf(id, round)}/tile/0/000.p/2`));
    }
    for (const [index, size] of SIZES.entries()) {
      const round = index + 1;
      const verdict = await verify(id, round, receipts[index]);
      expect(verdict).toMatchObject({ faults: [], isComplete: true, checkpoint: { size } });
      expect(verdict.ballot?.sequence).toBe(1);
      expect(await bytesOf(`${urlOf(id, round)}/tile/0/000.p/2`)).toEqual(tiles[index]);
      // Of another round, the receipt is a fault.
      expect((await verify(id, round, receipts[(index + 1) % SIZES.length])).faults).not.toEqual([]);
    }
    expect(new Set(tiles.map(tile => tile.toString('base64'))).size).toBe(SIZES.length);
  });

  it('never mix, while rounds begin between reads and ballots', async () => {
    const { id, admin_key } = await relay.create({ verifiable: true });
    let isOver = false;
    let reads = 0;
    let sent = 0;
    const answer = (await opened.engine.polls.find(id))!.poll.answers[0]!.id;
    const vote = async () => {
      while (!isOver) {
        sent += 1;
        const { round } = (await opened.engine.polls.find(id))!.poll;
        const voter = `mixed ${sent}`;
        const ballot = { pollId: id, round, answers: [answer], voter, address: voter, ballotId: voter };
        await opened.engine.polls.cast(ballot);
      }
    };
    const follow = async () => {
      while (!isOver) {
        const { round = 1 } = (await opened.engine.polls.find(id))!.poll;
        expect((await ask(urlOf(id, round))).json.log.breaks).toEqual([]);
        expect([200, 404]).toContain((await fetch(`${urlOf(id, round)}/tile/0/000.p/1`)).status);
        reads += 1;
      }
    };
    const running = [vote(), vote(), vote(), follow(), follow()];
    for (let round = 1; round <= 5; round += 1) {
      const [read, cast] = [reads, sent];
      await until(() => reads > read + 3 && sent > cast + 20, 'reads and ballots of the round', 60_000);
      await send(`${relay.url}/api/poll/${id}/again`, 'POST', undefined, admin_key);
    }
    isOver = true;
    await Promise.all(running);
    await send(`${relay.url}/api/poll/${id}`, 'PATCH', { poll: { status: 'closed' } }, admin_key);
    for (let round = 1; round <= 6; round += 1)
      expect(await verify(id, round)).toMatchObject({ faults: [], isComplete: true });
  });

  it('are hidden with the results of the poll', async () => {
    const { id, admin_key } = await relay.create({ verifiable: true, results_visibility: 'hidden' });
    await castMany(opened.engine, id, 3);
    await send(`${relay.url}/api/poll/${id}/again`, 'POST', undefined, admin_key);
    for (const path of ['', '/checkpoint', '/entries', '/tile/0/000.p/3'])
      expectError(await ask(urlOf(id, 1) + path), 403, 'log_hidden');
    await send(`${relay.url}/api/poll/${id}`, 'PATCH', { poll: { results_visibility: 'always' } }, admin_key);
    expect(await verify(id, 1)).toMatchObject({ faults: [], isComplete: true });
  });
});
