import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasEnded, kill, logOf, said, spawnKept } from '../support/child-process.ts';
import { findFreePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { type Packed, packPackage } from './packed.ts';

/** The tarball, installed in an empty folder. */

const run = promisify(execFile);
const START_MS = 60_000;

let packed: Packed;
let folder: string;
let settings: NodeJS.ProcessEnv;

beforeAll(async () => {
  packed = await packPackage();
  folder = await mkdtemp(join(tmpdir(), 'tallycast-installed-'));
  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--omit=dev'];
  await run('npm', ['install', packed.tarball, ...quiet], { cwd: folder });
  const [port, votePort] = [await findFreePort(), await findFreePort()];
  const { PATH, HOME } = process.env;
  settings = {
    PATH,
    HOME,
    PORT: `${port}`,
    VOTE_PORT: `${votePort}`,
    TALLYCAST_URL: `http://127.0.0.1:${port}`,
  };
}, 240_000);

afterAll(async () => {
  await packed.remove();
  await rm(folder, { recursive: true, force: true });
});

async function npx(...args: string[]): Promise<string> {
  const { stdout } = await run('npx', ['--no-install', ...args], { cwd: folder, env: settings });
  return stdout;
}

describe('the installed package', { timeout: 150_000 }, () => {
  it('checks its environment, serves, creates a poll and opens its voting page', async () => {
    const checks = JSON.parse(await npx('tallycast', 'check', '--json'));
    expect(checks).toMatchObject({ success: 1 });

    const server = spawnKept('npx', ['--no-install', 'tallycast'], {
      cwd: folder,
      env: settings,
      detached: true,
    });
    onTestFinished(() => kill(server));
    await said(server, 'server listening', START_MS);

    const made = JSON.parse(await npx('tallycast', 'poll', 'create', 'Which?', 'This', 'That', '--json'));
    const page = await fetch(made.links.vote);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Which?')]);
    const overlay = await fetch(made.links.overlay);
    expect([overlay.status, await overlay.text()]).toEqual([200, expect.stringContaining('<script')]);

    // To the whole process group, as a terminal does.
    process.kill(-(server.pid as number), 'SIGINT');
    await until(() => hasEnded(server), `the end of the server: ${logOf(server)}`, START_MS);
  });

  it('can be loaded by CommonJS programs', async () => {
    const program = `
      const { openEngine } = require('tallycast/engine');
      const { watchPoll } = require('tallycast/client');
      console.log(typeof openEngine, typeof watchPoll);`;
    const { stdout } = await run(process.execPath, ['--input-type=commonjs', '-e', program], { cwd: folder });
    expect(stdout).toBe('function function\n');
  });

  it('can be imported by programs', async () => {
    const program = `
      import { openEngine } from 'tallycast/engine';
      import { watchPoll } from 'tallycast/client';
      const engine = await openEngine({ dataDir: './imported' });
      console.log(typeof engine.castBallot, typeof watchPoll);
      await engine.close();`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: folder });
    expect(stdout).toBe('function function\n');
  });
});
