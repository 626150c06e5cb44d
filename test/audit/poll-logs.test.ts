import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importArchive } from '../../src/archive/import-archive.ts';
import type { Hash } from '../../src/audit/merkle.ts';
import { logHashes, nodeCrypto } from '../../src/audit/node-crypto.ts';
import { openCheckpoint } from '../../src/audit/note.ts';
import { LOG_KEY, type PollLog, type PollLogs } from '../../src/audit/poll-logs.ts';
import type { ArchivedEntry, ArchivedPoll, Engine } from '../../src/engine/engine.ts';
import { engineWith } from '../../src/engine/engine-with.ts';
import type { Poll } from '../../src/poll/poll.ts';
import { nextRound } from '../contract/engine/again-claims.ts';
import { voidBallots } from '../support/void-ballots.ts';
import {
  ballotsOf,
  castMany,
  createLoggedPoll,
  entryOf,
  newLogs,
  type OpenedEngine,
  onEachEngine,
  START_MS,
  treeHash,
} from './log-rig.ts';

const MINUTE_MS = 60_000;

onEachEngine('the logs of polls', (name, open) => {
  let opened: OpenedEngine;
  let engine: Engine;
  let nowMs = START_MS;
  const broken: object[] = [];

  beforeAll(async () => {
    opened = await open();
    engine = opened.engine;
  });
  afterAll(() => opened.close());

  const otherLogs = (of: Engine = engine, patienceMs?: number) =>
    newLogs(
      of,
      () => nowMs,
      fields => broken.push(fields),
      patienceMs,
    );

  /** The log a minute later, when its checkpoint is due again. */
  async function readLater(logs: PollLogs, poll: Poll): Promise<PollLog> {
    nowMs += MINUTE_MS;
    return (await logs.find(poll))!;
  }

  const createPoll = (isVerifiable = true) => createLoggedPoll(engine, isVerifiable);

  async function leavesOf({ id }: Poll, size: number): Promise<Hash[]> {
    const ballots = await ballotsOf(engine, id, size);
    return ballots.map(ballot => logHashes.leaf(entryOf(id, ballot)));
  }

  async function rootOf(poll: Poll, size: number): Promise<Hash> {
    return treeHash(await leavesOf(poll, size));
  }

  it('sign the root of all ballots at every size, for every process', async () => {
    const poll = await createPoll();
    const [one, other] = [otherLogs(), otherLogs()];
    let size = 0;
    for (const more of [0, 1, 1, 253, 1, 1, 255, 1, 1, 500]) {
      await castMany(engine, poll.id, more);
      size += more;
      const log = await readLater(one, poll);
      expect(log).toMatchObject({ epoch: 1, size, breaks: [], isComplete: true });
      expect(log.origin).toBe(`poll.example/base/api/poll/${poll.id}/log`);
      expect(openCheckpoint(nodeCrypto, log.note, log.key)).toEqual({
        origin: log.origin,
        size,
        root: new Uint8Array(log.root),
      });
      if (size > 0) expect(log.root).toEqual(await rootOf(poll, size));
      expect(await other.find(poll)).toEqual(log);
    }
    await voidBallots(engine.polls, poll.id, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
    await castMany(engine, poll.id, 1);
    expect((await readLater(other, poll)).root).toEqual(await rootOf(poll, size + 1));
    expect(await otherLogs().find(await createPoll(false))).toBeUndefined();
    expect(await otherLogs().find({ ...poll, rehearsal: true })).toBeUndefined();
  });

  it('keep a checkpoint for five seconds, except after the close', async () => {
    const poll = await createPoll();
    const logs = otherLogs();
    await castMany(engine, poll.id, 1);
    const first = await readLater(logs, poll);
    await castMany(engine, poll.id, 1);
    nowMs += 4_999;
    expect(await logs.find(poll)).toEqual({ ...first, isComplete: false });
    expect(await logs.find(poll, true)).toMatchObject({ size: 2, isComplete: true });
    await castMany(engine, poll.id, 1);
    nowMs += 5_000;
    expect((await logs.find(poll))?.size).toBe(3);
  });

  it('have one history if several processes extend them while votes come', async () => {
    const poll = await createPoll();
    const processes = [otherLogs(), otherLogs(), otherLogs()];
    const seen = new Map<number, Hash>();
    let isDone = false;
    const follow = async (logs: PollLogs) => {
      while (!isDone) {
        const log = await readLater(logs, poll);
        expect(seen.get(log.size) ?? log.root).toEqual(log.root);
        seen.set(log.size, log.root);
        await new Promise(setImmediate);
      }
    };
    const following = Promise.all(processes.map(follow));
    for (let round = 0; round < 60; round += 1) await castMany(engine, poll.id, 1 + 5 * round);
    isDone = true;
    await following;
    const last = await readLater(processes[0]!, poll);
    expect(last).toMatchObject({ epoch: 1, breaks: [], isComplete: true });
    const leaves = await leavesOf(poll, last.size);
    for (const [size, root] of seen) if (size > 0) expect(treeHash(leaves.slice(0, size))).toEqual(root);
    expect(seen.size).toBeGreaterThan(5);
  });

  it('reply with the newest checkpoint, or that there is none, while a long extension goes on', async () => {
    const poll = await createPoll();
    let isSlow = true;
    const slow = engineWith(engine, {
      polls: {
        async readSequence(...args) {
          while (isSlow) await new Promise(resolve => setTimeout(resolve, 20));
          return engine.polls.readSequence(...args);
        },
      },
    });
    const logs = otherLogs(slow, 50);
    await castMany(engine, poll.id, 300);
    await expect(logs.find(poll)).rejects.toMatchObject({
      code: 'log_unavailable',
      status: 503,
      retryAfterSeconds: 1,
    });
    isSlow = false;
    await expect.poll(() => logs.find(poll).then(log => log?.size)).toBe(300);
    await castMany(engine, poll.id, 300);
    isSlow = true;
    expect(await readLater(logs, poll)).toMatchObject({ size: 300, isComplete: false });
    isSlow = false;
    await expect.poll(() => logs.find(poll).then(log => log?.size)).toBe(600);
  });

  it('begin another epoch if the poll is imported with its rounds, which says so', async () => {
    const poll = await createPoll();
    const logs = otherLogs();
    await castMany(engine, poll.id, 300);
    const before = await readLater(logs, poll);
    expect(await engine.polls.again(poll.id, nextRound((await engine.polls.find(poll.id))!))).toBe(true);
    const items: Parameters<typeof importArchive>[1]['items'] = () => copy;
    const copied: (readonly (ArchivedPoll | ArchivedEntry)[])[] = [];
    for await (const batch of engine.archive.readPoll(poll.id)) copied.push(batch);
    async function* copyOf() {
      yield* copied;
    }
    const copy = { [Symbol.asyncIterator]: () => copyOf() };
    await engine.polls.remove(poll.id);
    await expect.poll(() => engine.polls.find(poll.id)).toBeUndefined();
    await importArchive(engine, { items, nowMs });
    const present = (await engine.polls.find(poll.id))!.poll;
    expect(await readLater(logs, present)).toMatchObject({ epoch: 1, size: 0 });
    for (const each of [otherLogs(), logs]) {
      const after = await readLater(each, poll);
      expect(after).toMatchObject({ epoch: 2, size: 300, root: before.root, origin: `${before.origin}/2` });
      expect(after.breaks).toEqual([{ note: before.note, foundAtMs: expect.any(Number) }]);
      expect(openCheckpoint(nodeCrypto, after.note, after.key).origin).toBe(after.origin);
    }
  });

  it('have one key for all, which survives', async () => {
    const key = await engine.records.find(LOG_KEY);
    expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----/);
    const poll = await createPoll();
    const [one, other] = await Promise.all([otherLogs().find(poll), otherLogs().find(poll)]);
    expect(one).toEqual(other);
    expect(await engine.records.find(LOG_KEY)).toBe(key);
  });

  if (name === 'redis')
    describe('after a loss of data', () => {
      let client: Redis;
      beforeAll(() => {
        client = new Redis(opened.redisUrl!);
      });
      afterAll(() => client.disconnect());
      const keyOf = ({ id }: Poll) => `tallycast:{${id}}:poll-3`;
      /** Makes the poll what it was at a copy, as a failover to a replica that lagged does. */
      const copy = async (poll: Poll) => {
        await client.copy(keyOf(poll), `${keyOf(poll)}:before`);
        return () => client.copy(`${keyOf(poll)}:before`, keyOf(poll), 'REPLACE');
      };
      const expectBroken = async (poll: Poll, lost: PollLog, after: PollLog) => {
        expect(after).toMatchObject({ epoch: 2, origin: `${lost.origin}/2` });
        expect(after.breaks).toEqual([{ note: lost.note, foundAtMs: nowMs }]);
        expect(after.root).toEqual(await rootOf(poll, after.size));
        const { origin, size } = lost;
        expect(broken.at(-1)).toMatchObject({ pollId: poll.id, origin, size, epoch: 1 });
        expect(broken.filter(fields => (fields as { pollId: string }).pollId === poll.id)).toHaveLength(1);
      };

      it.each([
        ['a checkpoint', 40, 0],
        ['a checkpoint with a full block', 300, 0],
        ['a checkpoint, and other ballots take its place', 40, 90],
        ['a checkpoint with full blocks, and other ballots take their place', 600, 900],
      ])(
        'that took %s, goes on in another epoch, and keeps the break',
        async (_, lostBallots, newBallots) => {
          const poll = await createPoll();
          const [logs, other] = [otherLogs(), otherLogs()];
          await castMany(engine, poll.id, 100);
          await readLater(logs, poll);
          const restore = await copy(poll);
          await castMany(engine, poll.id, lostBallots);
          const lost = await readLater(logs, poll);
          expect(lost).toMatchObject({ epoch: 1, size: 100 + lostBallots });
          await restore();
          await castMany(engine, poll.id, newBallots);
          const after = await readLater(logs, poll);
          expect(after.size).toBe(100 + newBallots);
          await expectBroken(poll, lost, after);
          await castMany(engine, poll.id, 1);
          const next = await readLater(other, poll);
          expect(next).toMatchObject({ epoch: 2, size: after.size + 1, breaks: after.breaks });
          expect(await logs.find(poll)).toEqual(next);
          await restore();
          expect(await readLater(logs, poll)).toMatchObject({
            epoch: 3,
            size: 100,
            origin: `${lost.origin}/3`,
          });
        },
      );

      it('is found by a process that remembers it, although another one has extended the log', async () => {
        const poll = await createPoll();
        const logs = otherLogs();
        await castMany(engine, poll.id, 10);
        await readLater(logs, poll);
        const restore = await copy(poll);
        await castMany(engine, poll.id, 10);
        const lost = await readLater(logs, poll);
        await restore();
        await castMany(engine, poll.id, 20);
        expect(await readLater(otherLogs(), poll)).toMatchObject({ epoch: 1, size: 30 });
        await expectBroken(poll, lost, await readLater(logs, poll));
      });

      it.each([
        [
          'a ballot is changed',
          (key: string, id: string) => client.hset(key, `b:${id}`, '30 31 1 x changed '),
        ],
        ['a ballot is removed', (key: string, id: string) => client.hdel(key, `b:${id}`)],
        ['the place of a ballot is removed', (key: string) => client.hdel(key, 'l:30')],
        ['the log itself is removed', (key: string) => client.hdel(key, 'log:')],
      ])('is found if %s by hand', async (_, damage) => {
        const poll = await createPoll();
        const logs = otherLogs();
        await castMany(engine, poll.id, 30);
        const lost = await readLater(logs, poll);
        const place = await client.hget(keyOf(poll), 'l:30');
        await damage(keyOf(poll), place!);
        await castMany(engine, poll.id, 1);
        const after = await readLater(logs, poll);
        expect(after).toMatchObject({ epoch: 2, size: 31, breaks: [{ note: lost.note }] });
      });
    });
});
