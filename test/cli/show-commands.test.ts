import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ProcessRecords } from '../../src/engine/process-records.ts';
import { CHAT_STATE, type ChatReports } from '../../src/show/chat-links.ts';
import { findShow } from '../../src/show/shows.ts';
import { png } from '../support/images.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { runToEnd } from './terminal-command.ts';

const OPERATOR_KEY = 'operator-key-0123456789';

let relay: TestRelay;
const folder = mkdtempSync(join(tmpdir(), 'tallycast-logo-'));
const run = (args: readonly string[], env?: Record<string, string>) => runToEnd(relay.url, args, env);

beforeAll(async () => {
  relay = await startTestRelay({ operatorKeys: [OPERATOR_KEY] });
  await run(['show', 'create', 'morning']);
});

afterAll(() => {
  rmSync(folder, { recursive: true });
  return relay.close();
});

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

it('steps through a rundown, and replaces the key of the show', async () => {
  const made = JSON.parse((await run(['show', 'create', 'friday', '--json'])).stdout);
  let env = { TALLYCAST_KEY: made.show_key };
  const add = async (title: string) =>
    JSON.parse((await run(['poll', 'create', title, 'yes', 'no', '--show', 'friday', '--json'], env)).stdout)
      .id;
  expect((await run(['show', 'rundown', 'friday'], env)).stdout).toBe('The rundown is empty\n');
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

it('opens, closes and reveals the poll on air, and takes presses back', async () => {
  const made = JSON.parse((await run(['show', 'create', 'tuesday', '--json'])).stdout);
  const env = { TALLYCAST_KEY: made.show_key };
  const create = [
    'poll',
    'create',
    'Who?',
    'Ann',
    'Bob',
    '--show',
    'tuesday',
    '--upcoming',
    '--results',
    'hidden',
  ];
  const { id } = JSON.parse((await run([...create, '--json'], env)).stdout);
  const show = (...args: string[]) => run(['show', ...args], env);
  await show('next', 'tuesday');
  expect((await show('open', 'tuesday', '--closes-in', '10m')).stdout).toBe(
    `tuesday: ${id} open, results hidden\n`,
  );
  await relay.cast(id);
  expect((await show('reveal', 'tuesday')).stderr).toContain('Voting is still open');
  const closed = JSON.parse((await show('close', 'tuesday', '--json')).stdout);
  expect(closed.poll).toMatchObject({ id, status: 'closed', total_voters: 1 });
  expect((await show('step', 'tuesday')).stdout).toBe(`tuesday: ${id} closed, revealed from place 2\n`);
  expect((await show('step', 'tuesday', '--to', '1')).stdout).toBe(`tuesday: ${id} closed\n`);
  expect(await show('undo', 'tuesday')).toEqual({
    code: 0,
    stdout: `tuesday: took back step; ${id} on air closed, revealed from place 2\n`,
    stderr: 'tallycast: viewers have already seen it\n',
  });
  expect((await show('options', 'tuesday', '--final-two', 'on')).stdout).toBe(
    'tuesday: final two on, close before next off, join code none\n',
  );
  expect((await show('options', 'tuesday', '--join-code', 'on')).stdout).toMatch(/join code \d{3}.\d{3}\n$/);
  expect((await show('step', 'tuesday', '--to', 'x')).stderr).toContain('must be a place');
});

it('links chats of a show, prints their state, and unlinks them', async () => {
  const made = JSON.parse((await run(['show', 'create', 'thursday', '--json'])).stdout);
  const env = { TALLYCAST_KEY: made.show_key };
  const show = (...args: string[]) => run(['show', ...args], env);
  expect((await show('chats', 'thursday')).stdout).toBe('No chat is linked\n');
  const address = 'https://www.twitch.tv/FridayNight';
  for (const channel of [address, 'fridaynight'])
    expect((await show('link', 'thursday', 'twitch', channel)).stdout).toBe('thursday: twitch fridaynight\n');
  expect((await show('link', 'thursday', 'kick', '@band')).stdout).toBe(
    'thursday: twitch fridaynight, kick band\n',
  );
  const figures = { hearsAll: true, messagesPerSecond: 7, votes: 341, lost: 2, early: 3, late: 7 };
  const reports: ChatReports = { 'twitch:fridaynight': { state: 'lost', fault: 'no answer', ...figures } };
  await new ProcessRecords(relay.engine.records, CHAT_STATE).put(JSON.stringify(reports), 60_000);
  expect((await show('chats', 'thursday')).stdout).toBe(
    'twitch fridaynight  lost (no answer), 7 messages a second, 341 votes, 2 lost, 3 before the opening, messages 7 s late\n' +
      'kick band  off, 0 messages a second, 0 votes\n',
  );
  expect((await show('unlink', 'thursday', 'twitch', address)).stdout).toBe('thursday: kick band\n');
  expect(JSON.parse((await show('unlink', 'thursday', 'kick', 'band', '--json')).stdout).chat).toEqual([]);
  expect((await show('link', 'thursday', 'twitch', 'not a channel')).stderr).toContain('name of a channel');
  expect((await show('link', 'thursday', 'irc', 'x')).code).toBe(2);
  for (const args of [['chats'], ['link', 'twitch', 'x']])
    expect((await run(['show', args[0]!, 'thursday', ...args.slice(1)])).stderr).toMatch(/key/);
});

it('prints the results of a show, and copies it', async () => {
  const made = JSON.parse((await run(['show', 'create', 'sunday', '--json'])).stdout);
  const env = { TALLYCAST_KEY: made.show_key };
  const create = [
    'poll',
    'create',
    '=First',
    'yes',
    'no',
    '--show',
    'sunday',
    '--results',
    'hidden',
    '--json',
  ];
  const { id } = JSON.parse((await run(create, env)).stdout);
  await relay.cast(id, 1, 2);
  const foreign = await relay.create();
  await run(['show', 'order', 'sunday', id, foreign.id], env);
  const results = JSON.parse((await run(['show', 'results', 'sunday'], env)).stdout);
  expect(results.polls).toMatchObject([{ id, results: { total_votes: 2 } }, { id: foreign.id }]);
  const csv = (await run(['show', 'results', 'sunday', '--format', 'csv'], env)).stdout.split('\r\n');
  expect(csv[0]).toMatch(/^place,id,answer,/);
  expect(csv[2]).toContain(',no,2,2,100,100.0,1,false,false,');
  expect(csv[2]).toContain(',=First,');
  expect((await run(['show', 'results', 'sunday'])).stderr).toContain('show_key');
  expect((await run(['show', 'results', 'sunday', '--format', 'xml'], env)).code).toBe(2);

  const copied = await run(['show', 'copy', 'sunday', 'monday', '--title', 'Monday'], env);
  expect(copied.stdout).toMatch(
    /^Created monday with 1 poll\.\ndesk {6}\S+#key=show_\S+\noverlay {3}\S+\nvote {6}\S+\nshow key {2}show_\S+\n$/,
  );
  expect(copied.stderr).toBe(
    `tallycast: left out ${foreign.id}, which was deleted or is not a poll of sunday\n`,
  );
  expect((await findShow(relay.engine, 'monday'))?.title).toBe('Monday');
  expect((await run(['show', 'copy', 'sunday', 'monday'], env)).stderr).toContain('taken');
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
  [['show', 'next', 'morning', '--key', OPERATOR_KEY], 'The rundown is empty'],
  [['show', 'create', 'next'], 'show.name'],
])('reports an error in one line for %j', async (args, words) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(words);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

it('prints and changes the look of a show, and its logo', async () => {
  const made = JSON.parse((await run(['show', 'create', 'painted', '--json'])).stdout);
  const env = { TALLYCAST_KEY: made.show_key };
  const look = (...options: string[]) => run(['show', 'look', 'painted', ...options], env);
  expect((await look()).stdout).toBe('painted: no look\n');
  expect((await look('--style', 'donut', '--accent', '1E90FF', '--speed', '0')).stdout).toBe(
    'style       donut\naccent      1e90ff\nspeed       0\n',
  );
  expect((await look('--theme', 'light', '--style', 'bars')).code).toBe(0);
  expect((await findShow(relay.engine, 'painted'))?.look).toEqual({
    style: 'bars',
    theme: 'light',
    accent: '#1e90ff',
    speed: 0,
  });
  const from = 'https://relay.example/overlay/rehearsal?style=columns&qr=right&colors=f80,123';
  expect((await look('--from', from)).stdout).toBe('style       columns\ncolors      f80,123\n');

  const file = join(folder, 'logo.png');
  writeFileSync(file, png(30, 10));
  expect((await look('--logo', file)).stdout).toMatch(
    /^logo {8}http:.*\/api\/show\/painted\/logo\/[0-9a-f]{64}\.png$/m,
  );
  expect((await look('--logo', join(folder, 'none.png'))).stderr).toContain('Cannot read');
  writeFileSync(file, '<svg/>');
  expect((await look('--logo', file)).stderr).toContain('no PNG, JPEG or WebP');
  expect((await look('--reset', '--no-logo')).stdout).toBe('painted: no look\n');
  expect(await findShow(relay.engine, 'painted')).toMatchObject({ look: undefined, logo: undefined });
});

it.each([
  [['--style', 'code'], 'one of bars, columns'],
  [['--accent', 'red'], 'a color such as'],
  [['--speed', '5'], 'a number from 0 to 4'],
  [['--from', 'https://relay.example/overlay/rehearsal?qr=right'], 'the URL of an overlay'],
])('rejects the look %j before it asks the relay', async (options, text) => {
  const { code, stderr } = await run(['show', 'look', 'morning', ...options]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(text)]);
});
