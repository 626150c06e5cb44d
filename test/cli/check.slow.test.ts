// @module-tag redis-server
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startProgram } from '../start/program.ts';
import { findFreePort } from '../support/free-port.ts';
import { redisRig } from '../support/redis-rig.ts';
import { builtFile } from '../support/relay-process.ts';
import { makeSmallDisk } from '../support/small-disk.ts';

const rig = redisRig();
const CHECK = [process.execPath, builtFile('cli/tallycast.js'), 'check', '--json'];

interface Line {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly message: string;
}

interface Outcome {
  readonly code: number | null;
  readonly failed: readonly string[];
  readonly warned: readonly string[];
  readonly lines: readonly Line[];
}

/** Runs `tallycast check` with the environment and limits of a start. */
async function check(...[settings, options]: Parameters<typeof startProgram>): Promise<Outcome> {
  const program = await startProgram(settings, { ...options, command: CHECK });
  const code = await program.ended();
  const found = program.log.split('\n').find(line => line.startsWith('{"success"')) ?? '';
  const lines = JSON.parse(found).checks as Line[];
  const of = (status: Line['status']) =>
    lines.filter(line => line.status === status).map(({ check, message }) => `${check}: ${message}`);
  for (const { message } of lines) expect(message).not.toContain('\n');
  return { code, failed: of('failed'), warned: of('warning'), lines };
}

let redisUrl: string;
beforeAll(async () => {
  redisUrl = `redis://127.0.0.1:${await findFreePort()}`;
});

describe('tallycast check', () => {
  it('reports no failure for a sound setup, and describes each engine', async () => {
    const embedded = await check();
    expect([embedded.code, embedded.failed, embedded.warned]).toEqual([0, [], []]);
    expect(embedded.lines.map(line => line.check)).toEqual(['limits', 'settings', 'engine', 'port', 'port']);
    const server = await rig.start(['--appendonly', 'yes', '--appendfsync', 'always']);
    const redis = await check({ REDIS_URL: server.url, ROLE: 'relay' });
    expect([redis.code, redis.failed, redis.warned]).toEqual([0, [], []]);
    expect(redis.lines.map(line => line.check)).toEqual(['limits', 'settings', 'engine', 'port']);
    expect(redis.lines[2]?.message).toMatch(/append-only file \(always\), 0 replicas; reads and writes$/);
  });

  it.each([
    [2, { ROLE: 'vote' }, /^settings: .*ROLE must be all, relay, voting or chat/],
    [2, { VPN_LIST_FILE: '/nowhere' }, /^settings: .*no such file/],
    [1, { DATA_DIR: '/proc/nowhere' }, /^engine: DATA_DIR \/proc\/nowhere cannot be used/],
    [
      1,
      { HOST: '192.0.2.1', ROLE: 'all' },
      /^port: PORT=\d+ on HOST=192.0.2.1: this machine has no such address/,
    ],
  ])('exits with %i for %j', async (exitCode, settings, words) => {
    const { code, failed } = await check(settings);
    expect([code, failed[0]]).toEqual([exitCode, expect.stringMatching(words)]);
  });

  it('reports a Redis that is unreachable, wrong, full or without persistence', async () => {
    const away = await check({ REDIS_URL: redisUrl });
    expect([away.code, away.failed]).toEqual([1, [expect.stringContaining('ECONNREFUSED')]]);
    const server = await rig.start();
    const wrong = await check({ REDIS_URL: server.url.replace('redis:', 'rediss:') });
    expect([wrong.code, wrong.failed]).toEqual([1, [expect.stringContaining('write redis:// for it')]]);
    const forgetful = await check({ REDIS_URL: server.url });
    expect([forgetful.code, forgetful.warned]).toEqual([0, [expect.stringContaining('Set appendonly yes')]]);
    await rig.clientOf(server).config('SET', 'maxmemory', '1mb');
    const full = await check({ REDIS_URL: server.url });
    expect([full.code, full.failed]).toEqual([1, [expect.stringContaining('no memory left')]]);
  });

  it('warns if anyone can create polls under a public address', async () => {
    const open = await check({ PUBLIC_URL: 'https://relay.example' });
    expect([open.code, open.warned]).toEqual([
      0,
      [expect.stringMatching(/^settings: .*CREATE_REQUIRES_KEY/)],
    ]);
  });

  it('reports a full disk, as does a start', async () => {
    const disk = await makeSmallDisk();
    onTestFinished(() => disk.close());
    const settings = { DATA_DIR: disk.dir };
    expect((await check(settings)).code).toBe(0);
    disk.fill();
    const command = [...disk.wrapper, ...CHECK];
    const full = await startProgram(settings, { command });
    expect(await full.ended()).toBe(1);
    expect(full.log).toMatch(/Nothing can be written to the disk\. \((ENOSPC|EFBIG): /);
    const serving = await startProgram(settings, {
      command: [...disk.wrapper, process.execPath, builtFile('start/main.js')],
    });
    await serving.running();
    await expect.poll(() => serving.log).toContain('engine not writable');
  });

  it('warns if other users of the machine can read the data', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-open-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    await chmod(dataDir, 0o1777);
    const open = await check({ DATA_DIR: dataDir });
    expect([open.code, open.warned]).toEqual([
      0,
      [
        `engine: ${dataDir} is open to other users of this machine: give it to the server's user, with mode 700`,
      ],
    ]);
  });

  it('reports a port in use with its setting, and too few file descriptors', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    const port = await new Promise<string>(done =>
      server.once('listening', () => done(`${(server.address() as { port: number }).port}`)),
    );
    const taken = await check({ VOTE_PORT: port });
    expect([taken.code, taken.failed]).toEqual([
      1,
      [
        `port: VOTE_PORT=${port} on HOST=127.0.0.1: in use by another program. Stop it or choose another port`,
      ],
    ]);
    const few = await check({}, { openFiles: 127 });
    expect([few.code, few.failed]).toEqual([1, [expect.stringContaining('may open only 127 files')]]);
    const low = await check({}, { openFiles: 200 });
    expect([low.code, low.warned]).toEqual([0, [expect.stringContaining('about 160 clients')]]);
  });
});
