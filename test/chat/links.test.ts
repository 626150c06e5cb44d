import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProcessRecords } from '../../src/engine/process-records.ts';
import { parseChannel } from '../../src/poll/chat-link.ts';
import { CHAT_LINKS, CHAT_STATE, parseChatClaims } from '../../src/show/chat-links.ts';
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

describe('a channel is read from what people copy', () => {
  it.each([
    ['twitch', 'FridayNight', 'fridaynight'],
    ['twitch', '#fridaynight', 'fridaynight'],
    ['twitch', '@FridayNight', 'fridaynight'],
    ['twitch', 'https://www.twitch.tv/FridayNight?tt_content=x', 'fridaynight'],
    ['twitch', 'twitch.tv/fridaynight/', 'fridaynight'],
    ['twitch', 'https://m.twitch.tv/fridaynight/home', 'fridaynight'],
    ['twitch', 'https://www.twitch.tv/fridaynight/videos?filter=all', 'fridaynight'],
    ['twitch', 'https://www.twitch.tv/popout/fridaynight/chat?popout=', 'fridaynight'],
    ['twitch', 'https://www.twitch.tv/moderator/fridaynight', 'fridaynight'],
    ['twitch', 'https://www.twitch.tv/popout/moderator/fridaynight/chat', 'fridaynight'],
    ['twitch', 'https://www.twitch.tv/embed/fridaynight/chat?parent=x', 'fridaynight'],
    ['twitch', 'https://player.twitch.tv/?channel=fridaynight&parent=x', 'fridaynight'],
    ['twitch', 'https://dashboard.twitch.tv/u/fridaynight/stream-manager', 'fridaynight'],
    ['twitch', 'https://dashboard.twitch.tv/popout/u/fridaynight/stream-manager/chat', 'fridaynight'],
    ['twitch', 'https://www.twitch.tv/videos/123456789', undefined],
    ['twitch', 'https://www.twitch.tv/directory/category/music', undefined],
    ['twitch', 'https://clips.twitch.tv/SomeClip', undefined],
    ['twitch', 'https://www.twitch.tv/', undefined],
    ['twitch', 'https://kick.com/fridaynight', undefined],
    ['twitch', 'https://twitch.tv.example/fridaynight', undefined],
    ['youtube', 'dQw4w9WgXcQ', 'dQw4w9WgXcQ'],
    ['youtube', '@Friday.Night', '@Friday.Night'],
    ['youtube', 'https://www.youtube.com/watch?list=x&v=dQw4w9WgXcQ&t=1', 'dQw4w9WgXcQ'],
    ['youtube', 'https://youtu.be/dQw4w9WgXcQ?si=x', 'dQw4w9WgXcQ'],
    ['youtube', 'youtube.com/live/dQw4w9WgXcQ?feature=share', 'dQw4w9WgXcQ'],
    ['youtube', 'https://www.youtube.com/live_chat?is_popout=1&v=dQw4w9WgXcQ', 'dQw4w9WgXcQ'],
    ['youtube', 'https://studio.youtube.com/video/dQw4w9WgXcQ/livestreaming', 'dQw4w9WgXcQ'],
    ['youtube', 'https://www.youtube.com/embed/dQw4w9WgXcQ', 'dQw4w9WgXcQ'],
    ['youtube', 'https://www.youtube.com/@FridayNight/streams', '@FridayNight'],
    ['youtube', 'https://m.youtube.com/@Fr%C3%BChst%C3%BCck', '@Frühstück'],
    ['youtube', 'https://www.youtube.com/channel/UC4QobU6STFB0P71PMvOGN5A', undefined],
    ['youtube', 'https://www.youtube.com/playlist?list=PL1', undefined],
    ['youtube', 'https://www.youtube.com/@%ZZ', undefined],
    ['kick', 'https://kick.com/Friday-Night', 'friday-night'],
    ['kick', 'https://kick.com/friday-night/chatroom', 'friday-night'],
    ['kick', 'https://kick.com/popout/friday-night/chat', 'friday-night'],
    ['kick', 'https://player.kick.com/friday-night', 'friday-night'],
    ['kick', 'https://kick.com/friday-night/videos/1f', 'friday-night'],
    ['kick', 'https://kick.com/video/1f', undefined],
    ['kick', 'https://kick.com/categories/music', undefined],
    ['kick', 'https://dashboard.kick.com/stream', undefined],
  ] as const)('%s %s', (platform, text, channel) => {
    expect(parseChannel(platform, text)).toBe(channel);
  });
});

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
  const off = { state: 'off', messages_per_second: 0, votes: 0, lost: 0, early: 0, fault: null, late: null };
  expect((await show.get()).json.chat_state).toEqual(linked.map(link => ({ ...link, ...off })));
  expect(Object.keys((await show.get('', '')).json)).not.toContain('chat');
  expect((await show.patch({ chat: [] })).json.chat).toEqual([]);
  expect((await show.get()).json).toMatchObject({ chat: [], chat_state: [] });
});

