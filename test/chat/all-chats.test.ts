import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blocksOf, readDocument } from '../document/documents.ts';
import { ShellSession } from '../document/shell-session.ts';
import { findFreePort } from '../support/free-port.ts';
import { type RelayProcess, startRelayProcess } from '../support/relay-process.ts';
import { until } from '../support/until.ts';
import type { TestPlatform } from './chat-platform.ts';
import { type KickApi, startKickApi } from './kick-api.ts';
import { KickSender, send } from './kick-sender.ts';
import { startTwitchServer } from './twitch-server.ts';
import { startYouTubeServer, type YouTubeServer } from './youtube-server.ts';

/** The real program with all three chats, set up as STREAMERS.md says. */

const DOCUMENT = 'src/chat/STREAMERS.md';
const VIDEO = 'live-video1';
const KEY = 'AIza-the-secret-of-this-operator';
/** A silent curl, and as much of jq as the document needs. */
const PRELUDE = `set -e
curl() { command curl -sS "$@"; }
jq() { [ "$1" = -r ] && shift; "${process.execPath}" -p "JSON.parse(fs.readFileSync(0))$1"; }`;

const kick = new KickSender();
let kickApi: KickApi;
let twitch: TestPlatform & { readonly url: string };
let youtube: YouTubeServer;
let relay: RelayProcess;
let folder: string;
let voteUrl: string;

const blocksUnder = (heading: string) =>
  blocksOf(DOCUMENT)
    .filter(block => block.heading === heading)
    .map(({ text }) => text);

/** Runs a line in the folder of the server. @param pasted what a person types into it */
async function enter(line: string, pasted = ''): Promise<void> {
  const filled = line
    .replaceAll(/https:\/\/(?:api|id)\.kick\.com/g, kickApi.url)
    .replace('client_id=…', 'client_id=app');
  const shell = spawn('bash', ['-c', `${PRELUDE}\n${filled}`], {
    cwd: folder,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  shell.stdin.end(pasted);
  const [code] = await once(shell, 'exit');
  expect(code, filled).toBe(0);
}

/** Does what the blocks under a heading say before the start. @returns the settings of the start */
async function prepare(heading: string, pasted = ''): Promise<Record<string, string>> {
  const [block = ''] = blocksUnder(heading);
  const settings: Record<string, string> = {};
  for (const line of block.split('\n')) {
    const [, given] = /^((?:\w+=\S+ )+)npm start$/.exec(line) ?? [];
    if (given === undefined) await enter(line, pasted);
    for (const [, name = '', value = ''] of (given ?? '').matchAll(/(\w+)=(\S+) /g)) settings[name] = value;
  }
  return settings;
}

beforeAll(async () => {
  [twitch, youtube, kickApi] = await Promise.all([
    startTwitchServer(),
    startYouTubeServer(),
    startKickApi(kick),
  ]);
  youtube.goLive(VIDEO, '@band');
  folder = await mkdtemp(join(tmpdir(), 'tallycast-chats-'));
  const votePort = await findFreePort();
  voteUrl = `http://127.0.0.1:${votePort}`;
  const settings = [
    await prepare('Twitch, in three minutes'),
    await prepare('YouTube', `${KEY}\n`),
    await prepare('Kick'),
  ];
  const given = Object.assign({}, ...settings) as Record<string, string>;
  relay = await startRelayProcess('', {
    ...given,
    CHAT: settings.map(({ CHAT }) => CHAT).join(),
    CHAT_YOUTUBE_KEY_FILE: join(folder, given['CHAT_YOUTUBE_KEY_FILE']!),
    CHAT_KICK_PUBLIC_KEY_FILE: join(folder, given['CHAT_KICK_PUBLIC_KEY_FILE']!),
    ROLE: 'all',
    VOTE_PORT: `${votePort}`,
    DATA_DIR: join(folder, 'data'),
    CHAT_TWITCH_URL: twitch.url,
    CHAT_YOUTUBE_URL: youtube.url,
    CHAT_KICK_URL: twitch.url.replace('ws:', 'http:'),
  });
}, 60_000);

afterAll(async () => {
  await relay?.stop();
  await Promise.all([twitch?.close(), youtube?.close(), kickApi?.close()]);
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
  const printed = (await session.run(blocksUnder('Twitch, in three minutes').at(-1)!)).join('\n');
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

it('subscribes a channel at Kick to the events that the server counts, as the document for streamers says', async () => {
  const [, block = ''] = blocksUnder('Kick');
  await enter(block);
  expect(kickApi.subscribed).toEqual([
    {
      broadcaster_user_id: 1_000,
      method: 'webhook',
      events: [kick.said('band', 1, '1'), kick.banned('band', 1)].map(({ headers }) => ({
        name: headers['kick-event-type'],
        version: Number(headers['kick-event-version']),
      })),
    },
  ]);
});

it('the document for streamers has what the desk says of YouTube', () => {
  const text = readDocument(DOCUMENT);
  const source = readDocument('src/chat/youtube.ts');
  const rows = [...text.matchAll(/^\| (?!the desk says|-)([^|]+) \|/gm)].map(([, said]) => said!);
  expect(rows).toHaveLength(4);
  for (const said of rows) expect(source).toContain(`'${said}'`);
});
