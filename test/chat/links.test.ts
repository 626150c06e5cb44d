import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHAT_LINKS, parseChatClaims } from '../../src/show/chat-links.ts';
import { expectError, issuesOf, send } from '../support/api-request.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { takeShow } from '../support/test-show.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';
const AS_OPERATOR = { 'x-api-key': OPERATOR_KEY };

let relay: TestRelay;
beforeAll(async () => {
  relay = await startTestRelay({ operatorKeys: [OPERATOR_KEY], chatChannels: 7 });
});
afterAll(() => relay.close());

const twitch = (channel: string) => ({ platform: 'twitch', channel });

it('a show links channels by their names or addresses, and reads with the key how they are', async () => {
  const show = await takeShow(relay);
  const chat = [
    twitch('https://www.twitch.tv/FridayNight?tt_content=x'),
    { platform: 'youtube', channel: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=1' },
    { platform: 'kick', channel: '@Friday-Night' },
  ];
  const linked = [
    twitch('fridaynight'),
    { platform: 'youtube', channel: 'dQw4w9WgXcQ' },
    { platform: 'kick', channel: 'friday-night' },
  ];
  expect((await show.patch({ chat })).json).toMatchObject({ chat: linked, ignored: [] });
  const off = { state: 'off', messages_per_second: 0, votes: 0, lost: 0, fault: null };
  expect((await show.get()).json.chat_state).toEqual(linked.map(link => ({ ...link, ...off })));
  expect(Object.keys((await show.get('', '')).json)).not.toContain('chat');
  expect((await show.patch({ chat: [] })).json.chat).toEqual([]);
  expect((await show.get()).json).toMatchObject({ chat: [], chat_state: [] });
});

it('rejects what is no channel, one twice, and a fourth', async () => {
  const show = await takeShow(relay);
  for (const [chat, path] of [
    [[twitch('https://example.com/fridaynight')], 'show.chat.0.channel'],
    [[twitch('not a name')], 'show.chat.0.channel'],
    [[{ platform: 'youtube', channel: 'short' }], 'show.chat.0.channel'],
    [[{ platform: 'irc', channel: 'x' }], 'show.chat.0.platform'],
    [[twitch('one'), twitch('#ONE')], 'show.chat.1'],
    [['a', 'b', 'c', 'd'].map(twitch), 'show.chat'],
  ] as const)
    expect(Object.keys(issuesOf(await show.patch({ chat })))).toEqual([path]);
  expect((await show.get()).json.version).toBe(1);
});

it('has five channels for an address, seven in all, and frees those of deleted shows', async () => {
  const [one, two, three] = [await takeShow(relay), await takeShow(relay), await takeShow(relay)];
  await one.patch({ chat: ['a1', 'a2', 'a3'].map(twitch) });
  await two.patch({ chat: ['a3', 'a4', 'a5'].map(twitch) });
  expectError(await three.patch({ chat: [twitch('a6')] }), 409, 'chat_full');
  expect((await three.get()).json).toMatchObject({ chat: [], version: 1 });
  // On a channel that is held already.
  expect((await three.patch({ chat: [twitch('a5')] })).status).toBe(200);
  const free = await takeShow(relay, OPERATOR_KEY);
  expect((await free.patch({ chat: ['a6', 'a7'].map(twitch) }, AS_OPERATOR)).status).toBe(200);
  expectError(await free.patch({ chat: ['a6', 'a7', 'a8'].map(twitch) }, AS_OPERATOR), 409, 'chat_full');
  await two.patch({ chat: [] });
  await relay.engine.records.remove(`show:${one.name}`);
  // As if the claims were a minute old.
  const text = (await relay.engine.records.find(CHAT_LINKS))!;
  const old = parseChatClaims(text).map(claim => ({ ...claim, atMs: 0 }));
  await relay.engine.records.put(CHAT_LINKS, JSON.stringify(old));
  expect((await three.patch({ chat: ['b1', 'b2', 'b3'].map(twitch) })).status).toBe(200);
  const claims = parseChatClaims(await relay.engine.records.find(CHAT_LINKS));
  expect(claims.map(({ show }) => show).sort()).toEqual([free.name, three.name].sort());
  expect(claims.some(claim => JSON.stringify(claim).includes('127.0.0.1'))).toBe(false);
});

it('links for the operator alone where the operator wants that, and claims nothing without a key of the show', async () => {
  const strict = await startTestRelay({ operatorKeys: [OPERATOR_KEY], chatNeedsOperator: true });
  try {
    const show = await takeShow(strict);
    expectError(await show.patch({ chat: [twitch('one')] }), 403, 'api_key_rejected');
    expectError(
      await show.patch({ chat: [twitch('one')] }, { 'x-api-key': 'show_wrong' }),
      403,
      'api_key_rejected',
    );
    expect(await strict.engine.records.find(CHAT_LINKS)).toBeUndefined();
    expect((await show.patch({ chat: [twitch('one')] }, AS_OPERATOR)).json.chat).toEqual([twitch('one')]);
    expect((await show.patch({ chat: [] })).status).toBe(200);
  } finally {
    await strict.close();
  }
});

it('a poll says whether chats count; letters need at most 13 answers; a copy of a show has letters of its own', async () => {
  const show = await takeShow(relay);
  const { json: first } = await show.addPoll({ chat_words: true, chat: false, answers: ['a', 'b', 'c'] });
  const { json: second } = await show.addPoll({ chat_words: 1 });
  const read = (id: string) => relay.read(id, { 'x-api-key': show.key });
  expect(await read(first.id)).toMatchObject({ chat: false, chat_words: true });
  expect(await read(second.id)).toMatchObject({ chat: true, chat_words: true });
  expect((await relay.engine.polls.find(second.id))!.poll.firstLetter).toBe(3);
  const answers = Array.from({ length: 14 }, (_, index) => `${index}`);
  expect(Object.keys(issuesOf(await show.addPoll({ chat_words: true, answers })))).toEqual([
    'poll.chat_words',
  ]);
  const { json: copy } = await show.at(relay.url).press('copy', { name: `${show.name}-copy` });
  const copied = await Promise.all(
    copy.polls.map(async ({ id }: { id: string }) => (await relay.engine.polls.find(id))!.poll),
  );
  expect(copied.map(poll => [poll.chat, poll.settings.chatWords, poll.firstLetter])).toEqual([
    [false, true, 0],
    [undefined, true, 3],
  ]);
  const { json: named } = await show.addPoll({ enter_name: true });
  for (const id of [first.id, named.id]) expect((await read(id)).chat_labels).toEqual([]);
});

it('the next round of a poll has letters of its own, so that late messages are no votes in it', async () => {
  const show = await takeShow(relay);
  const { json: first } = await show.addPoll({ chat_words: true, answers: ['a', 'b', 'c'] });
  const { json: second } = await show.addPoll({ chat_words: true, answers: ['a', 'b'] });
  const again = async (id: string, key: string) =>
    (await send(`${relay.url}/api/poll/${id}/again`, 'POST', {}, key)).json.chat_labels;
  // The next poll of the show keeps D and E.
  expect(await again(first.id, show.key)).toEqual(['F', 'G', 'H']);
  expect(await again(second.id, second.admin_key)).toEqual(['I', 'J']);
  expect(await again(first.id, show.key)).toEqual(['K', 'L', 'M']);
});
