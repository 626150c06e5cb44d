import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { YouTubeSource } from '../../src/chat/youtube.ts';
import { until } from '../support/until.ts';
import { ChatLog } from './chat-log.ts';
import { startYouTubeServer, type YouTubeMode, type YouTubeServer } from './youtube-server.ts';

const VIDEO = 'live-video1';
const KEY = 'the-secret-key-of-this-operator';

let youtube: YouTubeServer;
let chat: YouTubeSource;
let log: ChatLog;
let pauses: number[];

beforeEach(async () => {
  youtube = await startYouTubeServer();
  log = new ChatLog();
  pauses = [];
  chat = new YouTubeSource({
    url: youtube.url,
    key: KEY,
    listener: log,
    pause: (ms, signal) => {
      pauses.push(ms);
      return wait(20, undefined, { signal });
    },
  });
});

afterEach(async () => {
  await chat.close();
  await youtube.close();
});

const streamRequests = () => youtube.requests.filter(({ path }) => path === 'liveChat/messages/stream');

async function joined(channel = VIDEO): Promise<void> {
  chat.join(channel);
  await until(() => log.states.includes(`${channel} connected`), 'the chat');
}

describe('a chat of YouTube', () => {
  it('tells history and new messages with user, id and time, and without YouTube’s emotes', async () => {
    youtube.goLive(VIDEO);
    const atMs = Date.parse('2026-11-28T20:00:00.123Z');
    youtube.say(VIDEO, 'UC1', '2', { atMs, id: 'm1' });
    await joined();
    youtube.say(VIDEO, 'UC2', '1 :hand-pink-waving: :_ファン:', { id: 'm2' });
    youtube.say(VIDEO, 'UC3', 'at 10:30:00', { id: 'm3' });
    await until(() => log.messages.length === 3, 'all messages');
    expect(log.messages[0]).toEqual({ channel: VIDEO, userId: 'UC1', messageId: 'm1', text: '2', atMs });
    expect(log.texts.slice(1).map(text => text.trim())).toEqual(['1', 'at 10:30:00']);
  });

  it('tells deleted messages and banned users', async () => {
    youtube.goLive(VIDEO);
    await joined();
    const id = youtube.say(VIDEO, 'UC1', '2');
    youtube.delete(VIDEO, id);
    youtube.ban(VIDEO, 'UC1');
    await until(() => log.bans.length === 1, 'the ban');
    expect([log.deletions, log.bans]).toEqual([[`${VIDEO} ${id}`], [`${VIDEO} UC1`]]);
  });

  it('goes on after the last page when YouTube ends a request, and after a lost connection: no message is missing or told twice', async () => {
    youtube.goLive(VIDEO);
    await joined();
    const said: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const requests = streamRequests().length;
      said.push(youtube.say(VIDEO, 'UC1', `while it is open ${round}`));
      await until(() => log.messages.length === said.length, 'the message');
      if (round % 2 === 1) youtube.cut();
      await until(() => youtube.open === 0, 'the end of the request');
      said.push(youtube.say(VIDEO, 'UC1', `between two requests ${round}`));
      await until(() => streamRequests().length > requests, 'the next request');
    }
    await until(() => log.messages.length >= said.length, 'all messages');
    expect(log.messages.map(({ messageId }) => messageId)).toEqual(said);
    // A request that YouTube has ended is no fault.
    expect(new Set(log.states)).toEqual(
      new Set([`${VIDEO} connected`, `${VIDEO} lost YouTube does not reply`]),
    );
  });

  it('begins requests five seconds apart, so that a server that ends each at once does not use up the quota', async () => {
    youtube.goLive(VIDEO);
    await joined();
    // None follows a request that took five seconds on a busy machine.
    await until(() => pauses.some(ms => ms > 0), 'a pause after a request');
    expect(Math.max(...pauses)).toBeLessThanOrEqual(5_000);
  });

  it('finds the live video of a handle, and the next one when it is over', async () => {
    youtube.goLive('live-video0', '@band');
    youtube.endStream('live-video0');
    youtube.goLive('live-video1', '@band');
    await joined('@band');
    youtube.say('live-video1', 'UC1', 'first');
    await until(() => log.texts.includes('first'), 'the first stream');
    youtube.endStream('live-video1');
    await until(() => log.states.includes('@band ended the channel has no live stream'), 'the end');
    youtube.goLive('live-video2', '@band');
    youtube.say('live-video2', 'UC1', 'second');
    await until(() => log.texts.includes('second'), 'the second stream');
    expect(log.states).toContain('@band ended the stream is over');
  });

  it('says that there is no such channel or video', async () => {
    chat.join('@nothing');
    chat.join('no-video-id');
    await until(() => log.states.length >= 2, 'both states');
    expect(log.states).toContain('@nothing ended there is no such channel');
    expect(log.states).toContain('no-video-id ended the video has no live chat');
  });

  it('tells nothing after it has left, and can join again', async () => {
    youtube.goLive(VIDEO);
    await joined();
    chat.join(VIDEO);
    chat.leave(VIDEO);
    await until(() => youtube.open === 0, 'the end of the request');
    const states = log.states.length;
    youtube.say(VIDEO, 'UC1', 'unheard');
    chat.join(VIDEO);
    await until(() => log.states.length > states, 'the second join');
    await until(() => log.texts.length > 0, 'the history');
    expect(log.texts).toEqual(['unheard']);
    // Between two requests none is open.
    await until(() => youtube.open > 0, 'the request');
    expect(youtube.open).toBe(1);
  });

  it('hears pages, bans and messages of unknown kinds without harm', async () => {
    youtube.goLive(VIDEO);
    await joined();
    youtube.say(VIDEO, 'UC1', 'no time', { atMs: 8.64e15 });
    youtube.say(VIDEO, 'UC1', '{"a":"}\\" [{', {});
    youtube.say(VIDEO, 'UC1', 'after');
    await until(() => log.texts.includes('after'), 'the last message');
    expect(log.texts).toContain('{"a":"}\\" [{');
  });
});

