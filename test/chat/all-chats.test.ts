import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blocksOf, readDocument } from '../document/documents.ts';
import { ShellSession } from '../document/shell-session.ts';
import { findFreePort } from '../support/free-port.ts';
import { type RelayProcess, startRelayProcess } from '../support/relay-process.ts';
import { until } from '../support/until.ts';
import type { TestPlatform } from './chat-platform.ts';
import { KickSender, send } from './kick-sender.ts';
import { startTwitchServer } from './twitch-server.ts';
import { startYouTubeServer, type YouTubeServer } from './youtube-server.ts';

/** The real program with all three chats, set up as STREAMERS.md says. */

const DOCUMENT = 'src/chat/STREAMERS.md';
const VIDEO = 'live-video1';
const KEY = 'AIza-the-secret-of-this-operator';

const kick = new KickSender();
let twitch: TestPlatform & { readonly url: string };
let youtube: YouTubeServer;
let relay: RelayProcess;
let folder: string;
let voteUrl: string;

beforeAll(async () => {
  [twitch, youtube] = await Promise.all([startTwitchServer(), startYouTubeServer()]);
  youtube.goLive(VIDEO, '@band');
  folder = await mkdtemp(join(tmpdir(), 'tallycast-chats-'));
  await writeFile(join(folder, 'youtube.key'), `${KEY}\n`);
  const votePort = await findFreePort();
  voteUrl = `http://127.0.0.1:${votePort}`;
  relay = await startRelayProcess('', {
    ROLE: 'all',
    VOTE_PORT: `${votePort}`,
    DATA_DIR: join(folder, 'data'),
    CHAT: 'twitch,youtube,kick',
    CHAT_TWITCH_URL: twitch.url,
    CHAT_YOUTUBE_URL: youtube.url,
    CHAT_YOUTUBE_KEY_FILE: join(folder, 'youtube.key'),
    CHAT_KICK_PUBLIC_KEY_FILE: kick.keyFile(),
    CHAT_KICK_URL: twitch.url.replace('ws:', 'http:'),
  });
}, 60_000);

afterAll(async () => {
  await relay?.stop();
  await Promise.all([twitch?.close(), youtube?.close()]);
  await rm(folder, { recursive: true, force: true });
});

async function ask(method: string, path: string, body?: unknown, key?: string) {
  const reply = await fetch(relay.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'x-api-key': key }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(reply.ok, await reply.clone().text()).toBe(true);
  return reply.json();
}

it('a show that is set up as the document for streamers says counts chat votes, those of three chats too, and shows no key', async () => {
  const session = new ShellSession(
    { TALLYCAST_URL: relay.url },
    [
      ['http://127.0.0.1:8080', relay.url],
      ['your_channel', twitch.channel],
    ],
    {},
  );
  const blocks = blocksOf(DOCUMENT);
  expect(blocks).toHaveLength(1);
  const printed = (await session.run(blocks[0]!.text)).join('\n');
  const [, key = ''] = /(show_[\w-]{20,})/.exec(printed)!;
  const { on_air: id, chat: first } = await ask('GET', '/api/show/friday-night', undefined, key);
  const chat = [
    ...first,
    { platform: 'youtube', channel: '@band' },
    { platform: 'kick', channel: 'https://kick.com/band' },
  ];
  await ask('PATCH', '/api/show/friday-night', { show: { chat } }, key);
  let user = 0;
  let results: { by_source?: Record<string, number> } = {};
  await until(async () => {
    user += 1;
    twitch.say({ userId: `${user}`, text: '1' });
    youtube.say(VIDEO, `UC${user}`, '2');
    expect(await send(voteUrl, kick.said('band', user, 'volare'))).toEqual([200, '']);
    results = await ask('GET', `/api/poll/${id}`, undefined, key);
    const { twitch: one = 0, youtube: two = 0, kick: three = 0 } = results.by_source ?? {};
    return one > 0 && two > 0 && three > 0;
  }, 'votes from all three chats');
  const state = await ask('GET', '/api/show/friday-night', undefined, key);
  expect(JSON.stringify([state, results])).not.toContain(KEY);
  expect(youtube.requests.every(request => request.key === KEY)).toBe(true);
});

it('the document for streamers has what the desk says of YouTube', () => {
  const text = readDocument(DOCUMENT);
  const source = readDocument('src/chat/youtube.ts');
  const rows = [...text.matchAll(/^\| (?!the desk says|-)([^|]+) \|/gm)].map(([, said]) => said!);
  expect(rows).toHaveLength(4);
  for (const said of rows) expect(source).toContain(`'${said}'`);
});
