// @module-tag redis-server
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type ArchivedBallot, type Engine, STORE_FILE } from '../../src/engine/engine.ts';
import { type EngineOptions, openEngine } from '../../src/engine/open-engine.ts';
import type { StoredBallot } from '../../src/poll/ballot.ts';
import { kill, logOf, spawnKept } from '../support/child-process.ts';
import { findFreePort } from '../support/free-port.ts';
import { redisRig } from '../support/redis-rig.ts';
import { builtFile } from '../support/relay-process.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import { until } from '../support/until.ts';
import {
  olderBallot,
  olderDigests,
  olderVotes,
  POLL,
  writeEmbedded,
  writeFormat1,
  writeFormat2,
} from './older-data.ts';
import { between, measured, randomOf, size } from './plan.ts';

const BALLOTS = size(20_000, 1_000_000);
const KILLS = 10;
/** For a million ballots, less the time that a busy machine kept the process waiting. */
const MIGRATES_MS = 60_000;
const LONG_MS = 1_800_000;

const { start, clientOf, closeAfter } = redisRig();

interface Run {
  /** Less the time that the machine kept it waiting. */
  readonly ms: number;
  readonly wallMs: number;
  readonly isKilled: boolean;
}

/** @param killAfterMs SIGKILL then, if it still runs */
async function run(
  program: string,
  args: readonly string[],
  env: object,
  killAfterMs?: number,
): Promise<Run> {
  const child = spawnKept(process.execPath, [builtFile(program), ...args], {
    env: { ...process.env, ...env },
  });
  const watch = new Stopwatch(child.pid);
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  clearTimeout(timer);
  if (signal === null) expect([code, logOf(child)]).toEqual([0, expect.any(String)]);
  return { ms: watch.ms, wallMs: watch.wallMs, isKilled: signal === 'SIGKILL' };
}

it.each([
  ['1', writeFormat1],
  ['2', writeFormat2],
] as const)(
  'T29: Redis format %s is migrated exactly, also if it is killed ten times',
  async (format, write) => {
    const random = randomOf(`T29 ${format}`);
    const redis = await start();
    const client = clientOf(redis);
    const folder = mkdtempSync(join(tmpdir(), 'tallycast-upgrade-'));
    closeAfter(() => rmSync(folder, { recursive: true, force: true }));
    let backups = 0;
    const migrate = async (killAfterMs?: number) => {
      backups += 1;
      // A killed run holds it for three more seconds.
      await client.del('tallycast:migration-lock');
      const args = ['migrate', join(folder, `${backups}.jsonl.gz`)];
      return run('tallycast.js', args, { REDIS_URL: redis.url }, killAfterMs);
    };
    await write(client, BALLOTS);
    const { ms, wallMs } = await migrate();
    await expectExact({ redisUrl: redis.url });

    let kills = 0;
    for (let isOver = true; kills < KILLS || !isOver; ) {
      if (isOver) {
        await client.flushall();
        await write(client, BALLOTS);
      }
      const { isKilled } = await migrate(kills < KILLS ? between(random, 0, Math.ceil(wallMs)) : undefined);
      isOver = !isKilled;
      if (isKilled) kills += 1;
      else await expectExact({ redisUrl: redis.url });
    }
    measured(
      'T29',
      `Redis format ${format}, ${BALLOTS} ballots: ${Math.round(ms)} ms (${Math.round(wallMs)} by the clock); killed ${kills} times: exact`,
    );
    expect(ms).toBeLessThan(MIGRATES_MS);
  },
  LONG_MS,
);

it(
  'T29: the embedded engine opens files of its first release exactly, also if it is killed ten times',
  async () => {
    const random = randomOf('T29 embedded');
    const folder = mkdtempSync(join(tmpdir(), 'tallycast-upgrade-'));
    closeAfter(() => rmSync(folder, { recursive: true, force: true }));
    const older = join(folder, 'older.mdb');
    await writeEmbedded(older, BALLOTS);
    copyFileSync(older, join(folder, STORE_FILE));
    const env = { DATA_DIR: folder, HOST: '127.0.0.1', ROLE: 'relay', LOG_LEVEL: 'error' };
    const startedMs = performance.now();
    const port = await findFreePort();
    const child = spawnKept(process.execPath, [builtFile('main.js')], {
      env: { ...process.env, ...env, PORT: `${port}` },
    });
    const reads = () =>
      fetch(`http://127.0.0.1:${port}/api/poll/${POLL}`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(reads, 'the poll to be read', 60_000);
    const ms = performance.now() - startedMs;
    await kill(child);
    for (let kills = 0; kills < KILLS; kills += 1)
      await run(
        'main.js',
        [],
        { ...env, PORT: `${await findFreePort()}` },
        between(random, 0, 2 * Math.ceil(ms)),
      );
    await expectExact({ dataDir: folder });
    measured(
      'T29',
      `embedded, ${BALLOTS} ballots: read after ${Math.round(ms)} ms; killed ${KILLS} times: exact`,
    );
    expect(ms).toBeLessThan(MIGRATES_MS);
  },
  LONG_MS,
);

/** Counts, each ballot in its place, each mark, and nothing else. */
async function expectExact(options: EngineOptions): Promise<void> {
  const engine = await openEngine(options);
  try {
    const { results, poll } = (await engine.polls.find(POLL))!;
    expect(results).toMatchObject({ votes: olderVotes(BALLOTS), totalVoters: BALLOTS, version: BALLOTS + 1 });
    expect(poll).toMatchObject({ title: 'Older', settings: { requireName: true, sharedAddress: false } });
    await expectEntries(engine);
    const { castAtMs: _, proof: __, ...ballot } = olderBallot(BALLOTS);
    expect(await engine.polls.cast({ pollId: POLL, ...ballot })).toEqual({
      ...{ outcome: 'repeated', version: BALLOTS + 1 },
    });
  } finally {
    await engine.close();
  }
}

async function expectEntries({ archive }: Engine): Promise<void> {
  const left = {
    voters: olderDigests(BALLOTS, 'voter'),
    addresses: olderDigests(BALLOTS, 'address'),
    proofs: olderDigests(BALLOTS, 'proof'),
  };
  let ordinal = 0;
  for await (const batch of archive.readPoll(POLL))
    for (const entry of batch)
      if (entry.type === 'ballot') {
        ordinal += 1;
        expectBallot(entry, ordinal);
      } else if ('digests' in entry)
        for (const digest of entry.digests)
          if (!left[entry.type].delete(digest))
            throw new Error(`An unknown mark of ${entry.type}: ${digest}`);
  expect(ordinal).toBe(BALLOTS);
  expect([left.voters.size, left.addresses.size, left.proofs.size]).toEqual([0, 0, 0]);
}

function expectBallot(entry: ArchivedBallot, ordinal: number): void {
  const of = ({ ballotId, answers, name, castAtMs }: StoredBallot) =>
    JSON.stringify([ballotId, answers, name, castAtMs]);
  if (of(entry) !== of(olderBallot(ordinal)) || entry.version !== ordinal + 1)
    throw new Error(`Ballot ${ordinal} is ${JSON.stringify(entry)}`);
}
