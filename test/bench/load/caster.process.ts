import type { Redis } from 'ioredis';
import type { Ballot, Engine } from '../../../src/engine/open-engine.ts';
import type { NewPoll } from '../../../src/poll/poll.ts';
import { importDist } from '../contender/locations.ts';
import { nextBallot, openBenchEngine } from '../contender/tallycast.ts';
import { serveCalls } from '../system/calls.ts';
import { monotonicMs, pause } from '../system/clock.ts';

/** A process that casts ballots the way a voting front end does, and the bare script it is held against. */

export interface Target {
  readonly pollId: string;
  readonly answerIds: readonly string[];
}

/**
 * `usual`: voter and address; `every`: a name and a deadline besides, and the proof of work, which
 * its voter's mark spends; `proof`: with a mark of its own, as polls for accounts and tokens of
 * other services have it.
 */
export type Checks = 'usual' | 'every' | 'proof';

/** As many as a busy front end has under way. */
const IN_FLIGHT = 512;
const BATCH_MS = 5;
const PROOF_LIFE_MS = 300_000;
const BARE_SCRIPT = "return redis.call('HINCRBY', KEYS[1], ARGV[1], 1)";

let redisUrl = '';
let engine: Engine | undefined;
let serial = 0;
let uuids = 0;

function opened(): Engine {
  if (!engine) throw new Error('not open');
  return engine;
}

const calls = {
  async open(order: { redisUrl: string }) {
    redisUrl = order.redisUrl;
    engine = await openBenchEngine(redisUrl);
  },
  async createPolls({ count, strict }: { count: number; strict: boolean }): Promise<Target[]> {
    const targets: Target[] = [];
    for (let index = 0; index < count; index += 1) {
      const poll = newPoll(strict);
      await opened().polls.create(poll);
      targets.push({ pollId: poll.poll.id, answerIds: poll.poll.answers.map(({ id }) => id) });
    }
    return targets;
  },
  /** As fast as it goes. */
  castFor({ ms, targets, checks }: { ms: number; targets: Target[]; checks: Checks }) {
    return atFullSpeed(ms, async index => {
      const { outcome } = await opened().castBallot(ballotFor(targets[index % targets.length]!, checks));
      return outcome === 'accepted';
    });
  },
  /**
   * The floor: one counter, nothing checked, through the same client that writes in the same way.
   *
   * @param args what else is carried to Redis and not looked at there
   */
  async incrementFor({ ms, keys, args }: { ms: number; keys: number; args: readonly string[] }) {
    const { createConnection } = await importDist<typeof import('../../../src/engine/redis/connection.ts')>(
      'engine',
      'redis',
      'connection.js',
    );
    const { writeTogether } = await importDist<typeof import('../../../src/engine/redis/redis-commands.ts')>(
      'engine',
      'redis',
      'redis-commands.js',
    );
    const { parseRedisUrl } = await importDist<typeof import('../../../src/engine/redis/redis-url.ts')>(
      'engine',
      'redis',
      'redis-url.js',
    );
    const ignored = () => {};
    const client = createConnection({ target: parseRedisUrl(redisUrl) }, 'bench', {
      onReady: ignored,
      onLost: ignored,
      onError: ignored,
    });
    client.defineCommand('bareIncrement', { numberOfKeys: 1, lua: BARE_SCRIPT });
    await client.connect();
    const { bareIncrement } = client as Redis & {
      bareIncrement(...args: string[]): Promise<number>;
    };
    const result = await atFullSpeed(ms, async index => {
      writeTogether(client);
      return (await bareIncrement.call(client, `bench:{${index % keys}}:tally`, 'votes', ...args)) > 0;
    });
    client.disconnect();
    return result;
  },
  /** So many a second, whether those before were answered or not. */
  async castAtRate({ perSecond, ms, target }: { perSecond: number; ms: number; target: Target }) {
    const casts: Promise<{ version: number; castMs: number } | undefined>[] = [];
    const start = monotonicMs();
    for (let now = start; now < start + ms; now = monotonicMs()) {
      const due = Math.floor(((now - start) * perSecond) / 1_000);
      while (casts.length < due) casts.push(castTimed(target));
      await pause(BATCH_MS);
    }
    const accepted = (await Promise.all(casts)).filter(cast => cast !== undefined);
    const ackedMs = monotonicMs();
    return {
      ackedMs,
      ms: ackedMs - start,
      attempts: casts.length,
      versions: Float64Array.from(accepted, ({ version }) => version),
      times: Float64Array.from(accepted, ({ castMs }) => castMs),
    };
  },
};

async function castTimed({ pollId, answerIds }: Target) {
  const castMs = monotonicMs();
  const { outcome, version } = await opened()
    .castBallot(nextBallot(pollId, answerIds))
    .catch(() => ({ outcome: 'lost', version: 0 }));
  return outcome === 'accepted' ? { version, castMs } : undefined;
}

async function atFullSpeed(ms: number, act: (index: number) => Promise<boolean>) {
  const start = monotonicMs();
  const end = start + ms;
  let acts = 0;
  let failures = 0;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (monotonicMs() < end) {
        acts += 1;
        if (!(await act(acts))) failures += 1;
      }
    }),
  );
  return { acts: acts - failures, failures, ms: monotonicMs() - start };
}

function ballotFor({ pollId, answerIds }: Target, checks: Checks): Ballot {
  // As a front end of ours: a UUID.
  const ballot = { ...nextBallot(pollId, answerIds), ballotId: nextUuid() };
  if (checks === 'usual') return ballot;
  if (checks === 'every') return { ...ballot, name: 'Alice' };
  const proof = { id: `proof-${ballot.ballotId}`, expiresAtMs: Date.now() + PROOF_LIFE_MS };
  return { ...ballot, name: 'Alice', proof };
}

function nextUuid(): string {
  uuids += 1;
  const [first, last] = [process.pid, uuids].map(number => number.toString(16).padStart(12, '0'));
  return `${first?.slice(4)}-${first?.slice(0, 4)}-4000-8000-${last}`;
}

/** Strict: with a deadline and names, beside the address that every poll checks unless it says otherwise. */
function newPoll(strict: boolean): NewPoll {
  serial += 1;
  const id = `B${`${process.pid}`.padStart(7, '0').slice(-7)}${`${serial}`.padStart(4, '0').slice(-4)}`;
  return {
    poll: {
      id,
      title: 'Bench',
      description: '',
      answers: Array.from({ length: 4 }, (_, index) => ({ id: `answer-${index}`, text: `Answer ${index}` })),
      // Absent flags are off.
      settings: { isPrivate: true, requireName: strict } as NewPoll['poll']['settings'],
      image: null,
      createdAtMs: Date.now(),
    },
    keys: { adminKeyHash: 'bench', viewKeyHash: 'bench' },
    deadlineMs: strict ? Date.now() + 3_600_000 : null,
    resultsVisibility: 'always',
  };
}

export type CasterCalls = typeof calls;
serveCalls(calls);
