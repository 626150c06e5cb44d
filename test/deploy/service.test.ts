import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProgram } from '../start/program.ts';
import { programPath } from '../support/programs.ts';
import { builtFile } from '../support/relay-process.ts';
import { readShipped } from './composition.ts';

const run = promisify(execFile);
const UNIT = readShipped('src/deploy/one-machine/tallycast.service');
/** The exposure level of systemd, of 10. */
const MAX_EXPOSURE = 1.5;
/** Limit for closing live connections. */
const CLOSING_S = 8;

const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(UNIT)?.[1] ?? '';

/** Runs systemd-analyze on the unit, with an existing program. */
async function analyze(...args: readonly string[]): Promise<string> {
  const program = programPath('systemd-analyze');
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-unit-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'tallycast.service');
  await writeFile(file, UNIT.replaceAll('=tallycast ', `=${process.execPath} `));
  const { stdout, stderr } = await run(program, [...args, '--no-pager', file]);
  return stdout + stderr;
}

describe('the unit for systemd', () => {
  it('is valid for systemd', { tags: ['systemd-analyze'] }, async () => {
    expect(await analyze('verify')).toBe('');
  });

  it(`has an exposure level below ${MAX_EXPOSURE} of 10`, { tags: ['systemd-analyze'] }, async () => {
    const exposure = /exposure level for \S+: ([\d.]+)/.exec(
      await analyze('security', '--offline=true'),
    )?.[1];
    expect(Number(exposure)).toBeGreaterThan(0);
    expect(Number(exposure)).toBeLessThan(MAX_EXPOSURE);
  });

  it('starts and stops by its command, with time to close live connections', async () => {
    const serve = setting('ExecStart').split(' ').slice(1);
    const NODE_OPTIONS = /NODE_OPTIONS=(\S+)/.exec(setting('Environment'))?.[1] as string;
    expect(NODE_OPTIONS).toBe('--max-semi-space-size=8');
    const command = (args: readonly string[] = []) => [
      process.execPath,
      builtFile('cli/tallycast.js'),
      ...args,
    ];
    const program = await startProgram({ NODE_OPTIONS }, { command: command(serve) });
    await program.running();
    program.child.kill('SIGTERM');
    expect(await program.ended()).toBe(0);
    expect(Number(setting('TimeoutStopSec'))).toBeGreaterThan(CLOSING_S);
    expect(Number(setting('LimitNOFILE'))).toBeGreaterThanOrEqual(65_536);
  });

  it('does not restart with an invalid setting', async () => {
    const command = [process.execPath, builtFile('cli/tallycast.js'), 'serve'];
    // systemd would restart after a failed ExecStartPre.
    expect(UNIT).not.toContain('ExecStartPre');
    for (const invalid of [
      { LOG_LEVEL: 'loud' },
      { REDIS_URL: 'rediss://a.test', REDIS_CA_FILE: '/nowhere.pem' },
    ]) {
      const program = await startProgram(invalid, { command });
      expect(`${await program.ended()}`).toBe(setting('RestartPreventExitStatus'));
    }
  });
});