describe('a server that is not well', () => {
  it.each<[string, YouTubeMode, string]>([
    ['quota', { status: 403, reason: 'quotaExceeded' }, 'lost the daily quota of the API key is used up'],
    [
      'quota in an array',
      { status: 403, reason: 'quotaExceeded', wrapped: true },
      'lost the daily quota of the API key is used up',
    ],
    ['a wrong key', { status: 400, reason: 'API_KEY_INVALID' }, 'lost YouTube rejects the API key'],
    ['no chat', { status: 403, reason: 'liveChatDisabled' }, 'ended the stream has no live chat'],
    ['too many requests', { status: 429, reason: 'constructor' }, 'lost YouTube replies with status 429'],
    ['an error', { status: 500 }, 'lost YouTube replies with status 500'],
    ['an empty reply', 'blank', 'lost YouTube does not reply'],
    ['the page of a hotel', 'portal', 'lost YouTube does not reply'],
    ['an object without an end', 'endless', 'lost YouTube does not reply'],
  ])('%s: says so, waits, and goes on when it is over', async (_, mode, state) => {
    youtube.goLive(VIDEO);
    youtube.mode = mode;
    chat.join(VIDEO);
    // Sixteen million characters take a while.
    const tries = mode === 'endless' ? 1 : 3;
    await until(() => log.states.length >= tries, 'some tries');
    expect(new Set(log.states)).toEqual(new Set([`${VIDEO} ${state}`]));
    youtube.mode = 'pages';
    youtube.say(VIDEO, 'UC1', '2');
    await until(() => log.texts.length > 0, 'the message');
    expect(log.texts).toEqual(['2']);
  });

  it('asks less and less often, and rarely without quota', async () => {
    youtube.goLive(VIDEO);
    youtube.mode = { status: 500 };
    chat.join(VIDEO);
    await until(() => pauses.length >= 10, 'ten tries');
    expect(Math.max(...pauses.slice(0, 2))).toBeLessThanOrEqual(5_000);
    expect(pauses[9]).toBeGreaterThanOrEqual(45_000);
    expect(pauses[9]).toBeLessThanOrEqual(60_000);
    youtube.mode = { status: 403, reason: 'quotaExceeded' };
    await until(() => Math.max(...pauses) > 300_000, 'a long pause');
  });

  it('carries no key to another server, and shows it in no state', async () => {
    const other = await startYouTubeServer();
    youtube.goLive(VIDEO);
    other.goLive(VIDEO);
    youtube.mode = {
      redirect: `${other.url}/youtube/v3/liveChat/messages/stream?liveChatId=chat-of-${VIDEO}`,
    };
    chat.join(VIDEO);
    await until(() => log.states.length > 1, 'two tries');
    expect(other.requests).toEqual([]);
    expect(streamRequests().every(({ key }) => key === KEY)).toBe(true);
    expect(JSON.stringify([log.states, youtube.requests.map(({ query }) => query)])).not.toContain(KEY);
    await other.close();
  });

  it('forgets a token that YouTube rejects', async () => {
    youtube.goLive(VIDEO);
    await joined();
    youtube.mode = { status: 400, reason: 'invalidPageToken' };
    await until(() => log.states.some(state => state.includes('400')), 'the rejection');
    youtube.mode = 'pages';
    const asked = streamRequests().length;
    await until(
      () =>
        streamRequests()
          .slice(asked)
          .some(({ query }) => !('pageToken' in query)),
      'a new beginning',
    );
  });

  it('is left at once while it hangs or drips', async () => {
    youtube.goLive(VIDEO);
    for (const mode of ['hang', 'drip'] as const) {
      youtube.mode = mode;
      chat.join(VIDEO);
      await until(() => youtube.open === 1, 'the request');
      chat.leave(VIDEO);
      await until(() => youtube.open === 0, 'its end');
    }
  });
});
