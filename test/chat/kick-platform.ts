import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KickSource } from '../../src/chat/kick.ts';
import type { TestPlatform } from './chat-platform.ts';
import { KickSender, type Webhook } from './kick-sender.ts';

const CHANNEL = 'band';
/** One for all: a key takes a tenth of a second to make. */
let kick: KickSender | undefined;

/** Kick as far as a poll sees it: its webhooks reach one process after the other, as behind a balancer. */
export async function startKickPlatform(): Promise<TestPlatform> {
  kick ??= new KickSender();
  const sender = kick;
  const api = createServer((_, reply) => reply.end()).listen(0, '127.0.0.1');
  await once(api, 'listening');
  const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const joined: KickSource[] = [];
  let sent = 0;
  const deliver = ({ headers, body }: Webhook) => {
    sent += 1;
    joined[sent % joined.length]?.take(headers, Buffer.from(body));
  };
  return {
    platform: 'kick',
    channel: CHANNEL,
    open(listener) {
      const source = new KickSource({ publicKey: sender.publicKey, clock: Date.now, url }).open(listener);
      const forget = () => {
        if (joined.includes(source)) joined.splice(joined.indexOf(source), 1);
      };
      return {
        platform: 'kick',
        hearsAll: false,
        clock: source.clock,
        join(channel) {
          source.join(channel);
          if (!joined.includes(source)) joined.push(source);
        },
        leave(channel) {
          source.leave(channel);
          forget();
        },
        async close() {
          forget();
          await source.close();
        },
      };
    },
    isRead: (clients = 1) => joined.length === clients,
    say({ userId, text, atMs = Date.now(), messageId }) {
      const webhook = sender.said(CHANNEL, Number(userId), text, {
        ...(messageId !== undefined && { id: messageId }),
        createdAtMs: atMs,
      });
      deliver(webhook);
      return `chat-${webhook.headers['kick-event-message-id']}`;
    },
    ban: userId => deliver(sender.banned(CHANNEL, Number(userId))),
    close: async () => {
      api.closeAllConnections();
      await new Promise(done => api.close(done));
    },
  };
}
