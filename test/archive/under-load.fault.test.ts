// @module-tag redis-server
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, expect, it } from 'vitest';
import { AudienceReport } from '../../src/engine/audience.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { runCommand } from '../cli/terminal-command.ts';
import { allBallots, expectSound, newPoll } from '../contract/engine/engine-subject.ts';
import { kill, spawnKept } from '../support/child-process.ts';
import { redisRig } from '../support/redis-rig.ts';
import { builtFile } from '../support/relay-process.ts';
import { until } from '../support/until.ts';

const CASTING = fileURLToPath(new URL('../engine/embedded/casting-process.mjs', import.meta.url));
const BEFORE = 400;
const SECRET = 'S'.repeat(43);
const rig = redisRig('file');
const folders: string[] = [];
afterAll(() => Promise.all(folders.map(folder => rm(folder, { recursive: true, force: true }))));

async function folder(): Promise<string> {
  folders.push(await mkdtemp(join(tmpdir(), 'tallycast-archive-')));
  return folders.at(-1)!;
}

/** A poll with other records in a new folder, and a process that keeps casting ballots for it. */
async function castContinuously() {
  const dataDir = await folder();
  const made = newPoll({ allowComments: true }, Date.now());
  const [pollId, answer] = [made.poll.id, made.poll.answers[0]!.id];
  const engine = await openEngine({ dataDir });
  await engine.polls.create(made);
  await engine.records.put('secret:voting', SECRET);
  await engine.records.put('show:friday', '{"title":"","onAir":null,"keyHash":""}');
  await engine.close();
  const child = spawnKept(process.execPath, [
    CASTING,
    builtFile('engine/open-engine.js'),
    dataDir,
    pollId,
    answer,
    '20',
  ]);
  let output = '';
  child.stdout?.on('data', chunk => {
    output += chunk;
  });
  const acknowledged = () =>
    output
      .split('\n')
      .slice(0, -1)
      .map(line => line.split(' ')[1]!);
  const further = async (count: number) => {
    const goal = acknowledged().length + count;
    await until(() => acknowledged().length >= goal, 'ballots', 60_000);
  };
  return { dataDir, pollId, answer, child, acknowledged, further };
}

const ballotOf = (pollId: string, answer: string, name: string, ballotId = name) => ({
  pollId,
  answers: [answer],
  voter: name,
  address: name,
  ballotId,
});

function inHundreds(names: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(names.length / 100) }, (_, n) => names.slice(n * 100, n * 100 + 100));
}

/** Every ballot acknowledged before the archive is there; its voters cannot vote again, all others can vote once. */
async function expectMoved(engine: Engine, pollId: string, answer: string, before: readonly string[]) {
  await expectSound(engine, pollId);
  const held = new Set((await allBallots(engine, pollId)).map(({ ballotId }) => ballotId));
  expect(before.filter(name => !held.has(name))).toEqual([]);
  const cast = async (name: string, ballotId?: string) =>
    (await engine.castBallot(ballotOf(pollId, answer, name, ballotId))).outcome;
  const outcomes = new Set<string>();
  const again = new Set<string>();
  for (const names of inHundreds(before))
    for (const outcome of await Promise.all(names.map(name => cast(name)))) outcomes.add(outcome);
  for (const names of inHundreds([...held]))
    for (const outcome of await Promise.all(names.map(name => cast(name, `another of ${name}`))))
      again.add(outcome);
  expect([[...outcomes], [...again]]).toEqual([['repeated'], ['duplicate_voter']]);
  const voters = held.size;
  expect(await cast('another voter')).toBe('accepted');
  expect((await engine.polls.find(pollId))!.results.totalVoters).toBe(voters + 1);
  await expectSound(engine, pollId);
}

