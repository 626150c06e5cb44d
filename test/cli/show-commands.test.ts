import { afterAll, beforeAll, expect, it } from 'vitest';
import { findShow } from '../../src/show/shows.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { runToEnd } from './terminal-command.ts';

const OPERATOR_KEY = 'operator-key-0123456789';

let relay: TestRelay;
const run = (args: readonly string[], env?: Record<string, string>) => runToEnd(relay.url, args, env);

beforeAll(async () => {
  relay = await startTestRelay({ operatorKeys: [OPERATOR_KEY] });
});

afterAll(() => relay.close());

it('takes a name, points it to a poll and to nothing, and gives it back, with the key of the show or an operator’s', async () => {
  const { id } = await relay.create();
  const made = JSON.parse((await run(['show', 'create', 'evening', '--title', 'Evening', '--json'])).stdout);
  expect(made.links.overlay).toBe('http://relay.test/overlay/show/evening');
  for (const TALLYCAST_KEY of [OPERATOR_KEY, made.show_key]) {
    const env = { TALLYCAST_KEY };
    expect(await run(['show', 'point', 'evening', id], env)).toEqual({
      code: 0,
      stdout: `evening shows ${id} now: ${relay.url}/overlay/show/evening\n`,
      stderr: '',
    });
    expect((await findShow(relay.engine, 'evening'))?.onAir).toBe(id);
    expect((await run(['show', 'status', 'evening'])).stdout).toBe(`evening shows ${id}\n`);
    expect((await run(['show', 'clear', 'evening'], env)).stdout).toBe('evening shows nothing now\n');
    expect((await findShow(relay.engine, 'evening'))?.onAir).toBeNull();
  }
  expect((await run(['show', 'delete', 'evening', '--key', made.show_key])).code).toBe(0);
  expect(await findShow(relay.engine, 'evening')).toBeUndefined();
});

it('goes through a run-down, and hands the show over', async () => {
  const made = JSON.parse((await run(['show', 'create', 'friday', '--json'])).stdout);
  let env = { TALLYCAST_KEY: made.show_key };
  const add = async (title: string) =>
    JSON.parse((await run(['poll', 'create', title, 'yes', 'no', '--show', 'friday', '--json'], env)).stdout)
      .id;
  expect((await run(['show', 'rundown', 'friday'], env)).stdout).toBe('The run-down is empty\n');
  const ids = [await add('First'), await add('Second'), await add('Third')];
  expect((await run(['show', 'order', 'friday', ids[2], ids[0], ids[1]], env)).stdout).toContain('3 polls');
  expect((await run(['show', 'next', 'friday'], env)).stdout).toContain(`friday shows ${ids[2]} now`);
  await run(['poll', 'delete', ids[0], '--yes'], env);
  const { stdout, stderr } = await run(['show', 'next', 'friday'], env);
  expect([stdout, stderr]).toEqual([
    `friday shows ${ids[1]} now: ${relay.url}/overlay/show/friday\n`,
    `tallycast: ${ids[0]} was deleted, and is passed over\n`,
  ]);
  await run(['poll', 'hide', ids[1]], env);
  expect((await run(['show', 'rundown', 'friday'], env)).stdout).toBe(
    `  ${ids[2]}  open, 0 votes  Third\n  ${ids[0]}  deleted\n> ${ids[1]}  open, hidden, 0 votes  Second\n`,
  );
  expect((await run(['show', 'previous', 'friday'], env)).stdout).toContain(ids[2]);
  const key = (await run(['show', 'new-key', 'friday'], env)).stdout.trim();
  expect((await run(['show', 'next', 'friday'], env)).stderr).toContain('does not open this show');
  env = { TALLYCAST_KEY: key };
  expect((await run(['show', 'clear', 'friday'], env)).stdout).toBe('friday shows nothing now\n');
});

it.each([
  [['show', 'point', 'morning', 'nopenopenope'], 'show_key'],
  [['show', 'point', 'morning', 'nopenopenope', '--key', 'wrong-key-0123456789'], 'does not open this show'],
  [['show', 'point', 'morning', 'nopenopenope', '--key', OPERATOR_KEY], 'no poll with this id'],
  [['show', 'clear', 'MORNING', '--key', OPERATOR_KEY], 'no show of this name'],
  [['show', 'create', 'morning'], 'taken'],
  [['show', 'next', 'morning', '--key', OPERATOR_KEY], 'The run-down is empty'],
  [['show', 'create', 'next'], 'show.name'],
])('says in one line what is wrong with %j', async (args, words) => {
  await run(['show', 'create', 'morning']);
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(words);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
