import { expect, it } from 'vitest';
import { builtFile } from '../support/relay-process.ts';
import { startProgram } from './program.ts';

/** In place of the one that only newer Nodes have: says what the process would become. */
const EXECVE = `process.execve = (file, args) => {
  process.stdout.write('becomes ' + JSON.stringify([file, ...args]));
  process.exit(0);
};`;
const main = builtFile('main.js');

it('starts again with bounded young garbage, and all else as it was said', async () => {
  const program = await startProgram(
    {},
    { command: [process.execPath, '--stack-trace-limit=5', main], preload: EXECVE },
  );
  expect(await program.ended()).toBe(0);
  const [, said = ''] = /becomes (.*)/.exec(program.log) ?? [];
  const node = process.execPath;
  const bound = ['--min-semi-space-size=8', '--max-semi-space-size=8'];
  expect(JSON.parse(said)).toEqual([node, node, ...bound, '--stack-trace-limit=5', main]);
});

it('starts once where somebody has said how much', async () => {
  const command = [process.execPath, '--max-semi-space-size=16', main];
  const program = await startProgram({}, { command, preload: EXECVE });
  await program.running();
  expect(program.log).not.toContain('becomes');
});