it('an embedded engine is exported, backed up and moved to Redis while ballots arrive', {
  timeout: 180_000,
}, async () => {
  const { dataDir, pollId, answer, child, acknowledged, further } = await castContinuously();
  const settings = { DATA_DIR: dataDir };
  await further(BEFORE);
  const before = acknowledged();
  const [exported, copied] = [join(await folder(), 'polls.jsonl.gz'), join(await folder(), 'copy')];
  expect(await runCommand(['export', exported], settings)).toMatchObject({ code: 0, json: { polls: 1 } });
  expect((await runCommand(['backup', copied], settings)).code).toBe(0);
  expect((await runCommand(['key', 'create', 'desk', '--scope', 'read'], settings)).code).toBe(0);
  await further(100);

  const redis = { REDIS_URL: (await rig.start()).url };
  const first = await runCommand(['import', exported], redis);
  expect(first.json).toMatchObject({ success: 1, polls: 1, known: 0 });
  expect((await runCommand(['import', exported], redis)).json).toMatchObject({
    polls: 0,
    ballots: 0,
    known: 1,
  });
  expect((await runCommand(['restore', exported], redis)).text).toContain('There are already polls');
  const moved = await openEngine({ redisUrl: redis.REDIS_URL });
  rig.closeAfter(() => moved.close());
  await expectMoved(moved, pollId, answer, before);
  expect(await moved.records.find('show:friday')).toContain('onAir');
  expect(await moved.records.find('secret:voting')).toBe(SECRET);

  const back = join(await folder(), 'back.jsonl');
  expect((await runCommand(['export', back], redis)).code).toBe(0);
  for (const file of [copied, back]) {
    const place = { DATA_DIR: await folder() };
    expect((await runCommand(['restore', file], place)).json).toMatchObject({ success: 1, polls: 1 });
    const restored = await openEngine({ dataDir: place.DATA_DIR });
    if (file === copied) await expectMoved(restored, pollId, answer, before);
    else await expectSound(restored, pollId);
    await restored.close();
  }
  await further(100);
  await kill(child);
  const source = await openEngine({ dataDir });
  await expectSound(source, pollId);
  await source.close();
});

it('Redis is exported while ballots arrive, and moved to an embedded engine', {
  timeout: 120_000,
}, async () => {
  const { url } = await rig.start();
  const engine = await openEngine({ redisUrl: url });
  rig.closeAfter(() => engine.close());
  const made = newPoll({}, Date.now());
  const [pollId, answer] = [made.poll.id, made.poll.answers[0]!.id];
  await engine.polls.create(made);
  const acknowledged: string[] = [];
  let isOver = false;
  const work = async (worker: number) => {
    for (let number = 0; !isOver; number += 1) {
      const name = `voter ${worker} ${number}`;
      await engine.castBallot(ballotOf(pollId, answer, name));
      acknowledged.push(name);
    }
  };
  const working = Promise.all(Array.from({ length: 20 }, (_, worker) => work(worker)));
  working.catch(() => {});
  await until(() => acknowledged.length >= 5 * BEFORE, 'ballots');
  const before = [...acknowledged];
  const file = join(await folder(), 'polls.jsonl');
  expect((await runCommand(['backup', file], { REDIS_URL: url })).json).toMatchObject({
    success: 1,
    polls: 1,
  });
  isOver = true;
  await working;
  const place = { DATA_DIR: await folder() };
  expect((await runCommand(['import', file], place)).json).toMatchObject({ success: 1, polls: 1 });
  const moved = await openEngine({ dataDir: place.DATA_DIR });
  await expectMoved(moved, pollId, answer, before);
  await moved.close();
});

