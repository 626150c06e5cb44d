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

it.each([
  [['show', 'point', 'morning', 'nopenopenope'], 'show_key'],
  [['show', 'point', 'morning', 'nopenopenope', '--key', 'wrong-key-0123456789'], 'does not open this show'],
  [['show', 'point', 'morning', 'nopenopenope', '--key', OPERATOR_KEY], 'no poll with this id'],
  [['show', 'clear', 'MORNING', '--key', OPERATOR_KEY], 'no show of this name'],
  [['show', 'create', 'morning'], 'taken'],
])('says in one line what is wrong with %j', async (args, words) => {
  await run(['show', 'create', 'morning']);
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(words);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
