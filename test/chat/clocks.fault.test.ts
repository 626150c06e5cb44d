// @module-tag faketime
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { faketimeLibrary } from '../support/programs.ts';
import { startRelayProcess } from '../support/relay-process.ts';
import { takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';
import { startTwitchServer } from './twitch-server.ts';

/** From the date of a message to its arrival. */
const LAG_MS = 1_500;
const EVERY_MS = 10;
/** No vote is typed sooner after a poll has come on air. */
const REACTION_MS = 1_500;

it.each(['+300s', '-300s', '+0s'])(
  'with a clock that is off by %s and a chat that lags, every vote counts in the poll that it was typed for',
  { timeout: 120_000 },
  async offset => {
    const server = await startTwitchServer();
    onTestFinished(() => server.close());
    const folder = await mkdtemp(join(tmpdir(), 'tallycast-clocks-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const relay = await startRelayProcess('', {
      ROLE: 'all',
      VOTE_PORT: '0',
      DATA_DIR: join(folder, 'data'),
      CHAT: 'twitch',
      CHAT_TWITCH_URL: server.url,
      LD_PRELOAD: faketimeLibrary(),
      FAKETIME: offset,
      DONT_FAKE_MONOTONIC: '1',
    });
    onTestFinished(() => relay.stop());
    const { headers } = await fetch(`${relay.url}/livez`);
    const wrongMs = Date.parse(headers.get('date')!) - Date.now() - Number.parseInt(offset, 10) * 1_000;
    expect(Math.abs(wrongMs)).toBeLessThan(2_000);
    const show = await takeShow(relay);
    const polls: string[] = [];
    for (let made = 0; made < 2; made += 1) polls.push((await show.addPoll({ answers: ['a', 'b'] })).json.id);
    const take = (at: number) => show.patch({ on_air: polls[at] });
    expect((await show.patch({ chat: [{ platform: 'twitch', channel: server.channel }] })).status).toBe(200);
    await take(0);
    await until(() => server.isRead(), 'the channel to be joined');
    // A program begins to read a chat long before the second poll of an evening.
    await pause(10_000);

    let user = 0;
    const said = [0, 0];
    const say = (answer: number) => {
      user += 1;
      said[answer]! += 1;
      const message = { userId: `${user}`, text: `${answer + 1}`, atMs: Date.now() };
      setTimeout(() => server.say(message), LAG_MS);
    };
    const talk = async (answer: number, ms: number) => {
      for (const untilMs = performance.now() + ms; performance.now() < untilMs; await pause(EVERY_MS))
        say(answer);
    };
    await talk(0, 2_000);
    // All votes so far are for the first poll, and some of them arrive after the press.
    await take(1);
    await pause(REACTION_MS);
    await talk(1, 2_000);
    const votes = async (at: number) => {
      const reply = await fetch(`${relay.url}/api/poll/${polls[at]}`, { headers: { 'x-api-key': show.key } });
      return ((await reply.json()).poll_answers as { votes: number }[]).map(answer => answer.votes);
    };
    await expect.poll(() => votes(1), { timeout: 15_000 }).toEqual([0, said[1]]);
    const [first, other] = await votes(0);
    expect([first! > 0, other]).toEqual([true, 0]);
  },
);
