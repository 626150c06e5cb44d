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

let shows = 0;

/** A new show, and commands with its key. */
async function takeShow() {
  shows += 1;
  const name = `evening-${shows}`;
  const made = JSON.parse((await run(['show', 'create', name, '--title', 'Evening', '--json'])).stdout);
  const env = { TALLYCAST_KEY: made.show_key as string };
  const show = (command: string, ...args: string[]) => run(['show', command, name, ...args], env);
  const poll = (...args: string[]) => run(['poll', ...args], env);
  const add = async (title: string, ...options: string[]): Promise<string> => {
    const created = await poll('create', title, 'yes', 'no', '--show', name, '--json', ...options);
    return JSON.parse(created.stdout).id;
  };
  return { name, made, show, poll, add };
}

it('creates a show, and prints its links and its key', async () => {
  const { name, made } = await takeShow();
  expect(made.links.overlay).toBe(`http://relay.test/overlay/show/${name}`);
  expect(await findShow(relay.engine, name)).toMatchObject({ title: 'Evening', onAir: null });
});

it.each(['the key of the show', 'an operator key'])('puts a poll on air and off air with %s', async key => {
  const { id } = await relay.create();
  const { name, made } = await takeShow();
  const env = { TALLYCAST_KEY: key === 'an operator key' ? OPERATOR_KEY : made.show_key };
  expect(await run(['show', 'point', name, id], env)).toEqual({
    code: 0,
    stdout: `${name}: ${id} on air at ${relay.url}/overlay/show/${name}\n`,
    stderr: '',
  });
  expect((await findShow(relay.engine, name))?.onAir).toBe(id);
  expect((await run(['show', 'clear', name], env)).stdout).toBe(`${name}: no poll on air\n`);
  expect((await findShow(relay.engine, name))?.onAir).toBeNull();
});

it('prints what is on air, without a key', async () => {
  const { id } = await relay.create();
  const { name, show } = await takeShow();
  await show('point', id);
  expect((await run(['show', 'status', name])).stdout).toBe(`${name}: ${id} on air\n`);
});

it('deletes a show', async () => {
  const { name, made } = await takeShow();
  expect((await run(['show', 'delete', name, '--key', made.show_key])).code).toBe(0);
  expect(await findShow(relay.engine, name)).toBeUndefined();
});

it('steps through a rundown in its order, and says which deleted poll it skips', async () => {
  const { name, show, add, poll } = await takeShow();
  const ids = [await add('First'), await add('Second'), await add('Third')];
  expect((await show('order', ids[2]!, ids[0]!, ids[1]!)).stdout).toContain('3 polls');
  expect((await show('next')).stdout).toContain(`${name}: ${ids[2]} on air at`);
  await poll('delete', ids[0]!, '--yes');
  expect(await show('next')).toMatchObject({
    stdout: `${name}: ${ids[1]} on air at ${relay.url}/overlay/show/${name}\n`,
    stderr: `tallycast: skipped ${ids[0]}, which was deleted\n`,
  });
  expect((await show('previous')).stdout).toContain(ids[2]);
});

it('prints a rundown with what is on air, hidden and deleted', async () => {
  const { show, add, poll } = await takeShow();
  expect((await show('rundown')).stdout).toBe('The rundown is empty\n');
  const ids = [await add('First'), await add('Second'), await add('Third')];
  await poll('delete', ids[1]!, '--yes');
  await poll('hide', ids[2]!);
  await show('point', ids[2]!);
  expect((await show('rundown')).stdout).toBe(
    `  ${ids[0]}  open, 0 votes  First\n  ${ids[1]}  deleted\n> ${ids[2]}  open, hidden, 0 votes  Third\n`,
  );
});

it('replaces the key of a show', async () => {
  const { name, show } = await takeShow();
  const TALLYCAST_KEY = (await show('new-key')).stdout.trim();
  expect((await show('next')).stderr).toContain('can’t change or read this show');
  expect((await run(['show', 'clear', name], { TALLYCAST_KEY })).stdout).toBe(`${name}: no poll on air\n`);
});

