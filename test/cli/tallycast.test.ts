import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashKey } from '../../src/poll/poll-key.ts';
import { createShow, findShow } from '../../src/show/shows.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

/** The built command, as the package ships it. */
const COMMAND = fileURLToPath(new URL('../../dist/cli/tallycast.js', import.meta.url));
const OPERATOR_KEY = 'operator-key-0123456789';

let relay: TestRelay;

beforeAll(async () => {
  relay = await startTestRelay({ operatorKeys: [OPERATOR_KEY] });
  await createShow(relay.engine, { name: 'morning', title: '' }, hashKey('key of the morning'));
});

afterAll(() => relay.close());

class Command {
  stdout = '';
  stderr = '';
  readonly process: ChildProcess;
  readonly exit: Promise<number | null>;
  readonly #onOutput = new Set<() => void>();

  constructor(args: readonly string[], env: Record<string, string> = {}) {
    this.process = spawn(process.execPath, [COMMAND, ...args], {
      env: { PATH: process.env['PATH'], TALLYCAST_URL: relay.url, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.process.stdout!.setEncoding('utf8').on('data', text => this.#add({ stdout: this.stdout + text }));
    this.process.stderr!.setEncoding('utf8').on('data', text => this.#add({ stderr: this.stderr + text }));
    this.exit = once(this.process, 'close').then(([code]) => code);
  }

  printed(words: string): Promise<void> {
    return new Promise(resolve => {
      const check = (): void => {
        if ((this.stdout + this.stderr).includes(words)) resolve();
      };
      this.#onOutput.add(check);
      check();
    });
  }

  #add(output: { stdout?: string; stderr?: string }): void {
    Object.assign(this, output);
    for (const check of this.#onOutput) check();
  }
}

async function run(args: readonly string[], env?: Record<string, string>) {
  const command = new Command(args, env);
  const code = await command.exit;
  return { code, stdout: command.stdout, stderr: command.stderr };
}

it('prints a line for each update, and ends clean on Ctrl-C', async () => {
  const { id } = await relay.create();
  const command = new Command(['watch', id]);
  await command.printed('Waterloo: 0 (0 %) | Volare: 0 (0 %)');
  await relay.cast(id, 0);
  await command.printed('Waterloo: 1 (100 %)');
  command.process.kill('SIGINT');
  expect(await command.exit).toBe(0);
  expect(command.stderr).toBe('');
});

it('says why no relay answers, and goes on trying', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  const command = new Command(['watch', 'abc', '--url', `http://127.0.0.1:${port}`]);
  await command.printed('# no relay answers (ECONNREFUSED); attempt 2 …');
  await command.printed('attempt 3 …');
  command.process.kill('SIGINT');
  expect(await command.exit).toBe(0);
});

it('draws once', async () => {
  const { id } = await relay.create();
  await relay.cast(id, 1, 3);
  const { code, stdout } = await run(['watch', `${relay.url}/overlay/${id}`, '--once']);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^ {2}Which song next\?\n\n {2}Waterloo {2} +0 % {2}0\n {2}Volare {4}█+ {2}100 % {2}3\n/,
  );
  expect(stdout).toContain('3 votes · live');
});

it('opens hidden results with either key of the poll, and says so without one', async () => {
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
  [['watch', 'nopenopenope'], 'no poll with this id'],
  [['show', 'point', 'morning', 'nopenopenope'], 'show_key'],
  [['show', 'point', 'morning', 'nopenopenope', '--key', 'wrong-key-0123456789'], 'does not open this show'],
  [['show', 'point', 'morning', 'nopenopenope', '--key', OPERATOR_KEY], 'no poll with this id'],
  [['show', 'clear', 'MORNING', '--key', OPERATOR_KEY], 'no show of this name'],
  [
    ['show', 'clear', 'evening', '--key', OPERATOR_KEY, '--url', 'http://127.0.0.1:1'],
    'No relay answers at http://127.0.0.1:1',
  ],
])('says in one line what is wrong with %j', async (args, words) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(words);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

it('points a show to a poll and to nothing, with the key of the show or an operator’s', async () => {
  const { id } = await relay.create();
  await createShow(relay.engine, { name: 'evening', title: '' }, hashKey('show_key'));
  for (const key of [OPERATOR_KEY, 'show_key']) {
    const env = { TALLYCAST_KEY: key };
    expect(await run(['show', 'point', 'evening', id], env)).toEqual({
      code: 0,
      stdout: `evening shows ${id} now: ${relay.url}/overlay/show/evening\n`,
      stderr: '',
    });
    expect((await findShow(relay.engine, 'evening'))?.onAir).toBe(id);
    expect((await run(['show', 'clear', 'evening'], env)).stdout).toBe('evening shows nothing now\n');
    expect((await findShow(relay.engine, 'evening'))?.onAir).toBeNull();
  }
});