it.each(['embedded', 'redis'])(
  'temporary records are not exported and do not prevent a restore, and an import skips keys: %s',
  async kind => {
    const [redisUrl, dataDir] = kind === 'redis' ? [(await rig.start()).url] : [undefined, await folder()];
    const place: Record<string, string> = redisUrl ? { REDIS_URL: redisUrl } : { DATA_DIR: dataDir! };
    const engine = await openEngine({ redisUrl, dataDir });
    const report = new AudienceReport(engine.records);
    report.add(() => new Map([['aaaaaaaaaaaa', 3]]));
    await until(async () => (await engine.records.find('audience')) !== undefined, 'a report');
    for (const name of [
      'human:token',
      'comment:id',
      'rehearsal:aaaaaaaaaaaa',
      'limits:1',
      'start',
      'trial',
    ] as const)
      await engine.records.put(name, '{}', 3_600_000);
    await engine.records.put('secret:limits', 'x');
    report.close();
    await engine.close();

    const file = join(await folder(), 'polls.jsonl');
    const counts = await runCommand(['export', file], place);
    expect(counts.json).toMatchObject({ records: 0, polls: 0 });
    const source = { DATA_DIR: await folder() };
    const full = await openEngine({ dataDir: source.DATA_DIR });
    await full.polls.create(newPoll({}, Date.now()));
    await full.close();
    expect((await runCommand(['key', 'create', 'desk', '--scope', 'read'], source)).code).toBe(0);
    const backup = join(await folder(), 'copy');
    expect((await runCommand(['backup', backup], source)).code).toBe(0);
    const elsewhere = { DATA_DIR: await folder() };
    expect((await runCommand(['import', backup], elsewhere)).json).toMatchObject({
      polls: 1,
      operatorKeys: [],
      skipped: { operatorKeys: 1, webhooks: 0, keptReplies: 0, passing: 0 },
    });
    const words = spawnSync(process.execPath, [builtFile('cli/tallycast.js'), 'import', backup], {
      env: elsewhere,
    });
    expect(`${words.stdout}`).toContain('Skipped: 1 operator key. Use --with-keys to import them.');
    expect((await runCommand(['key', 'list'], elsewhere)).text).not.toContain('desk');
    expect((await runCommand(['restore', backup], place)).json).toMatchObject({
      success: 1,
      polls: 1,
      operatorKeys: ['desk'],
    });
  },
);

it('a poll is read even if Redis copies it for longer than a command may take', async () => {
  const { url } = await rig.start();
  const engine = await openEngine({ redisUrl: url });
  const other = await openEngine({ redisUrl: url });
  rig.closeAfter(async () => void (await Promise.all([engine.close(), other.close()])));
  const made = newPoll({ allowComments: true }, Date.now());
  const { id } = made.poll;
  await engine.polls.create(made);
  await engine.castBallot(ballotOf(id, made.poll.answers[0]!.id, 'a voter'));
  await engine.comments.add(id, { id: 'c', name: '', text: 'Hello', writtenAtMs: 1 }, 5);
  const client = new Redis(url);
  await client.call('CLIENT', 'PAUSE', '2500', 'ALL');
  client.disconnect();
  const items: string[] = [];
  for await (const batch of engine.archive.readPoll(id)) items.push(...batch.map(({ type }) => type));
  expect(items).toEqual(['poll', 'ballot', 'voters', 'addresses', 'comment']);
});

it('a command that is killed while it writes beside a server damages nothing', {
  timeout: 120_000,
}, async () => {
  const { dataDir, pollId, child, further } = await castContinuously();
  const file = join(await folder(), 'polls.jsonl');
  await further(BEFORE);
  expect((await runCommand(['export', file], { DATA_DIR: dataDir })).code).toBe(0);
  const kills = [30, 60, 90, 120, 150, 180];
  for (const afterMs of kills) {
    const importing = spawnKept(
      process.execPath,
      [builtFile('cli/tallycast.js'), 'restore', '--replace', file],
      {
        env: { PATH: process.env['PATH'], DATA_DIR: dataDir },
      },
    );
    const ended = once(importing, 'exit');
    // From early to late in its run.
    await new Promise(done => setTimeout(done, 400 + afterMs));
    importing.kill('SIGKILL');
    await ended;
  }
  await kill(child);
  const source = await openEngine({ dataDir });
  expect((await source.polls.now()) > 0).toBe(true);
  if (await source.polls.find(pollId)) await expectSound(source, pollId);
  await source.close();
  expect((await runCommand(['restore', '--replace', file], { DATA_DIR: dataDir })).json).toMatchObject({
    polls: 1,
  });
  const restored = await openEngine({ dataDir });
  await expectSound(restored, pollId);
  await restored.close();
});
