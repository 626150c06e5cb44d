import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ScriptedLog } from '../audit/scripted-log.ts';
import { runToEnd, TerminalCommand } from './terminal-command.ts';

let log: ScriptedLog;
let relay: Awaited<ReturnType<ScriptedLog['serve']>>;
let folder: string;
const verify = (...args: string[]) => runToEnd(relay.url, ['verify', ...args]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tallycast-verify-'));
  log = new ScriptedLog().add(1_200);
  relay = await log.serve();
});

afterAll(async () => {
  await relay.close();
  await rm(folder, { recursive: true });
});

it('follows an open poll by a file, and verifies its end', async () => {
  log.ended = false;
  const file = join(folder, 'seen.txt');
  const open = await verify(log.pollId, '--save', file);
  expect(open.stdout).toContain('The log has 1,200 ballots so far. It is signed.\n');
  expect(await readFile(file, 'utf8')).toBe(log.checkpoint());
  const again = await verify(log.pollId, '--save', file);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('seen.txt exists')]);
  log.add(34);
  const later = await verify(log.pollId, '--checkpoint', file);
  expect(later.stdout).toContain('1,234 ballots so far. It is signed and has only grown since');
  log.ended = true;
  log.ballots[5] = { ...log.ballots[5]!, voided: true };
  const { ballotId, answers } = log.ballots[5]!;
  const ended = await verify(log.pollId, '--checkpoint', file, '--receipt', ballotId);
  expect(ended).toEqual({
    code: 0,
    stdout: `Which?
The result is verified: 1,234 ballots, 1 of them voided. The published counts are those of the ballots.
The log contains the checkpoint in ${file}: 1,200 ballots, and 34 since.
The ballot of the receipt is number 6: ${answers[0]!.toUpperCase()}. It is voided and does not count.
Key of the log: ${log.key}
`,
    stderr: '',
  });
  log.ballots[7] = { ballotId: 'another', answers: ['a'] };
  const forged = await verify(log.pollId, '--checkpoint', file);
  expect(forged.code).toBe(1);
  expect(forged.stdout).toContain(
    'The result is NOT verified.\n- The ballots are not those of the checkpoint',
  );
  const json = JSON.parse((await verify(log.pollId, '--checkpoint', file, '--json')).stdout);
  expect(json).toMatchObject({ success: 0, complete: true, size: 1_234, voided: 1, contained: [] });
  expect(json.faults).toHaveLength(1);
});

it.each([
  ['/', ''],
  ['/', '/check'],
  ['/', '/manage?x=1'],
  ['/overlay/', '#key=view_x'],
  ['/api/poll/', ''],
  ['/api/poll/', '/log'],
  ['/api/poll/', '/log/checkpoint'],
  ['/api/poll/', '/log/2/tile/0/000'],
])('takes %s<poll id>%s, on the origin of the URL', async (before, after) => {
  const command = new TerminalCommand(['verify', `${relay.url}${before}${log.pollId}${after}`], {});
  expect(await command.exit).toBe(0);
  expect(command.stdout).toContain('The result is verified');
  expect(command.stdout).toContain('Changes before now would not show');
});

it('takes a page of a voting front end that has another origin', async () => {
  const page = createServer((_, response) => {
    const link = `<${relay.url}/api/poll/${log.pollId}>; rel="describedby"; type="application/json"`;
    response.setHeader('link', link).end('<!doctype html>');
  }).listen(0, '127.0.0.1');
  await once(page, 'listening');
  const { port } = page.address() as AddressInfo;
  const command = new TerminalCommand(['verify', `http://127.0.0.1:${port}/${log.pollId}`], {});
  expect(await command.exit).toBe(0);
  expect(command.stdout).toContain('The result is verified');
  page.close();
});

it.each([
  ['--checkpoint', '/nowhere/seen.txt', '/nowhere/seen.txt cannot be read (ENOENT).'],
  ['--save', '/nowhere/seen.txt', '/nowhere/seen.txt cannot be written (ENOENT).'],
])('reports that the file of %s is unusable', async (option, file, words) => {
  const { code, stderr } = await verify(log.pollId, option, file);
  expect([code, stderr]).toEqual([1, `tallycast: ${words}\n`]);
});

it('reports a log that is none', async () => {
  log.lie = (path, body) => (path === '/log' ? '{"log":{}}' : body);
  const { code, stderr } = await verify(log.pollId);
  log.lie = (_, body) => body;
  expect([code, stderr]).toEqual([1, 'tallycast: The relay sends no log that can be read.\n']);
});