/** A show whose poll with hidden results is on air and open, with one vote. */
async function onAir() {
  const taken = await takeShow();
  const id = await taken.add('Who?', '--upcoming', '--results', 'hidden');
  await taken.show('next');
  const opened = await taken.show('open', '--closes-in', '10m');
  await relay.cast(id);
  return { ...taken, id, opened };
}

it('opens and closes the poll on air', async () => {
  const { name, id, opened, show } = await onAir();
  expect(opened.stdout).toBe(`${name}: ${id} open, results hidden\n`);
  const closed = JSON.parse((await show('close', '--json')).stdout);
  expect(closed.poll).toMatchObject({ id, status: 'closed', total_voters: 1 });
});

it('reveals the poll on air step by step, and not while voting is open', async () => {
  const { name, id, show } = await onAir();
  expect((await show('reveal')).stderr).toContain('Voting is still open');
  await show('close');
  expect((await show('step')).stdout).toBe(`${name}: ${id} closed, revealed from place 2\n`);
  expect((await show('step', '--to', '1')).stdout).toBe(`${name}: ${id} closed\n`);
  expect((await show('step', '--to', 'x')).stderr).toContain('must be a place');
});

it('takes a press back, and warns that viewers have seen it', async () => {
  const { name, id, show } = await onAir();
  for (const press of ['close', 'step', 'step']) await show(press);
  expect(await show('undo')).toEqual({
    code: 0,
    stdout: `${name}: took back step; ${id} on air closed, revealed from place 2\n`,
    stderr: 'tallycast: viewers have already seen it\n',
  });
});

it('sets and prints the options of a show', async () => {
  const { name, show } = await takeShow();
  expect((await show('options', '--final-two', 'on')).stdout).toBe(
    `${name}: final two on, close before next off, join code none\n`,
  );
  expect((await show('options', '--join-code', 'on')).stdout).toMatch(/join code \d{3}.\d{3}\n$/);
});

const TWITCH = 'https://www.twitch.tv/FridayNight';

it('links chats of a show by name or address, each once', async () => {
  const { name, show } = await takeShow();
  for (const channel of [TWITCH, 'fridaynight'])
    expect((await show('link', 'twitch', channel)).stdout).toBe(`${name}: twitch fridaynight\n`);
  expect((await show('link', 'kick', '@band')).stdout).toBe(`${name}: twitch fridaynight, kick band\n`);
});

it('unlinks chats of a show', async () => {
  const { name, show } = await takeShow();
  await show('link', 'twitch', TWITCH);
  await show('link', 'kick', '@band');
  expect((await show('unlink', 'twitch', TWITCH)).stdout).toBe(`${name}: kick band\n`);
  expect(JSON.parse((await show('unlink', 'kick', 'band', '--json')).stdout).chat).toEqual([]);
});

it('prints the state of each linked chat', async () => {
  const { show } = await takeShow();
  expect((await show('chats')).stdout).toBe('No chat is linked\n');
  await show('link', 'twitch', TWITCH);
  await show('link', 'kick', '@band');
  const figures = { hearsAll: true, messagesPerSecond: 7, votes: 341, lost: 2, early: 3, late: 7 };
  const reports: ChatReports = { 'twitch:fridaynight': { state: 'lost', fault: 'no answer', ...figures } };
  await new ProcessRecords(relay.engine.records, CHAT_STATE).put(JSON.stringify(reports), 60_000);
  expect((await show('chats')).stdout).toBe(
    'twitch fridaynight  lost (no answer), 7 messages a second, 341 votes, 2 lost, 3 before the opening, messages 7 s late\n' +
      'kick band  off, 0 messages a second, 0 votes\n',
  );
});

it('rejects a link to what is no channel or no platform, and without a key', async () => {
  const { name, show } = await takeShow();
  expect((await show('link', 'twitch', 'not a channel')).stderr).toContain('name of a channel');
  expect((await show('link', 'irc', 'x')).code).toBe(2);
  for (const [command, ...args] of [['chats'], ['link', 'twitch', 'x']])
    expect((await run(['show', command!, name, ...args])).stderr).toMatch(/key/);
});

