import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { TwitchSource } from '../../src/chat/twitch.ts';
import { findFreePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import type { Said, TestPlatform } from './chat-platform.ts';

export interface TwitchServer extends TestPlatform {
  readonly url: string;
  /** Lines that clients have sent. */
  readonly heard: readonly string[];
  stop(): Promise<void>;
  start(): Promise<void>;
  drop(): void;
  delete(messageId: string): void;
  /** To every client that reads the channel, as it is. */
  send(line: string): void;
  /** A server that takes connections and says nothing. */
  isMute: boolean;
  /** A channel that does not exist is never confirmed. */
  readonly unknown: Set<string>;
}

const CHANNEL = 'fridaynight';

/**
 * The chat of Twitch as anonymous clients see it: capabilities, tags, joins that it confirms, and
 * nothing of the past.
 */
export async function startTwitchServer(): Promise<TwitchServer> {
  const clients = new Map<WebSocket, Set<string>>();
  const heard: string[] = [];
  const unknown = new Set<string>();
  // While the server is stopped, no outgoing connection may get the port.
  const port = await findFreePort();
  const server: { sockets: WebSocketServer; isMute: boolean } = {
    sockets: new WebSocketServer({ port, host: '127.0.0.1' }),
    isMute: false,
  };
  await once(server.sockets, 'listening');
  listen();

  function listen(): void {
    server.sockets.on('connection', socket => {
      const joined = new Set<string>();
      let hasTags = false;
      clients.set(socket, joined);
      const reply = (line: string) => server.isMute || socket.send(`${line}\r\n`);
      socket.on('close', () => clients.delete(socket));
      socket.on('message', data => {
        for (const line of data.toString().split('\r\n').filter(Boolean)) {
          heard.push(line);
          const [command, first = ''] = line.split(' ');
          if (command === 'CAP') {
            hasTags = line.includes('twitch.tv/tags') && line.includes('twitch.tv/commands');
            reply(`:tmi.twitch.tv CAP * ACK :${line.slice(line.indexOf(':') + 1)}`);
          } else if (command === 'NICK' && hasTags && /^justinfan\d+$/.test(first)) {
            reply(`:tmi.twitch.tv 001 ${first} :Welcome, GLHF!\r\n:tmi.twitch.tv 004 ${first} :-`);
            reply(`:tmi.twitch.tv 376 ${first} :>`);
          } else if (command === 'JOIN') {
            for (const channel of first.split(',').map(name => name.slice(1))) {
              if (unknown.has(channel)) continue;
              joined.add(channel);
              const nick = 'justinfan1';
              reply(`:${nick}!${nick}@${nick}.tmi.twitch.tv JOIN #${channel}`);
              reply(`@emote-only=0;room-id=1 :tmi.twitch.tv ROOMSTATE #${channel}`);
            }
          } else if (command === 'PART') joined.delete(first.slice(1));
          else if (command === 'PING') reply(`:tmi.twitch.tv PONG tmi.twitch.tv ${first}`);
        }
      });
    });
  }

  const send = (line: string) => {
    for (const [socket, joined] of clients)
      if (joined.has(CHANNEL) && !server.isMute) socket.send(`${line}\r\n`);
  };
  const drop = () => {
    for (const socket of clients.keys()) socket.terminate();
    clients.clear();
  };
  const stop = async () => {
    drop();
    await new Promise(done => server.sockets.close(done));
  };
  return {
    platform: 'twitch',
    channel: CHANNEL,
    url: `ws://127.0.0.1:${port}`,
    heard,
    unknown,
    get isMute() {
      return server.isMute;
    },
    set isMute(isMute) {
      server.isMute = isMute;
    },
    open: listener => new TwitchSource({ url: `ws://127.0.0.1:${port}`, listener }),
    isRead: (wanted = 1) => [...clients.values()].filter(joined => joined.has(CHANNEL)).length === wanted,
    say({ userId, text, atMs = Date.now(), messageId = randomUUID() }: Said) {
      const tags = `badges=;emotes=;id=${messageId};room-id=1;tmi-sent-ts=${atMs};user-id=${userId}`;
      send(`@${tags} :u${userId}!u${userId}@u${userId}.tmi.twitch.tv PRIVMSG #${CHANNEL} :${text}`);
      return messageId;
    },
    delete(messageId) {
      send(`@login=u;target-msg-id=${messageId} :tmi.twitch.tv CLEARMSG #${CHANNEL} :text`);
    },
    ban(userId) {
      send(
        `@ban-duration=600;room-id=1;target-user-id=${userId} :tmi.twitch.tv CLEARCHAT #${CHANNEL} :u${userId}`,
      );
    },
    send,
    drop,
    async reconnect() {
      const old = [...clients.keys()];
      for (const socket of old) socket.send(':tmi.twitch.tv RECONNECT\r\n');
      await until(() => clients.size > old.length, 'a second connection');
      await pause(500);
      for (const socket of old) socket.terminate();
    },
    stop,
    async start() {
      server.sockets = new WebSocketServer({ port, host: '127.0.0.1' });
      await once(server.sockets, 'listening');
      listen();
    },
    close: stop,
  };
}
