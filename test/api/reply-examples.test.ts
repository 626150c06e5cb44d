import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { REPLIES } from '../../src/api/replies.ts';
import { type ApiReply, send } from '../support/api-request.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

/** After a change of replies, record the examples again: `npx vitest run -u` with this file. */

const FILE = fileURLToPath(new URL('../../src/api/reply-examples.json', import.meta.url));
const OPERATOR_KEY = 'operator-key-of-the-tests';
const WITHOUT_EXAMPLE = ['Look', 'ResultsRow', 'Error'];
const KEY = '8fYwq0aXH1kJmT6bZc3NsV5rLdGpQeU2iOxAy7hB4nM';

/** Members whose values differ from run to run, and what an example has in their place. */
const STAND_INS: Readonly<Record<string, unknown>> = {
  time_left: 1_799.5,
  timestamp: 1_896_112_800,
  now: 1_896_112_800.123,
  created_at: '2030-01-31T17:30:00.000Z',
  deadline: '2030-01-31T18:00:00.000Z',
  to: '2030-01-31T18:00:00.000Z',
  position: '60-2hDRZ0kqvW3c',
  key: 'relay.example/api/poll/zW1Fiu5hZoAA/log+1a2b3c4d+ATw0Gd1Kq0O9c3yqkXnF5q8Hk2Jm7Wz4Rb6Tv1Yx3Cd5',
  dark: [
    [4, 4, 7],
    [13, 4, 2],
  ],
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
};

let relay: TestRelay;
beforeAll(async () => {
  relay = await startTestRelay({
    operatorKeys: [OPERATOR_KEY],
    relayUrl: 'https://relay.example',
    voteUrl: 'https://vote.example',
  });
});
afterAll(() => relay.close());

it('the examples of the documents are what a relay replies', async () => {
  const replies: Record<string, unknown> = {};
  const names = new Map<string, string>();
  const record = async (name: string, asked: Promise<ApiReply>) => {
    const { json, status, text } = await asked;
    if (status >= 300) throw new Error(`${name}: ${text}`);
    replies[name] = json;
    return json;
  };
  const request = (method: string, path: string, body?: unknown, key?: string) =>
    send(`${relay.url}${path}`, method, body, key);
  const { show_key } = await record(
    'CreatedShow',
    request('POST', '/api/show', { show: { name: 'friday-night', title: 'Friday night' } }),
  );
  const show = (method: string, path = '', members?: unknown) =>
    request(method, `/api/show/friday-night${path}`, members && { show: members }, show_key);
  const draft = { title: 'Which song next?', answers: ['Waterloo', 'Volare'], mip: true, closes_in: 1_800 };
  const created = await record(
    'CreatedPoll',
    request('POST', '/api/show/friday-night/poll', { poll: draft }, show_key),
  );
  const { id, admin_key } = created;
  names.set(id, 'zW1Fiu5hZoAA');
  const nameAnswers = ({ poll_answers: [first, second] }: { poll_answers: { id: string }[] }) =>
    names.set(first!.id, '8mVbYw2k').set(second!.id, 'Qd3xT7Lp');
  nameAnswers(created);
  const poll = (method: string, path = '', body?: unknown) =>
    request(method, `/api/poll/${id}${path}`, body, admin_key);
  await relay.cast(id, 0, 38);
  await relay.cast(id, 1, 21);

  const change = { look: { theme: 'light', accent: '#1e90ff' }, delay: 20 };
  const chat = [{ platform: 'twitch', channel: 'fridaynight' }];
  await record('ChangedShow', show('PATCH', '', { ...change, chat }));
  await record('SteppedShow', show('POST', '/next'));
  await record('Results', request('GET', `/api/poll/${id}`));
  await record('Definition', request('GET', `/api/poll/${id}/definition`));
  await record('PollList', request('GET', '/api/poll', undefined, OPERATOR_KEY));
  await record('ChangedResults', poll('PATCH', '', { poll: { status: 'open' } }));
  await record('Show', request('GET', '/api/show/friday-night'));
  await record('WholeShow', show('GET'));
  await record('Rundown', show('GET', '/rundown'));
  await record('ShowButtons', show('GET', '/buttons'));
  await record('ShowResults', show('GET', '/results'));
  await record('PressedShow', show('POST', '/close'));
  await record('UndoneShow', show('POST', '/undo'));

  await relay.cast(id, 0, 12, 'twitch');
  const { voids } = await record('VoidedResults', poll('POST', '/void', { void: { source: 'twitch' } }));
  names.set(voids[0].id, 'q8Zx0hYl3TnAa1Bc');
  await record('RestoredResults', poll('DELETE', `/void/${voids[0].id}`));
  const copy = await record('CopiedPoll', poll('POST', '/copy'));
  names.set(copy.id, 'Ah3kP9sXw0Qz');
  nameAnswers(copy);
  const copied = await record('CopiedShow', show('POST', '/copy', { name: 'saturday-night' }));
  for (const [index, { id }] of copied.polls.entries()) names.set(id, `Lk5rT8vYb2C${index}`);
  await record('NewViewKey', poll('POST', '/view_key'));
  await record('NewAdminKey', poll('POST', '/admin_key'));

  const verifiable = await relay.create({ verifiable: true });
  await relay.cast(verifiable.id, 0, 59);
  const { log } = await record('PollLog', request('GET', `/api/poll/${verifiable.id}/log`));
  names.set(log.poll_id, 'zW1Fiu5hZoAA');

  const webhook = { url: 'https://hooks.example/polls', events: ['poll.closed'] };
  const hook = await record('CreatedWebhook', request('POST', '/api/webhook', { webhook }, OPERATOR_KEY));
  names.set(hook.id, '4f1d0c9a2b7e63f518');
  await record('Webhook', request('GET', `/api/webhook/${hook.id}`, undefined, OPERATOR_KEY));
  await record('WebhookList', request('GET', '/api/webhook', undefined, OPERATOR_KEY));
  await record('DeletedWebhook', request('DELETE', `/api/webhook/${hook.id}`, undefined, OPERATOR_KEY));

  await record('DeletedPoll', request('DELETE', `/api/poll/${verifiable.id}`, undefined, OPERATOR_KEY));
  await record('NewShowViewKey', show('POST', '/view_key'));
  await record('NewShowKey', show('POST', '/show_key'));
  await record('DeletedShow', request('DELETE', '/api/show/friday-night', undefined, OPERATOR_KEY));
  await record('VoteCode', request('GET', `/api/poll/${id}/qr.json`));
  await record('Alive', request('GET', '/livez'));
  await record('Ready', request('GET', '/readyz'));

  const steady = JSON.stringify(
    replies,
    (name, value) => (value === null ? null : (STAND_INS[name] ?? value)),
    2,
  )
    .replace(/(?<=\b(?:admin|view|show|show_view)_)(?!view_)[\w-]{43}/g, KEY)
    .replace(/(?<="und(?:o|one)": \{\s+"id": ")[\w-]{16}/g, 'kR3vXw0aYb7NcQ2e')
    .replace(new RegExp([...names.keys()].join('|'), 'g'), name => names.get(name) ?? name);
  await expect(`${steady}\n`).toMatchFileSnapshot(FILE);
  const described = Object.keys(REPLIES).filter(name => !WITHOUT_EXAMPLE.includes(name));
  expect(Object.keys(replies).sort()).toEqual(described.sort());
});
