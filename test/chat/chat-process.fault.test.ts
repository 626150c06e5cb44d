// @module-tag redis-server
import { expect, it } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import type { ResultsBody } from '../../src/protocol/messages.ts';
import { startProgram } from '../start/program.ts';
import { ask } from '../support/api-request.ts';
import { kill } from '../support/child-process.ts';
import { redisRig } from '../support/redis-rig.ts';
import { startRelayProcess } from '../support/relay-process.ts';
import { takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';
import { KickSender, send } from './kick-sender.ts';
import { startTwitchServer, type TwitchServer } from './twitch-server.ts';

const rig = redisRig();
const USERS = 3_000;
const CHAT = [{ platform: 'twitch', channel: 'fridaynight' }];

async function twitch(): Promise<TwitchServer> {
  const server = await startTwitchServer();
  rig.closeAfter(() => server.close());
  return server;
}

function total(results: ResultsBody): number {
  return results.poll_answers.reduce((sum, { votes }) => sum + votes, 0);
}

it('chat process, engine and relay killed while votes come: every user counts once', async () => {
  const redis = await rig.start(['--appendonly', 'yes', '--appendfsync', 'always']);
  const server = await twitch();
  const relays = [await startRelayProcess(redis.url), await startRelayProcess(redis.url)];
  rig.closeAfter(() => Promise.all(relays.map(relay => relay.stop())));
  const settings = { ROLE: 'chat', CHAT: 'twitch', CHAT_TWITCH_URL: server.url, REDIS_URL: redis.url };
  const killed = await startProgram(settings);
  await startProgram(settings);
  const show = await takeShow(relays[0]!);
  const { json: poll } = await show.addPoll({ mip: false });
  expect((await show.patch({ chat: CHAT, on_air: poll.id })).status).toBe(200);
  await until(() => server.isRead(2), 'both processes to read the chat');

  let isSaying = true;
  const saying = (async () => {
    for (let user = 1; user <= USERS; user += 1) {
      server.say({ userId: `${user}`, text: `${(user % 2) + 1}` });
      if (user % 20 === 0) await new Promise(done => setTimeout(done, 20));
    }
    isSaying = false;
  })();
  const voters = async () =>
    (await (await fetch(`${relays[1]!.url}/api/poll/${poll.id}`)).json()).total_voters;
  await until(async () => (await voters()) > 200, 'the first votes');
  await relays[0]!.kill();
  await kill(killed.child);
  const back = await startProgram(settings);
  await back.running();
  expect((await ask(`${back.voteUrl}/readyz`)).status).toBe(200);
  await until(() => server.isRead(2), 'the process to be back');
  await redis.kill9();
  await redis.restart();
  await saying;
  expect(isSaying).toBe(false);

  await until(async () => (await voters().catch(() => 0)) === USERS, 'every user to be counted');
  const results = (await (await fetch(`${relays[1]!.url}/api/poll/${poll.id}`)).json()) as ResultsBody;
  expect([total(results), results.by_source]).toEqual([USERS, { page: 0, twitch: USERS }]);
  const engine = await openEngine({ redisUrl: redis.url });
  rig.closeAfter(() => engine.close());
  const ids = new Set<string>();
  for await (const ballots of engine.polls.readBallots(poll.id))
    for (const { ballotId, name } of ballots) {
      expect([ids.has(ballotId), name]).toEqual([false, null]);
      ids.add(ballotId);
    }
  expect(ids.size).toBe(USERS);
});

it('a connection that is lost for 30 s is degraded, and votes after it count', async () => {
  const server = await twitch();
  const program = await startProgram({ CHAT: 'twitch', CHAT_TWITCH_URL: server.url, CHAT_CHANNELS: '1' });
  await program.running();
  const show = await takeShow(program);
  const { json: poll } = await show.addPoll({ chat_words: true });
  await show.patch({ chat: CHAT, on_air: poll.id });
  await until(() => server.isRead(), 'the chat to be read');
  const ready = async () => {
    const { status, json } = await ask(`${program.voteUrl}/readyz`);
    return [status, json.degraded?.map(({ path }: { path: string }) => path)];
  };
  const votes = async () => {
    const { json } = await ask(`${program.url}/api/poll/${poll.id}`);
    return json.poll_answers.map(({ votes }: { votes: number }) => votes);
  };
  server.say({ userId: '1', text: 'a' });
  await expect.poll(votes).toEqual([1, 0]);
  expect(await ready()).toEqual([200, undefined]);
  await server.stop();
  await expect.poll(ready).toEqual([200, ['chat']]);
  await expect
    .poll(async () => (await show.get()).json.chat_state)
    .toMatchObject([{ platform: 'twitch', channel: 'fridaynight', state: 'lost', votes: 1 }]);
  await new Promise(done => setTimeout(done, 30_000));
  await server.start();
  await until(() => server.isRead(), 'the chat to be read again');
  server.say({ userId: '1', text: 'b' });
  server.say({ userId: '2', text: 'b' });
  await expect.poll(votes).toEqual([1, 1]);
  await expect.poll(ready).toEqual([200, undefined]);
  await expect
    .poll(async () => (await show.get()).json.chat_state)
    .toMatchObject([{ state: 'connected', votes: 2, lost: 0, fault: null }]);
});

it('with several workers, one reads the chat', async () => {
  const redis = await rig.start();
  const server = await twitch();
  const program = await startProgram({
    REDIS_URL: redis.url,
    WORKERS: '3',
    CHAT: 'twitch',
    CHAT_TWITCH_URL: server.url,
  });
  await program.running();
  const show = await takeShow(program);
  const { json: poll } = await show.addPoll();
  await show.patch({ chat: CHAT, on_air: poll.id });
  await until(() => server.isRead(1), 'the chat to be read');
  server.say({ userId: '1', text: '2' });
  const voters = async () => (await ask(`${program.url}/api/poll/${poll.id}`)).json.total_voters;
  await expect.poll(voters).toBe(1);
  expect(server.isRead(1)).toBe(true);
});

it('the desk adds up what two processes get from Kick, and forgets one that is killed', async () => {
  const redis = await rig.start();
  const kick = new KickSender();
  const relay = await startRelayProcess(redis.url);
  const settings = {
    CHAT: 'kick',
    CHAT_KICK_PUBLIC_KEY_FILE: kick.keyFile(),
    CHAT_KICK_URL: relay.url,
    REDIS_URL: redis.url,
  };
  rig.closeAfter(() => relay.stop());
  const programs = [
    await startProgram({ ROLE: 'chat', ...settings }),
    await startProgram({ ROLE: 'chat', ...settings }),
  ];
  for (const program of programs) await program.running();
  const show = await takeShow(relay);
  const { json: poll } = await show.addPoll({ mip: false });
  await show.patch({ chat: [{ platform: 'kick', channel: 'band' }], on_air: poll.id });
  const state = async () => (await show.get()).json.chat_state[0];
  const voters = async () => (await ask(`${relay.url}/api/poll/${poll.id}`)).json.total_voters;
  let user = 0;
  const saidTo = async (url: string) => {
    user += 1;
    // To the other one as well, which must not count the user again.
    for (const to of [url, ...programs.map(({ voteUrl }) => voteUrl)])
      await send(to, kick.said('band', user, '1'));
  };
  for (const { voteUrl } of programs) {
    const before = await voters();
    await until(async () => {
      user += 1;
      await send(voteUrl, kick.said('band', user, '1'));
      return (await voters()) > before;
    }, 'a vote of this process');
  }
  for (const { voteUrl } of programs) {
    const before = await voters();
    await until(async () => {
      await saidTo(voteUrl);
      return (await voters()) > before + 5;
    }, 'votes of each process');
  }
  const missing = async () => (await voters()) - (await state()).votes;
  await expect.poll(missing).toBe(0);
  await kill(programs[0]!.child);
  await expect.poll(missing).toBeGreaterThan(0);
  expect((await state()).state).toBe('connected');
  await kill(programs[1]!.child);
  await expect.poll(async () => (await state()).state).toBe('off');
});
