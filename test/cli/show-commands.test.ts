import { afterAll, beforeAll, expect, it } from 'vitest';
import { findShow } from '../../src/show/shows.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { runToEnd } from './terminal-command.ts';

const OPERATOR_KEY = 'operator-key-0123456789';

let relay: TestRelay;
const run = (args: readonly string[], env?: Record<string, string>) => runToEnd(relay.url, args, env);

beforeAll(async () => {
  relay = await startTestRelay({ operatorKeys: [OPERATOR_KEY] });
  await run(['show', 'create', 'morning']);
});

afterAll(() => relay.close());

it('creates a show, puts a poll on air and off air, and deletes it, with the key of the show or an operator key', async () => {
  const { id } = await relay.create();
  const made = JSON.parse((await run(['show', 'create', 'evening', '--title', 'Evening', '--json'])).stdout);
  expect(made.links.overlay).toBe('http://relay.test/overlay/show/evening');
  for (const TALLYCAST_KEY of [OPERATOR_KEY, made.show_key]) {
    const env = { TALLYCAST_KEY };
    expect(await run(['show', 'point', 'evening', id], env)).toEqual({
      code: 0,
      stdout: `evening: ${id} on air at ${relay.url}/overlay/show/evening\n`,
      stderr: '',
    });
    expect((await findShow(relay.engine, 'evening'))?.onAir).toBe(id);
    expect((await run(['show', 'status', 'evening'])).stdout).toBe(`evening: ${id} on air\n`);
    expect((await run(['show', 'clear', 'evening'], env)).stdout).toBe('evening: no poll on air\n');
    expect((await findShow(relay.engine, 'evening'))?.onAir).toBeNull();
  }
  expect((await run(['show', 'delete', 'evening', '--key', made.show_key])).code).toBe(0);
  expect(await findShow(relay.engine, 'evening')).toBeUndefined();
});

it('steps through a run-down, and replaces the key of the show', async () => {
  const made = JSON.parse((await run(['show', 'create', 'friday', '--json'])).stdout);
  let env = { TALLYCAST_KEY: made.show_key };
  const add = async (title: string) =>
    JSON.parse((await run(['poll', 'create', title, 'yes', 'no', '--show', 'friday', '--json'], env)).stdout)
      .id;
  expect((await run(['show', 'rundown', 'friday'], env)).stdout).toBe('The run-down is empty\n');
  const ids = [await add('First'), await add('Second'), await add('Third')];
  expect((await run(['show', 'order', 'friday', ids[2], ids[0], ids[1]], env)).stdout).toContain('3 polls');
  expect((await run(['show', 'next', 'friday'], env)).stdout).toContain(`friday: ${ids[2]} on air at`);
  await run(['poll', 'delete', ids[0], '--yes'], env);
  const { stdout, stderr } = await run(['show', 'next', 'friday'], env);
  expect([stdout, stderr]).toEqual([
    `friday: ${ids[1]} on air at ${relay.url}/overlay/show/friday\n`,
    `tallycast: skipped ${ids[0]}, which was deleted\n`,
  ]);
  await run(['poll', 'hide', ids[1]], env);
  expect((await run(['show', 'rundown', 'friday'], env)).stdout).toBe(
    `  ${ids[2]}  open, 0 votes  Third\n  ${ids[0]}  deleted\n> ${ids[1]}  open, hidden, 0 votes  Second\n`,
  );
  expect((await run(['show', 'previous', 'friday'], env)).stdout).toContain(ids[2]);
  const key = (await run(['show', 'new-key', 'friday'], env)).stdout.trim();
  expect((await run(['show', 'next', 'friday'], env)).stderr).toContain('does not give access to this show');
  env = { TALLYCAST_KEY: key };
  expect((await run(['show', 'clear', 'friday'], env)).stdout).toBe('friday: no poll on air\n');
});

it.each([
  [['show', 'point', 'morning', 'nopenopenope'], 'show_key'],
  [
    ['show', 'point', 'morning', 'nopenopenope', '--key', 'wrong-key-0123456789'],
    'does not give access to this show',
  ],
  [['show', 'point', 'morning', 'nopenopenope', '--key', OPERATOR_KEY], 'no poll with this id'],
  [['show', 'clear', 'MORNING', '--key', OPERATOR_KEY], 'no show with this name'],
  [['show', 'create', 'morning'], 'taken'],
  [['show', 'next', 'morning', '--key', OPERATOR_KEY], 'The run-down is empty'],
  [['show', 'create', 'next'], 'show.name'],
])('reports an error in one line for %j', async (args, words) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(words);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
