import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../../src/engine/engine.ts';
import { type Poll, type PollId, pollSettings } from '../../../src/poll/poll.ts';
import { startRedisServer } from '../../support/redis-server.ts';
import { importDist } from '../contender/locations.ts';
import { SAMPLE_POLL } from '../contender/sample-results.ts';
import { redisObstacle } from '../contender/tallycast.ts';
import { createPoll, startVotingFrontEnd } from '../contender/voting-front-end.ts';
import { usedMemory } from '../load/redis-wire.ts';
import type { VoterCalls } from '../load/voter.process.ts';
import { end, startWorker } from '../system/children.ts';
import { cpuMs } from '../system/usage.ts';
import { type Bench, type Context, grouped, row, type Sample } from './bench.ts';

const BALLOT = 'a ballot by the voting front end';
const ORDINARY = 'ordinary poll';
const VERIFIABLE = 'verifiable poll';
/** Its ratio to the first is the noise. */
const AGAIN = 'another ordinary poll';
const MOST = 1.05;
const ENGINES = ['embedded', 'Redis'] as const;
type EngineName = (typeof ENGINES)[number];
/** What both polls get in turn, so that they share the moods of the machine. */
const ROUNDS = 30;
const BALLOTS = 500;
const GROUP = 2_000;
const MORE = 1_000;
const MINUTE_MS = 60_000;
const EASY = { PROOF_COST: '1' };
const sceneOf = (engine: EngineName) => `${BALLOT}, ${engine}`;

/** What a ballot of a verifiable poll costs beside one of an ordinary poll. */
export const verifiable: Bench = {
  name: 'verifiable',
  title: 'Verifiable polls: CPU of a ballot, with all threads and Redis',
  control: ORDINARY,
  targets: ENGINES.map(engine => ({
    ...{ scene: sceneOf(engine), contender: VERIFIABLE, metric: 'server CPU' },
    text: `at most ${MOST} × that of an ordinary poll`,
    isMet: ({ ratio }) => ratio <= MOST,
  })),
  run: context => onEach(context, measureBallots),
};

/** The log of a verifiable poll, built on demand. */
export const logs: Bench = {
  name: 'logs',
  title: 'Logs of verifiable polls: bytes of a ballot, and building the log',
  control: ORDINARY,
  targets: [],
  run: context => onEach(context, measureLog),
};

async function onEach(
  context: Context,
  measure: (engine: EngineName, context: Context) => Promise<Sample[]>,
): Promise<Sample[]> {
  const obstacle = redisObstacle();
  if (obstacle) context.note(obstacle);
  const samples: Sample[] = [];
  for (const engine of obstacle ? (['embedded'] as const) : ENGINES) {
    context.progress(engine);
    samples.push(...(await measure(engine, context)));
  }
  return samples;
}

/** CPU of all threads of the process, and of Redis. */
async function measureBallots(engine: EngineName, { quick }: Context): Promise<Sample[]> {
  const [rounds, count] = quick ? [2, 20] : [ROUNDS, BALLOTS];
  const frontEnd = await startVotingFrontEnd(engine === 'Redis' ? 'redis' : 'embedded', EASY);
  const load = startWorker<VoterCalls>('voter');
  try {
    const { port, relayPort } = frontEnd;
    const create = (poll: object) => createPoll(relayPort, { ...SAMPLE_POLL, ...poll });
    const pollIds = {
      [ORDINARY]: frontEnd.pollId,
      [VERIFIABLE]: await create({ verifiable: true }),
      [AGAIN]: await create({}),
    };
    const names = [ORDINARY, VERIFIABLE, AGAIN] as const;
    // The first two rounds are the compiler's.
    const each = (rounds + 2) * count;
    for (const name of names) await load.call('prepare', { port, pollId: pollIds[name], count: each });
    await frontEnd.restart({});
    const used = { [ORDINARY]: 0, [VERIFIABLE]: 0, [AGAIN]: 0 };
    const pids = [...frontEnd.pids(), ...frontEnd.redisPids];
    for (let round = 0; round < rounds + 2; round += 1)
      for (let turn = 0; turn < names.length; turn += 1) {
        const place = (round + turn) % names.length;
        const name = names[place]!;
        const from = place * each + round * count;
        const before = cpuMs(pids);
        await load.call('sendBallots', { port, pollId: pollIds[name], from, to: from + count });
        if (round >= 2) used[name] += cpuMs(pids) - before;
      }
    return Object.entries(used).flatMap(([name, ms]) =>
      row(sceneOf(engine), name, [['server CPU', 'µs', (ms * 1_000) / (rounds * count)]]),
    );
  } finally {
    await end(load.child);
    await frontEnd.stop();
  }
}

