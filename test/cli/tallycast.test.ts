import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFreePort } from '../support/free-port.ts';
import { builtFile } from '../support/relay-process.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { runToEnd, TerminalCommand } from './terminal-command.ts';

let relay: TestRelay;

beforeAll(async () => {
  relay = await startTestRelay();
});

afterAll(() => relay.close());

const run = (args: readonly string[], env?: Record<string, string>) => runToEnd(relay.url, args, env);

it('prints a line for each update, and exits cleanly on Ctrl-C', async () => {
  const { id } = await relay.create();
  const command = new TerminalCommand(['watch', id], { TALLYCAST_URL: relay.url });
  await command.printed('Waterloo: 0 (0 %) | Volare: 0 (0 %)');
  await relay.cast(id, 0);
  await command.printed('Waterloo: 1 (100 %)');
  command.process.kill('SIGINT');
  expect(await command.exit).toBe(0);
  expect(command.stderr).toBe('');
});

it('reports why it cannot reach a relay, and keeps trying', async () => {
  const port = await findFreePort();
  const command = new TerminalCommand(['watch', 'abc'], { TALLYCAST_URL: `http://127.0.0.1:${port}` });
  await command.printed('# cannot reach a relay (ECONNREFUSED); attempt 2 …');
  await command.printed('attempt 3 …');
  command.process.kill('SIGINT');
  expect(await command.exit).toBe(0);
});

it('prints the results once', async () => {
  const { id } = await relay.create();
  await relay.cast(id, 1, 3);
  const { code, stdout } = await run(['watch', `${relay.url}/overlay/${id}`, '--once']);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^ {2}Which song next\?\n\n {2}Waterloo {2} +0 % {2}0\n {2}Volare {4}█+ {2}100 % {2}3\n/,
  );
  expect(stdout).toContain('3 votes · live');
});

it('shows hidden results with either key of the poll, and fails without one', async () => {
  const { id, admin_key, view_key } = await relay.create({ results_visibility: 'hidden' });
  for (const key of [admin_key, view_key]) {
    const { code, stdout } = await run(['watch', id, '--once', '--plain', '--key', key]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('0 votes')]);
  }
  const { code, stderr } = await run(['watch', id, '--once']);
  expect(code).toBe(1);
  expect(stderr).toContain('the results are hidden');
  expect(await run(['watch', id, '--key', 'view_wrong'])).toMatchObject({ code: 1, stdout: '' });
});

it.each([
  [1, ['watch', 'nopenopenope'], 'no poll with this id'],
  [
    1,
    ['poll', 'close', 'nopenopenope', '--url', 'http://127.0.0.1:1'],
    'Cannot reach a relay at http://127.0.0.1:1',
  ],
  [2, ['watch', 'no/pe'], 'neither the id nor the URL of a poll'],
  [2, ['watch', 'abc', '--url', 'localhost'], 'http or https URL'],
  [2, ['poll', 'create', 'A?', 'B', 'C', '--url', 'localhost:8080'], 'http or https URL'],
  [2, ['show', 'status', 'evening', '--url', 'http://'], 'http or https URL'],
  [2, ['poll', 'create', 'Only a title'], 'needs a title and answers'],
  [
    2,
    ['poll', 'create', 'When?', 'Now', 'Later', '--closes-in', 'soon'],
    'Use a time like 90, 90s, 10m, 2h or 1d',
  ],
])('exits with %i and one line for %j', async (exitCode, args, words) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
  expect(stderr).toContain(words);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

it('fails with one line if its output cannot be written, but not for a pipe that is closed', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-unwritten-'));
  const run = (line: string) =>
    new Promise<{ code: number; stderr: string }>(done => {
      const env = { PATH: process.env['PATH'], DATA_DIR: dataDir };
      const program = [process.execPath, builtFile('cli/tallycast.js')];
      execFile('sh', ['-c', line, ...program], { env }, (error, _, stderr) =>
        done({ code: Number(error?.code ?? 0), stderr }),
      );
    });
  try {
    for (const command of ['key create desk --scope read', 'export -', '--help']) {
      const { code, stderr } = await run(`"$0" "$1" ${command} > /dev/full`);
      expect([command, code]).toEqual([command, 1]);
      expect(stderr).toMatch(/^tallycast: the output cannot be written: ENOSPC.*\n$/);
    }
    const piped = await run('{ "$0" "$1" export -; echo "exit code $?" >&2; } | true');
    expect(piped.stderr).toBe('exit code 0\n');
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
