import type { ChildProcess } from 'node:child_process';
import type { Engine } from '../../../src/engine/open-engine.ts';
import { findFreePort } from '../../support/free-port.ts';
import { type RedisServer, startRedisServer } from '../../support/redis-server.ts';
import { end, findProgram, launch } from '../system/children.ts';
import { withChildren } from '../system/usage.ts';
import type { Contender, RunningContender } from './contender.ts';
import { distFile, importDist, startFlags } from './locations.ts';
import { answers } from './probe.ts';
import { SAMPLE_POLL } from './sample-results.ts';

export interface RelayOptions {
  readonly workers?: number;
  /** The rate that subscribers ask for. */
  readonly hz?: number;
  /** Whether subscribers ask for counts alone. */
  readonly compact?: boolean;
  /** Where the relay leaves a profile of its CPU when it is stopped. */
  readonly profileDir?: string | undefined;
}

export interface RunningRelay extends RunningContender {
  readonly port: number;
  readonly pollId: string;
  readonly answerIds: readonly string[];
  readonly redis: RedisServer;
  restart(): Promise<number>;
}

const START_PATIENCE_MS = 15_000;
let ballots = 0;

export function redisObstacle(): string | undefined {
  if (findProgram('redis-server') || findProgram('valkey-server')) return undefined;
  return 'there is no redis-server here';
}

/**
 * Subscribers ask for more than there is to send, because no other contender conflates: at ten
 * updates a second and at most ten results a second every other update would wait for its turn, and
 * the wait would be all that is measured.
 */
export const tallycast: Contender = {
  name: 'Tallycast',
  findObstacle: redisObstacle,
  start: () => startRelay({ hz: 20, profileDir: process.env['BENCH_PROFILE'] }),
};

export const tallycastCompact: Contender = {
  name: 'Tallycast, compact=1',
  findObstacle: redisObstacle,
  start: () => startRelay({ hz: 20, compact: true }),
};

export async function openBenchEngine(redisUrl: string): Promise<Engine> {
  const { openEngine } = await importDist<typeof import('../../../src/engine/open-engine.ts')>(
    'engine',
    'open-engine.js',
  );
  return openEngine({ redisUrl });
}

/** The relay as its own process, as people run it, with its limits out of the way of a load from one address. */
export async function startRelay(options: RelayOptions = {}): Promise<RunningRelay> {
  const undo: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const step of undo.reverse()) await step();
  };
  try {
    return await assemble(options, undo, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @param undo what has to be done in the end, the last of it first */
async function assemble(
  { workers, hz, compact, profileDir }: RelayOptions,
  undo: (() => Promise<void>)[],
  stop: () => Promise<void>,
): Promise<RunningRelay> {
  const redis = await startRedisServer();
  undo.push(() => redis.stop());
  const port = await findFreePort();
  const env = {
    ...process.env,
    ROLE: 'relay',
    PORT: `${port}`,
    REDIS_URL: redis.url,
    LOG_LEVEL: 'error',
    MAX_CONNECTIONS_PER_ADDRESS: '1000000',
    CREATE_PER_MINUTE: '1000000',
    CREATE_BYTES_PER_DAY: '1000000000',
    WORKERS: workers === undefined ? '' : `${workers}`,
  };
  let child = await launchRelay(port, env, profileDir);
  // At a clean end only a profile is written.
  undo.push(() => end(child, profileDir ? 'SIGTERM' : 'SIGKILL'));
  const pollId = await createPoll(port);
  const answerIds = await readAnswerIds(port, pollId);
  const engine = await openBenchEngine(redis.url);
  undo.push(() => engine.close());

  const publish = async () => {
    const { outcome, version } = await engine.castBallot(nextBallot(pollId, answerIds));
    if (outcome !== 'accepted') throw new Error(`a ballot was answered with ${outcome}`);
    return version;
  };
  const query = [hz && `hz=${hz}`, compact && 'compact=1'].filter(Boolean).join('&');
  return {
    dial: { port, path: `/api/poll/${pollId}/live?${query}` },
    port,
    pollId,
    answerIds,
    redis,
    pids: () => withChildren(child.pid ?? 0),
    publish,
    async restart() {
      await end(child);
      const version = await publish();
      child = await launchRelay(port, env, undefined);
      return version;
    },
    stop,
  };
}

export function nextBallot(pollId: string, answerIds: readonly string[]) {
  ballots += 1;
  const id = `${process.pid}-${ballots}`;
  return {
    pollId,
    answers: [answerIds[0] ?? ''],
    voter: `voter-${id}`,
    address: `address-${id}`,
    ballotId: `ballot-${id}`,
  };
}

async function launchRelay(
  port: number,
  env: NodeJS.ProcessEnv,
  profileDir: string | undefined,
): Promise<ChildProcess> {
  const profiling = profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [];
  const child = launch(process.execPath, [...startFlags(), ...profiling, distFile('start/main.js')], { env });
  if (await answers(port, START_PATIENCE_MS)) return child;
  await end(child);
  throw new Error('the relay did not start (BENCH_DEBUG=1 shows why)');
}

async function createPoll(port: number): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${port}/api/poll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ poll: SAMPLE_POLL }),
  });
  const { id } = (await reply.json()) as { id?: string };
  if (!id) throw new Error(`creating a poll was answered with ${reply.status}`);
  return id;
}

async function readAnswerIds(port: number, pollId: string): Promise<string[]> {
  const reply = await fetch(`http://127.0.0.1:${port}/api/poll/${pollId}`);
  const results = (await reply.json()) as { poll_answers?: { id: string }[] };
  if (!results.poll_answers) throw new Error(`reading a new poll was answered with ${reply.status}`);
  return results.poll_answers.map(({ id }) => id);
}