async function measureLog(engine: EngineName, context: Context): Promise<Sample[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tallycast-verifiable-'));
  const redis = engine === 'Redis' ? await startRedisServer() : undefined;
  try {
    return await buildLog(engine, redis ? { redisUrl: redis.url } : { dataDir }, context, () =>
      redis ? usedMemory(redis.port) : statSync(join(dataDir, 'tallycast.mdb')).size,
    );
  } finally {
    await redis?.stop();
    rmSync(dataDir, { recursive: true });
  }
}

async function buildLog(
  name: EngineName,
  where: { dataDir: string } | { redisUrl: string },
  { quick, progress }: Context,
  readBytes: () => number | Promise<number>,
): Promise<Sample[]> {
  const total = quick ? 2_000 : 1_000_000;
  const scene = `${grouped(total)} ballots, ${name}`;
  const { openEngine } =
    await importDist<typeof import('../../../src/engine/open-engine.ts')>('engine/open-engine.js');
  const { PollLogs } =
    await importDist<typeof import('../../../src/audit/poll-logs.ts')>('audit/poll-logs.js');
  const engine = await openEngine(where);
  try {
    const bytes: number[] = [];
    const polls = [
      await openPoll(engine, 'AAAAAAAAAAAA', false),
      await openPoll(engine, 'BBBBBBBBBBBB', true),
    ];
    for (const poll of polls) {
      const { isVerifiable } = poll.settings;
      progress(`${scene}: ${isVerifiable ? VERIFIABLE : ORDINARY}`);
      const count = isVerifiable ? total : total / 10;
      const before = await readBytes();
      await cast(engine, poll.id, count);
      bytes.push(((await readBytes()) - before) / count);
    }
    let nowMs = Date.now();
    const keeper = new PollLogs({
      engine,
      publicUrl: 'http://127.0.0.1',
      log: { error() {} },
      clock: () => nowMs,
    });
    const poll = polls[1]!;
    const timed = async (size: number) => {
      nowMs += MINUTE_MS;
      const startMs = performance.now();
      for (;;) {
        const log = await keeper.read(poll).catch(() => undefined);
        if (log?.size === size) return performance.now() - startMs;
        await new Promise(done => setTimeout(done, 5));
      }
    };
    const stalls = watchTurns();
    const before = await readBytes();
    const cpuBefore = process.cpuUsage();
    const wholeMs = await timed(total);
    const { user, system } = process.cpuUsage(cpuBefore);
    const stallMs = stalls();
    const logBytes = ((await readBytes()) - before) / total;
    await cast(engine, poll.id, MORE);
    const moreMs = await timed(total + MORE);
    return [
      ...row(scene, ORDINARY, [['bytes of a ballot', 'B', bytes[0]!]]),
      ...row(scene, VERIFIABLE, [
        ['bytes of a ballot', 'B', bytes[1]!],
        ['log', 'B', logBytes],
        ['building the log', 's', wholeMs / 1_000],
        ['its CPU', 's', (user + system) / 1e6],
        ['longest turn', 'ms', stallMs],
        [`${grouped(MORE)} more`, 'ms', moreMs],
      ]),
    ];
  } finally {
    await engine.close();
  }
}

async function openPoll(engine: Engine, id: PollId, isVerifiable: boolean): Promise<Poll> {
  const poll = {
    ...{ id, title: 'Verifiable', description: '', image: null, createdAtMs: await engine.polls.now() },
    answers: ['one', 'two', 'three'].map(answer => ({ id: answer, text: answer })),
    settings: pollSettings({ isVerifiable }),
  };
  const keys = { adminKeyHash: '', viewKeyHash: '' };
  await engine.polls.create({ poll, keys, deadlineMs: null, resultsVisibility: 'always' });
  return poll;
}

let voters = 0;

async function cast(engine: Engine, pollId: PollId, count: number): Promise<void> {
  for (let left = count; left > 0; left -= GROUP)
    await Promise.all(
      Array.from({ length: Math.min(left, GROUP) }, async () => {
        voters += 1;
        const voter = `voter ${voters}`;
        const ballotId = `00000000-0000-8000-8000-${`${voters}`.padStart(12, '0')}`;
        const ballot = {
          pollId,
          answers: ['two'],
          voter,
          address: voter,
          ballotId,
          network: 'q8Zx0hYl3TnAa1Bc',
        };
        const { outcome } = await engine.polls.cast(ballot);
        if (outcome !== 'accepted') throw new Error(outcome);
      }),
    );
}

/** @returns ends it: the longest time in milliseconds for which nothing else could run */
function watchTurns(): () => number {
  let [longestMs, lastMs, isOn] = [0, performance.now(), true];
  const turn = () => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (isOn) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOn = false;
    return longestMs;
  };
}
