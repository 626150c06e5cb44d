import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { areResultsPublic } from '../../src/poll/poll.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { runToEnd } from './terminal-command.ts';

let relay: TestRelay;
const run = (args: readonly string[], env?: Record<string, string>) => runToEnd(relay.url, args, env);
const json = async (args: readonly string[], env?: Record<string, string>) =>
  JSON.parse((await run([...args, '--json'], env)).stdout);

beforeAll(async () => {
  relay = await startTestRelay();
});

afterAll(() => relay.close());

describe('tallycast poll', () => {
  it('creates a poll from its options', async () => {
    const options = ['--closes-in', '10m', '--results', 'hidden', '--multiple', '--names', '--upcoming'];
    const made = await json([
      'poll',
      'create',
      'Best act?',
      'Ann',
      'Bob',
      'Cy',
      '--description',
      'Vote!',
      ...options,
    ]);
    const stored = await relay.engine.polls.find(made.id);
    expect(stored?.poll).toMatchObject({
      title: 'Best act?',
      description: 'Vote!',
      answers: [{ text: 'Ann' }, { text: 'Bob' }, { text: 'Cy' }],
      settings: { allowMultiple: true, requireName: true, allowComments: false, sharedAddress: true },
    });
    const { deadlineMs, closesInMs, status, resultsVisibility } = stored!.results;
    expect([status, resultsVisibility]).toEqual(['upcoming', 'hidden']);
    expect([deadlineMs, closesInMs]).toEqual([null, 600_000]);
    expect(await json(['poll', 'open', made.id], { TALLYCAST_KEY: made.admin_key })).toMatchObject({
      status: 'open',
      deadline: expect.any(String),
    });
  });

  it('counts everyone in one hall, or one vote from each network, and prints which', async () => {
    const shared = await run(['poll', 'create', 'Which?', 'A', 'B']);
    expect(shared.stdout).toContain('Voters     any number from one network');
    const made = await json(['poll', 'create', 'Which?', 'A', 'B', '--one-per-network']);
    const stored = await relay.engine.polls.find(made.id);
    expect(stored?.poll.settings.sharedAddress).toBe(false);
  });

  it('corrects texts by number, and says when voters may have seen others', async () => {
    const { id, admin_key } = await relay.create({ answers: ['Waterlo', 'Volare'] });
    const env = { TALLYCAST_KEY: admin_key };
    const first = await run(['poll', 'edit', id, '--title', 'Which one?', '--answer', '1=Water=loo'], env);
    expect(first.stdout).toBe(`${id}\nWhich one?\n1. Water=loo\n2. Volare\n`);
    await relay.cast(id);
    const texts = ['--answer', '1=Waterloo', '--answer', '2=Volare!', '--description', 'More'];
    expect((await run(['poll', 'edit', id, ...texts], env)).stdout).toMatch(
      /^\S+, edited 20\S+Z\nWhich one\?\n1\. Waterloo\n2\. Volare!\n$/,
    );
    expect((await relay.engine.polls.find(id))?.poll.description).toBe('More');
    for (const [wrong, words] of [
      [[], 'Say what to change'],
      [['--multiple', 'yes'], 'It must be on or off'],
      [['--answer', '3=X'], 'There is no answer 3'],
      [['--answer', 'X'], 'like 2=Volare'],
    ] as const) {
      const { code, stderr } = await run(['poll', 'edit', id, ...wrong], env);
      expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    }
  });

  it('turns rules on and off until the first ballot, sets limits, and removes them', async () => {
    const { id, admin_key } = await relay.create({ answers: ['Ann', 'Bob', 'Cy'], co: true });
    const env = { TALLYCAST_KEY: admin_key };
    const edit = (...options: string[]) => run(['poll', 'edit', id, ...options], env);
    const read = async () => (await relay.engine.polls.find(id))!.poll;
    const changed = ['--multiple', 'on', '--max-choices', '2', '--comments', 'off', '--shuffle', 'on'];
    expect((await edit(...changed)).code).toBe(0);
    expect(await read()).toMatchObject({
      maxChoices: 2,
      answerOrder: 'random',
      settings: { allowMultiple: true, allowComments: false },
    });
    expect((await edit('--max-choices', 'none', '--shuffle', 'off', '--shared-address', 'on')).code).toBe(0);
    const { maxChoices, answerOrder, settings } = await read();
    expect({ maxChoices, answerOrder }).toEqual({});
    expect(settings).toMatchObject({ allowMultiple: true, sharedAddress: true });
    await relay.cast(id);
    const late = await edit('--multiple', 'off');
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('ballot')]);
  });

  it('copies a poll, prepared in another way, and sets when it closes', async () => {
    const { id, admin_key } = await relay.create({ mip: true });
    await relay.cast(id);
    const options = ['--title', 'Again?', '--closes-in', '30s', '--results', 'hidden', '--one-per-network'];
    const env = { TALLYCAST_KEY: admin_key };
    const copied = await json(['poll', 'copy', id, ...options], env);
    expect(copied).toMatchObject({ copy_of: id, show: null, closes_in: 30, status: 'upcoming' });
    const { poll, results } = (await relay.engine.polls.find(copied.id))!;
    expect(poll).toMatchObject({ title: 'Again?', settings: { sharedAddress: false } });
    expect(results).toMatchObject({ totalVoters: 0, resultsVisibility: 'hidden' });
    const later = await run(['poll', 'closes-in', copied.id, '1m'], { TALLYCAST_KEY: copied.admin_key });
    expect(later.stdout).toContain('closes 60 s after opening');
    const { stdout } = await run(['poll', 'copy', id], env);
    expect(stdout).toMatch(/^Poll {7}\S+\n(.+\n){5}Show {7}none\n$/);
  });

  it('gives a poll a join code, and gives it up', async () => {
    const { id, admin_key } = await relay.create();
    const env = { TALLYCAST_KEY: admin_key };
    expect((await run(['poll', 'join-code', id], env)).stdout).toMatch(/^Join code {2}\d{3}.\d{3}\n$/);
    expect((await run(['poll', 'join-code', id, '--off'], env)).stdout).toBe('Join code  none\n');
  });

  it('voids the ballots of a network, and counts them again', async () => {
    const { id, admin_key } = await relay.create();
    const poll = (await relay.engine.polls.find(id))!.poll;
    for (const voter of ['one', 'two'])
      await relay.engine.castBallot({
        pollId: id,
        answers: [poll.answers[0]!.id],
        voter,
        address: voter,
        ballotId: voter,
        network: 'forged',
      });
    const env = { TALLYCAST_KEY: admin_key };
    const voided = await run(['poll', 'void', id, '--network', 'forged'], env);
    expect(voided.stdout).toContain('0 votes count, 2 are voided');
    expect(voided.stdout).toContain('Rule       forged  (network forged until ');
    const restored = await run(['poll', 'restore', id, 'forged'], env);
    expect(restored.stdout).toBe('2 votes count, 0 are voided\n');
    expect((await run(['poll', 'void', id], env)).stderr).toContain(
      'must have network, or source, or from and to',
    );
  });

  it('creates a poll from a file, and reports fields that the relay does not know', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tallycast-poll-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'poll.json');
    await writeFile(
      file,
      JSON.stringify({ poll: { title: 'From a file', answers: ['A', 'B'], color: 'red' } }),
    );
    const { code, stdout, stderr } = await run(['poll', 'create', '--from', file]);
    expect([code, stderr]).toEqual([0, 'tallycast: unknown fields ignored: color\n']);
    const [, id = ''] = /^Poll +(\S+)$/m.exec(stdout) ?? [];
    expect((await relay.engine.polls.find(id))?.poll.title).toBe('From a file');
    expect(await run(['poll', 'create', '--from', `${file}.not`])).toMatchObject({ code: 1, stdout: '' });
  });

  it('opens, closes, hides and reveals with a key from the environment', async () => {
    const { id, admin_key } = await relay.create({ status: 'upcoming' });
    const env = { TALLYCAST_KEY: admin_key };
    const results = async () => (await relay.engine.polls.find(id))!.results;
    expect((await run(['poll', 'open', id, '--closes-in', '1h'], env)).stdout).toMatch(
      /is open, deadline .*, results visible/,
    );
    expect((await results()).deadlineMs).not.toBeNull();
    expect(await json(['poll', 'close', id], env)).toMatchObject({ status: 'closed', success: 1 });
    expect((await run(['poll', 'hide', id], env)).code).toBe(0);
    expect(areResultsPublic(await results())).toBe(false);
    expect((await run(['poll', 'reveal', id], env)).code).toBe(0);
    expect(areResultsPublic(await results())).toBe(true);
    expect((await run(['poll', 'close', id])).code).toBe(1);
  });

  it('creates a new view key and revokes the old one', async () => {
    const { id, admin_key, view_key } = await relay.create({ results_visibility: 'hidden' });
    const made = (await run(['poll', 'view-key', id, '--key', admin_key])).stdout.trim();
    expect((await run(['poll', 'show', id, '--key', view_key])).code).toBe(1);
    expect((await run(['poll', 'show', id, '--key', made])).stdout).toContain('Which song next?');
  });

  it('creates a new admin key and revokes the old one', async () => {
    const { id, admin_key } = await relay.create();
    const { stdout } = await run(['poll', 'admin-key', id, '--key', admin_key]);
    const [, made = ''] = /^Admin key +(admin_\S+)$/m.exec(stdout) ?? [];
    expect(stdout).toContain(`/${id}/manage#key=${made}`);
    expect((await run(['poll', 'close', id, '--key', admin_key])).code).toBe(1);
    expect((await run(['poll', 'close', id, '--key', made])).code).toBe(0);
  });

  it('prints results as text and as JSON', async () => {
    const { id } = await relay.create();
    await relay.cast(id, 1, 3);
    expect((await run(['poll', 'show', id])).stdout).toMatch(/Volare {4}█+ {2}100 % {2}3\n/);
    expect(await json(['poll', 'show', `${relay.url}/overlay/${id}`])).toMatchObject({ id, total_votes: 3 });
  });

  it('deletes a poll only after a confirmation', async () => {
    const { id, admin_key } = await relay.create();
    const env = { TALLYCAST_KEY: admin_key };
    const asked = await run(['poll', 'delete', id], env);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    expect(await relay.engine.polls.find(id)).toBeDefined();
    expect((await run(['poll', 'delete', id, '--yes'], env)).code).toBe(0);
    expect(await relay.engine.polls.find(id)).toBeUndefined();
  });

  it('sends the key of the environment to its own relay only', async () => {
    const { id, admin_key } = await relay.create({ results_visibility: 'hidden' });
    const env = { TALLYCAST_KEY: admin_key, TALLYCAST_URL: 'http://127.0.0.1:1' };
    const { code, stderr } = await run(['poll', 'show', `${relay.url}/api/poll/${id}`], env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('The results are hidden')]);
  });

  it('prints the error reply of the relay with --json', async () => {
    const { code, stdout } = await run(['poll', 'create', 'One?', 'Same', 'Same', '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      { success: 0, error: { code: 'invalid_request', issues: [{ path: 'poll.answers.1' }] } },
    ]);
  });
});
