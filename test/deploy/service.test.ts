import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProgram } from '../start/program.ts';
import { builtFile } from '../support/relay-process.ts';
import { ensureProgram } from '../support/system-package.ts';
import { readShipped } from './composition.ts';

const run = promisify(execFile);
const UNIT = readShipped('src/deploy/tallycast.service');
/** Of ten, as systemd counts what a program could do if somebody took it over. */
const EXPOSURE = 1.5;
/** What a farewell takes at most. */
const FAREWELL_S = 8;

const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(UNIT)?.[1] ?? '';

/** @returns what systemd-analyze says of the unit, with a program in it that is there */
async function analyze(...args: readonly string[]): Promise<string> {
  const program = ensureProgram(['systemd-analyze'], {
    variable: 'SYSTEMD_ANALYZE_BIN',
    ...{ apt: 'systemd', brew: 'systemd', apk: 'systemd', dnf: 'systemd' },
  });
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-unit-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'tallycast.service');
  await writeFile(file, UNIT.replaceAll('=tallycast ', `=${process.execPath} `));
  const { stdout, stderr } = await run(program, [...args, '--no-pager', file]);
  return stdout + stderr;
}

describe('the unit for systemd', { timeout: 120_000 }, () => {
  it.skipIf(process.platform !== 'linux')('is one that systemd understands, every line of it', async () => {
    expect(await analyze('verify')).toBe('');
  });

  it.skipIf(process.platform !== 'linux')(
    `leaves whoever takes it over less than ${EXPOSURE} of 10`,
    async () => {
      const exposure = /exposure level for \S+: ([\d.]+)/.exec(
        await analyze('security', '--offline=true'),
      )?.[1];
      expect(Number(exposure)).toBeGreaterThan(0);
      expect(Number(exposure)).toBeLessThan(EXPOSURE);
    },
  );

  it('serves and leaves by its own command, with time for the farewell', async () => {
    const serve = setting('ExecStart').split(' ').slice(1);
    const NODE_OPTIONS = /NODE_OPTIONS=(\S+)/.exec(setting('Environment'))?.[1] as string;
    expect(NODE_OPTIONS).toBe('--max-semi-space-size=8');
    const command = (args: readonly string[] = []) => [process.execPath, builtFile('tallycast.js'), ...args];
    const program = await startProgram({ NODE_OPTIONS }, { command: command(serve) });
    await program.running();
    program.child.kill('SIGTERM');
    expect(await program.ended()).toBe(0);
    expect(Number(setting('TimeoutStopSec'))).toBeGreaterThan(FAREWELL_S);
    expect(Number(setting('LimitNOFILE'))).toBeGreaterThanOrEqual(65_536);
  });

  it('does not try again with a setting that is faulty', async () => {
    const command = [process.execPath, builtFile('tallycast.js'), 'serve'];
    // systemd applies it to the main process alone: a check before it would fail again and again.
    expect(UNIT).not.toContain('ExecStartPre');
    for (const faulty of [
      { LOG_LEVEL: 'loud' },
      { REDIS_URL: 'rediss://a.test', REDIS_CA_FILE: '/nowhere.pem' },
    ]) {
      const program = await startProgram(faulty, { command });
      expect(`${await program.ended()}`).toBe(setting('RestartPreventExitStatus'));
    }
  });
});