it('an end of links that is sent again leaves the channel that was linked since', async () => {
  const show = await takeShow(relay);
  const again = { 'idempotency-key': 'an-end-that-is-sent-again' };
  await show.patch({ chat: [twitch('before')] });
  await show.patch({ chat: [] }, again);
  await show.patch({ chat: [twitch('since')] });
  expect((await show.patch({ chat: [] }, again)).json.chat).toEqual([twitch('since')]);
  const claims = parseChatClaims((await relay.engine.records.find(CHAT_LINKS))!);
  expect(claims.filter(claim => claim.show === show.name)).toHaveLength(1);
  await show.patch({ chat: [] });
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

it('has five channels for an address, seven in all and as many for operators, and frees those of deleted shows', async () => {
  const [one, two, three] = [await takeShow(relay), await takeShow(relay), await takeShow(relay)];
  await one.patch({ chat: ['a1', 'a2', 'a3'].map(twitch) });
  await two.patch({ chat: ['a3', 'a4', 'a5'].map(twitch) });
  expectError(await three.patch({ chat: [twitch('a6')] }), 409, 'chat_full');
  expect((await three.get()).json).toMatchObject({ chat: [], version: 1 });
  // On a channel that is held already.
  expect((await three.patch({ chat: [twitch('a5')] })).status).toBe(200);
  const operators = [];
  for (const from of [1, 4]) {
    const show = await takeShow(relay, OPERATOR_KEY);
    operators.push(show.name);
    const chat = [0, 1, 2].map(at => twitch(`o${from + at}`));
    expect((await show.patch({ chat }, AS_OPERATOR)).status).toBe(200);
  }
  const free = await takeShow(relay, OPERATOR_KEY);
  expect((await free.patch({ chat: [twitch('o7')] }, AS_OPERATOR)).status).toBe(200);
  expectError(await free.patch({ chat: ['o7', 'o8'].map(twitch) }, AS_OPERATOR), 409, 'chat_full');
  await two.patch({ chat: [] });
  await relay.engine.records.remove(`show:${one.name}`);
  // As if the claims were a minute old.
  const text = (await relay.engine.records.find(CHAT_LINKS))!;
  const old = parseChatClaims(text).map(claim => ({ ...claim, atMs: 0 }));
  await relay.engine.records.put(CHAT_LINKS, JSON.stringify(old));
  expect((await three.patch({ chat: ['b1', 'b2', 'b3'].map(twitch) })).status).toBe(200);
  const claims = parseChatClaims(await relay.engine.records.find(CHAT_LINKS));
  expect(claims.map(({ show }) => show).sort()).toEqual([...operators, free.name, three.name].sort());
  expect(claims.some(claim => JSON.stringify(claim).includes('127.0.0.1'))).toBe(false);
});

it('takes the channels of a show without a poll on air for an hour, or that cannot be joined, but no operator’s', async () => {
  const small = await startTestRelay({ operatorKeys: [OPERATOR_KEY], chatChannels: 3 });
  try {
    const { records } = small.engine;
    const [busy, idle, gone, own] = [
      await takeShow(small),
      await takeShow(small),
      await takeShow(small),
      await takeShow(small, OPERATOR_KEY),
    ];
    for (const [at, show] of [busy, idle, gone].entries()) await show.patch({ chat: [twitch(`c${at}`)] });
    await own.patch({ chat: ['o1', 'o2', 'o3'].map(twitch) }, AS_OPERATOR);
    const fresh = await takeShow(small);
    expectError(await fresh.patch({ chat: [twitch('new')] }), 409, 'chat_full');
    // As if the claims were made two hours ago, and nothing has happened since in two of the shows.
    const agoMs = Date.now() - 7_200_000;
    const claims = parseChatClaims(await records.find(CHAT_LINKS));
    await records.put(CHAT_LINKS, JSON.stringify(claims.map(claim => ({ ...claim, atMs: agoMs }))));
    for (const { name } of [idle, own]) {
      const stored = JSON.parse((await records.find(`show:${name}`))!);
      await records.put(`show:${name}`, JSON.stringify({ ...stored, changedAtMs: agoMs }));
    }
    const givenUp = async () =>
      parseChatClaims(await records.find(CHAT_LINKS)).flatMap(({ show, isGivenUp }) =>
        isGivenUp ? show : [],
      );
    expect((await fresh.patch({ chat: [twitch('new')] })).status).toBe(200);
    expect(await givenUp()).toEqual([idle.name]);
    const more = await takeShow(small);
    expectError(await more.patch({ chat: [twitch('more')] }), 409, 'chat_full');
    const report = { state: 'ended', hearsAll: true, messagesPerSecond: 0, votes: 0, lost: 0, early: 0 };
    const reports = JSON.stringify({ 'twitch:c2': report });
    await new ProcessRecords(records, CHAT_STATE).put(reports, 60_000);
    expect((await more.patch({ chat: [twitch('more')] })).status).toBe(200);
    expect((await givenUp()).sort()).toEqual([idle.name, gone.name].sort());
  } finally {
    await small.close();
  }
});

it('links for the operator alone where the operator wants that, and claims nothing without a key of the show', async () => {
  const strict = await startTestRelay({ operatorKeys: [OPERATOR_KEY], chatLink: 'operator' });
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
