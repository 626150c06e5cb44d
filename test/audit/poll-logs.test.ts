import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitmentOf, type Hash, hashLeaf, hashNode, nonceOf } from '../../src/audit/merkle.ts';
import { openCheckpoint } from '../../src/audit/note.ts';
import { PollLogs } from '../../src/audit/poll-logs.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import type { LoggedBallot } from '../../src/poll/ballot.ts';
import { createPollId } from '../../src/poll/create-poll.ts';
import { type Poll, pollSettings } from '../../src/poll/poll.ts';
import { startRedisServer } from '../support/redis-server.ts';

const MINUTE_MS = 60_000;
const ENGINES: Record<string, () => Promise<{ engine: Engine; close(): Promise<void> }>> = {
  async embedded() {
    const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-log-'));
    const engine = await openEngine({ dataDir });
    return { engine, close: () => rm(dataDir, { recursive: true, force: true }) };
  },
  async redis() {
    const server = await startRedisServer();
    return { engine: await openEngine({ redisUrl: server.url }), close: () => server.stop() };
  },
};

/** RFC 6962, section 2.1, word for word. */
function treeHash(leaves: readonly Hash[]): Hash {
  if (leaves.length === 1) return leaves[0]!;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return hashNode(treeHash(leaves.slice(0, split)), treeHash(leaves.slice(split)));
}

describe.each(Object.entries(ENGINES))('the logs of polls on the %s engine', (_, open) => {
  let engine: Engine;
  let close: () => Promise<void>;
  let nowMs = 1_800_000_000_000;
  const broken: object[] = [];

  beforeAll(async () => {
    const opened = await open();
    engine = opened.engine;
    close = opened.close;
  });
  afterAll(async () => {
    await engine.close();
    await close();
  });

  /** As a process of its own. */
  function newLogs(): PollLogs {
    return new PollLogs({
      engine,
      publicUrl: 'https://poll.example/base',
      log: { error: fields => broken.push(fields) },
      clock: () => nowMs,
    });
  }

  async function createPoll(): Promise<Poll> {
    const poll = {
      ...{ id: createPollId(), title: 'Which?', description: '', image: null, createdAtMs: nowMs },
      answers: ['a', 'b', 'c'].map(id => ({ id, text: id })),
      settings: pollSettings({ isVerifiable: true, sharedAddress: true, allowMultiple: true }),
    };
    const keys = { adminKeyHash: 'a'.repeat(64), viewKeyHash: 'b'.repeat(64) };
    await engine.polls.create({ poll, keys, deadlineMs: null, resultsVisibility: 'always' });
    return poll;
  }

  let voters = 0;
  async function cast({ id }: Poll, count: number): Promise<void> {
    for (let left = count; left > 0; left -= 1_000)
      await Promise.all(
        Array.from({ length: Math.min(left, 1_000) }, () => {
          voters += 1;
          const answers = [['a'], ['b'], ['b', 'a']][voters % 3]!;
          const voter = `voter ${voters}`;
          return engine.polls.cast({
            pollId: id,
            answers,
            voter,
            address: voter,
            ballotId: `ballot-${voters}`,
          });
        }),
      );
  }

  async function leavesOf({ id }: Poll, size: number): Promise<Hash[]> {
    const ballots: (LoggedBallot | undefined)[] = [];
    while (ballots.length < size)
      ballots.push(...(await engine.polls.readSequence(id, ballots.length + 1, 500)));
    return ballots.slice(0, size).map(ballot => {
      const { ballotId, sequence, answers } = ballot!;
      return hashLeaf(commitmentOf(nonceOf(ballotId), id, sequence, answers));
    });
  }

  it('sign the root of all ballots at every size', async () => {
    const poll = await createPoll();
    const [one, other] = [newLogs(), newLogs()];
    let size = 0;
    for (const more of [0, 1, 1, 253, 1, 1, 255, 1, 1, 500]) {
      await cast(poll, more);
      size += more;
      nowMs += MINUTE_MS;
      const log = (await one.read(poll))!;
      expect(log).toMatchObject({ epoch: 1, size, breaks: [], isComplete: true });
      expect(log.origin).toBe(`poll.example/base/api/poll/${poll.id}/log`);
      expect(openCheckpoint(log.note, log.key)).toEqual({ origin: log.origin, size, root: log.root });
      if (size > 0) expect(log.root).toEqual(treeHash(await leavesOf(poll, size)));
      expect(await other.read(poll)).toEqual(log);
    }
  });
});
