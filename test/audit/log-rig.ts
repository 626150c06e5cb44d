import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import type { Hash } from '../../src/audit/merkle.ts';
import { logHashes } from '../../src/audit/node-crypto.ts';
import { PollLogs } from '../../src/audit/poll-logs.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import type { LoggedBallot } from '../../src/poll/ballot.ts';
import { createPollId } from '../../src/poll/create-poll.ts';
import { type Poll, type PollId, pollSettings } from '../../src/poll/poll.ts';
import { startRedisServer } from '../support/redis-server.ts';

export interface OpenedEngine {
  readonly engine: Engine;
  readonly redisUrl?: string;
  close(): Promise<void>;
}

type OpenEngine = () => Promise<OpenedEngine>;

const ENGINES: readonly (readonly [name: string, open: OpenEngine])[] = [
  [
    'embedded',
    async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-log-'));
      const engine = await openEngine({ dataDir });
      return {
        engine,
        async close() {
          await engine.close();
          await rm(dataDir, { recursive: true, force: true });
        },
      };
    },
  ],
  [
    'redis',
    async () => {
      const server = await startRedisServer();
      const engine = await openEngine({ redisUrl: server.url });
      return {
        engine,
        redisUrl: server.url,
        async close() {
          await engine.close();
          await server.stop();
        },
      };
    },
  ],
];

/**
 * The logs of another process. Their replies wait for every extension unless told otherwise.
 *
 * @param onBreak gets the fields of a log that broke
 */
export function newLogs(
  engine: Engine,
  clock: () => number,
  onBreak: (fields: object) => void,
  patienceMs = 100_000,
): PollLogs {
  const relayUrl = 'https://poll.example/base';
  return new PollLogs({ engine, patienceMs, relayUrl, log: { error: onBreak }, clock });
}

/** The suite on each engine; without a redis-server, on the embedded one alone. */
export function onEachEngine(title: string, suite: (name: string, open: OpenEngine) => void): void {
  for (const [name, open] of ENGINES) {
    const tags = name === 'redis' ? ['redis-server'] : [];
    describe(`${title} on the ${name} engine`, { tags }, () => suite(name, open));
  }
}

/** When polls are created, by the clock of the logs. */
export const START_MS = 1_800_000_000_000;

export async function createLoggedPoll(engine: Engine, isVerifiable = true): Promise<Poll> {
  const poll = {
    id: createPollId(),
    title: 'Which?',
    description: '',
    image: null,
    createdAtMs: START_MS,
    answers: ['a', 'b', 'c'].map(id => ({ id, text: id })),
    settings: pollSettings({ isVerifiable, sharedAddress: true }),
  };
  const keys = { adminKeyHash: 'a'.repeat(64), viewKeyHash: 'b'.repeat(64) };
  await engine.polls.create({ poll, keys, deadlineMs: null, resultsVisibility: 'always' });
  return poll;
}

let voters = 0;

/** Casts ballots for one answer or several, of voters of their own. */
export async function castMany(engine: Engine, id: PollId, count: number, network?: string): Promise<void> {
  const { answers, round } = (await engine.polls.find(id))!.poll;
  for (let left = count; left > 0; left -= 1_000)
    await Promise.all(
      Array.from({ length: Math.min(left, 1_000) }, async () => {
        voters += 1;
        const voter = `voter ${voters}`;
        const answer = answers[voters % answers.length]!.id;
        const ballot = {
          pollId: id,
          round,
          answers: [answer],
          voter,
          address: voter,
          ballotId: `ballot-${voters}`,
          network,
        };
        const { outcome } = await engine.polls.cast(ballot);
        if (outcome !== 'accepted') throw new Error(outcome);
      }),
    );
}

export async function ballotsOf(engine: Engine, id: PollId, size: number): Promise<LoggedBallot[]> {
  const ballots: (LoggedBallot | undefined)[] = [];
  while (ballots.length < size)
    ballots.push(...(await engine.polls.readSequence(id, ballots.length + 1, 512)));
  return ballots.slice(0, size).map(ballot => ballot!);
}

export function entryOf(id: PollId, ballot: LoggedBallot): Hash {
  return logHashes.entry(logHashes.nonce(ballot.ballotId), id, ballot);
}

/** RFC 6962, section 2.1, word for word. */
export function treeHash(leaves: readonly Hash[]): Hash {
  if (leaves.length === 1) return leaves[0]!;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return logHashes.node(treeHash(leaves.slice(0, split)), treeHash(leaves.slice(split)));
}
