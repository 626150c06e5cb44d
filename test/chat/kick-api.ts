import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { KickSender } from './kick-sender.ts';

export interface KickApi {
  readonly url: string;
  /** The bodies of subscriptions. */
  readonly subscribed: readonly unknown[];
  close(): Promise<void>;
}

/** The requests of Kick's API that a streamer makes once: key, token, channel and subscription. */
export async function startKickApi({ publicKey }: KickSender): Promise<KickApi> {
  const subscribed: unknown[] = [];
  const token = 'token-of-the-app';
  const server = createServer(async (request, reply) => {
    const { method, url, headers } = request;
    const isAllowed = headers.authorization === `Bearer ${token}`;
    const replies: Record<string, () => unknown> = {
      'GET /public/v1/public-key': () => ({
        data: { public_key: publicKey.export({ type: 'spki', format: 'pem' }).toString().trim() },
      }),
      'POST /oauth/token': () => ({ access_token: token }),
      'GET /public/v1/channels?slug=your-channel': () =>
        isAllowed && { data: [{ broadcaster_user_id: 1_000 }] },
      'POST /public/v1/events/subscriptions': async () => isAllowed && subscribed.push(await json(request)),
    };
    const said = await replies[`${method} ${url}`]?.();
    reply.statusCode = said ? 200 : 404;
    reply.end(JSON.stringify(said ?? null));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    subscribed,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