/** A show with a poll of its own with two votes for `no`, and a poll of another owner. */
async function voted() {
  const taken = await takeShow();
  const id = await taken.add('=First', '--results', 'hidden');
  await relay.cast(id, 1, 2);
  const foreign = await relay.create();
  await taken.show('order', id, foreign.id);
  return { ...taken, id, foreign };
}

it('prints the results of a show as JSON and CSV, with a key', async () => {
  const { name, show, id, foreign } = await voted();
  const results = JSON.parse((await show('results')).stdout);
  expect(results.polls).toMatchObject([{ id, results: { total_votes: 2 } }, { id: foreign.id }]);
  const csv = (await show('results', '--format', 'csv')).stdout.split('\r\n');
  expect(csv[0]).toMatch(/^place,id,answer,/);
  expect(csv[2]).toContain(',no,2,2,100,100.0,1,false,false,');
  expect(csv[2]).toContain(',=First,');
  expect((await run(['show', 'results', name])).stderr).toContain('show_key');
  expect((await show('results', '--format', 'xml')).code).toBe(2);
});

it('copies a show with its own polls, and says which it left out', async () => {
  const { name, show, foreign } = await voted();
  const copied = await show('copy', 'monday', '--title', 'Monday');
  expect(copied.stdout).toMatch(
    /^Created monday with 1 poll\.\ndesk {6}\S+#key=show_\S+\noverlay {3}\S+\nvote {6}\S+\nshow key {2}show_\S+\n$/,
  );
  expect(copied.stderr).toBe(
    `tallycast: left out ${foreign.id}, which was deleted or is not a poll of ${name}\n`,
  );
  expect((await findShow(relay.engine, 'monday'))?.title).toBe('Monday');
  expect((await show('copy', 'monday')).stderr).toContain('taken');
});

it.each([
  [['show', 'point', 'morning', 'nopenopenope'], 'show_key'],
  [
    ['show', 'point', 'morning', 'nopenopenope', '--key', 'wrong-key-0123456789'],
    'can’t change or read this show',
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

it('prints and changes the look of a show', async () => {
  const { name, show } = await takeShow();
  expect((await show('look')).stdout).toBe(`${name}: no look\n`);
  expect((await show('look', '--style', 'donut', '--accent', '1E90FF', '--speed', '0')).stdout).toBe(
    'style       donut\naccent      1e90ff\nspeed       0\n',
  );
  expect((await show('look', '--theme', 'light', '--style', 'bars')).code).toBe(0);
  expect((await findShow(relay.engine, name))?.look).toEqual({
    style: 'bars',
    theme: 'light',
    accent: '#1e90ff',
    speed: 0,
  });
});

it('takes the look of a show from the URL of an overlay, in place of the one before', async () => {
  const { show } = await takeShow();
  await show('look', '--theme', 'light');
  const from = 'https://relay.example/overlay/rehearsal?style=columns&qr=right&colors=f80,123';
  expect((await show('look', '--from', from)).stdout).toBe(
    'style       columns\ncolors      ff8800,112233\n',
  );
});

it('uploads the logo of a show from a file, and rejects what is none', async () => {
  const { name, show } = await takeShow();
  const file = join(folder, 'logo.png');
  writeFileSync(file, png(30, 10));
  const url = new RegExp(`^logo {8}http:.*/api/show/${name}/logo/[0-9a-f]{64}\\.png$`, 'm');
  expect((await show('look', '--logo', file)).stdout).toMatch(url);
  expect((await show('look', '--logo', join(folder, 'none.png'))).stderr).toContain('cannot be read');
  writeFileSync(file, '<svg/>');
  expect((await show('look', '--logo', file)).stderr).toContain('no PNG, JPEG or WebP');
});

it('removes the look and the logo of a show', async () => {
  const { name, show } = await takeShow();
  const file = join(folder, 'removed.png');
  writeFileSync(file, png(30, 10));
  await show('look', '--style', 'donut', '--logo', file);
  expect((await show('look', '--reset', '--no-logo')).stdout).toBe(`${name}: no look\n`);
  const { look, logo } = (await findShow(relay.engine, name))!;
  expect([look, logo]).toEqual([undefined, undefined]);
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
