import { describe, expect, it, onTestFinished } from 'vitest';
import type { ChatMessage, ChatState } from '../../src/chat/chat-source.ts';
import { until } from '../support/until.ts';
import { describeChat } from './chat-claims.ts';
import { openEmbedded } from './embedded.ts';
import { startTwitchServer } from './twitch-server.ts';

describe('votes from Twitch on the embedded engine', () => {
  describeChat(startTwitchServer, openEmbedded);
});

/** A client of the server that has joined its channel. */
async function joined() {
  const server = await startTwitchServer();
  const messages: ChatMessage[] = [];
  const states: ChatState[] = [];
  const source = server.open({
    message: message => messages.push(message),
    deleted: () => {},
    banned: () => {},
    state: (_, state) => states.push(state),
  });
  onTestFinished(async () => {
    await source.close();
    await server.close();
  });
  source.join(server.channel);
  await until(() => server.isRead(), 'the channel to be joined');
  return { server, messages, states };
}

it.each([
  ['a reply, whose address Twitch adds', 'PRIVMSG', 'reply-parent-msg-id=x', '@host 2', '2', undefined],
  ['an address that the user has typed', 'PRIVMSG', 'x=y', '@host 2', '@host 2', undefined],
  ['bits', 'PRIVMSG', 'bits=100', 'Cheer100 2', '2', undefined],
  ['an answer that looks like bits, without them', 'PRIVMSG', 'x=y', 'Area51', 'Area51', undefined],
  ['emotes', 'PRIVMSG', 'emotes=25:0-4', 'Kappa 2', '2', 'Kappa 2'],
  ['emotes alone', 'PRIVMSG', 'emotes=25:0-4,6-10', 'Kappa Kappa', '', 'Kappa Kappa'],
  ['emotes in a reply', 'PRIVMSG', 'reply-parent-msg-id=x;emotes=25:6-10', '@host Kappa', '', 'Kappa'],
  ['a subscription with a message', 'USERNOTICE', 'msg-id=resub', '2', '2', undefined],
])('Twitch: %s', async (_, command, tags, said, text, whole) => {
  const { server, messages } = await joined();
  const all = `id=1;room-id=1;tmi-sent-ts=${Date.now()};user-id=7;${tags}`;
  server.send(`@${all} :u!u@u.tmi.twitch.tv ${command} #${server.channel} :${said}`);
  await until(() => messages.length > 0, 'the message');
  expect([messages[0]!.text.trim(), messages[0]!.whole?.trim()]).toEqual([text, whole]);
});

it('Twitch: a suspended channel is told once, and not as lost', async () => {
  const { server, states } = await joined();
  await until(() => states.includes('connected'), 'the channel to be joined');
  for (let told = 0; told < 3; told += 1)
    server.send(`@msg-id=msg_channel_suspended :tmi.twitch.tv NOTICE #${server.channel} :suspended`);
  await until(() => states.includes('ended'), 'the suspension');
  expect(new Set(states)).toEqual(new Set(['joining', 'connected', 'ended']));
});
