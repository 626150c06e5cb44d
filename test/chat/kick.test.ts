import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KickSource, kickRoutes } from '../../src/chat/kick.ts';
import { until } from '../support/until.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { ChatLog } from './chat-log.ts';
import { KickSender, send } from './kick-sender.ts';

const OK = [200, ''];
const REJECTED = [403, ''];

const kick = new KickSender();
let site: LiveSite;
let source: KickSource;
let log: ChatLog;
let nowMs: () => number;

beforeAll(async () => {
  const listener = new ChatLog();
  log = listener;
  source = new KickSource({ publicKey: kick.publicKey, clock: () => nowMs() }).open(listener);
  site = await startLiveSite({
    rateLimits: { newcomers: 5 },
    votesFromChat: { check: async () => undefined, routes: app => kickRoutes(app, { kick: source }) },
  });
});
afterAll(() => site.close());

beforeEach(async () => {
  await source.close();
  for (const told of [log.messages, log.bans, log.states]) told.length = 0;
  nowMs = Date.now;
  source.join('band');
});

describe('the webhook of Kick', () => {
  it('tells messages of joined channels with user, id and time, and without Kick’s emotes', async () => {
    const atMs = Date.parse(new Date().toISOString().replace(/\.\d+/, ''));
    const message = kick.said('band', 17, '2 [emote:37226:KEKW]', { id: 'ID1', atMs });
    expect(await send(site.url, message)).toEqual(OK);
    const [told] = log.messages;
    expect(told).toEqual({
      channel: 'band',
      userId: '17',
      messageId: 'chat-ID1',
      text: '2  ',
      whole: '2  KEKW ',
      atMs,
    });
    expect(log.states).toEqual(['band connected']);
  });

  it('finds the channel by its address or by the name of its user, in any case', async () => {
    source.join('the_band');
    await send(site.url, kick.said('The-Band', 17, '1'));
    expect(log.messages.map(({ channel }) => channel)).toEqual(['the_band']);
  });

  it('tells banned users', async () => {
    expect(await send(site.url, kick.banned('band', 17))).toEqual(OK);
    expect(log.bans).toEqual(['band 17']);
  });

  it('takes a webhook once, however often it comes', async () => {
    const message = kick.said('band', 17, '2');
    const replies = await Promise.all(Array.from({ length: 5 }, () => send(site.url, message)));
    expect(replies).toEqual(Array(5).fill(OK));
    expect(log.texts).toEqual(['2']);
  });

  it('rejects every change of what is signed, and a signature of another key', async () => {
    const message = kick.said('band', 17, '2');
    const { headers, body } = message;
    const changed = [
      { headers, body: body.replace('"2"', '"1"') },
      { headers, body: `${body} ` },
      { headers: { ...headers, 'kick-event-message-id': 'another' }, body },
      { headers: { ...headers, 'kick-event-message-timestamp': new Date().toISOString() }, body },
      { headers: { ...headers, 'kick-event-signature': '' }, body },
      { headers: { ...headers, 'kick-event-signature': '%%%' }, body },
      { headers: { 'content-type': 'application/json' }, body },
      { headers, body: '' },
      new KickSender().said('band', 17, '2'),
      new KickSender('ed25519').said('band', 17, '2'),
    ];
    for (const forged of changed) expect(await send(site.url, forged)).toEqual(REJECTED);
    expect(log.messages).toEqual([]);
    expect(await send(site.url, message)).toEqual(OK);
  });

  it('rejects what was signed more than five minutes ago, or will be in more than five', async () => {
    const atMs = Date.now();
    const message = kick.said('band', 17, '2', { atMs });
    for (const minutes of [-5.1, 5.1]) {
      nowMs = () => atMs + minutes * 60_000;
      expect(await send(site.url, message)).toEqual(REJECTED);
    }
    nowMs = () => atMs + 4.9 * 60_000;
    expect(await send(site.url, message)).toEqual(OK);
    const never = kick.signed('chat.message.sent', {}, {});
    const headers = { ...never.headers, 'kick-event-message-timestamp': 'never' };
    expect(await send(site.url, { ...never, headers })).toEqual(REJECTED);
  });

  it('says nothing of channels that are not linked, of other events, and of what is no event', async () => {
    const others = [
      kick.said('another', 17, '2'),
      kick.signed('channel.followed', {
        broadcaster: { channel_slug: 'band', username: 'band' },
        follower: {},
      }),
      kick.signed('chat.message.sent', 'no JSON'),
      kick.signed('chat.message.sent', '[null]'),
    ];
    for (const other of others) expect(await send(site.url, other)).toEqual(OK);
    expect([log.messages, log.bans]).toEqual([[], []]);
    source.leave('band');
    expect(await send(site.url, kick.said('band', 17, '2'))).toEqual(OK);
    expect(log.messages).toEqual([]);
  });

  it('judges by the body what kind of event it is, because Kick signs no header with the type', async () => {
    const { headers, body } = kick.said('band', 17, '2');
    await send(site.url, { headers: { ...headers, 'kick-event-type': 'moderation.banned' }, body });
    expect([log.texts, log.bans]).toEqual([['2'], []]);
  });

  it('takes no large body, and nothing but POST', async () => {
    const large = kick.signed('chat.message.sent', 'x'.repeat(1_000_000));
    expect(await send(site.url, large).catch(() => [413, ''])).toEqual([413, '']);
    expect((await fetch(`${site.url}/chat/kick`)).status).toBe(404);
  });

  it('takes many messages of one address beside forged ones, while voting pages limit newcomers', async () => {
    const messages = Array.from({ length: 50 }, (_, index) => kick.said('band', index, '1'));
    const forged = messages.map(({ headers, body }) => ({ headers, body: `${body} ` }));
    const statuses = new Set<number>();
    // The forged one first, whose id is the same.
    for (const [index, message] of messages.entries()) {
      const pair = [forged[index]!, message].map(one => send(site.url, one));
      for (const [status] of await Promise.all(pair)) statuses.add(status);
    }
    expect(statuses).toEqual(new Set([200, 403]));
    expect(log.messages).toHaveLength(messages.length);
  });

  it('reads Ed25519 keys, too', async () => {
    const sender = new KickSender('ed25519');
    const told = new ChatLog();
    const other = new KickSource({ publicKey: sender.publicKey, clock: Date.now }).open(told);
    other.join('band');
    const { headers, body } = sender.said('band', 1, '2');
    expect(other.take(headers, Buffer.from(body))).toBeUndefined();
    expect(other.take(headers, Buffer.from(`${body} `))).toBe('signature');
    await until(() => told.texts.length === 1, 'the message');
  });
});
