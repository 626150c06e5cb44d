import type { FastifyInstance, FastifyRequest } from 'fastify';
import { callerAddress } from '../http/address-group.ts';
import { keyOfRequest } from '../http/presented-key.ts';
import { invalidRequest } from '../poll/invalid-request.ts';
import { PollError } from '../poll/poll-error.ts';
import { type Held, position } from '../protocol/position.ts';
import { type StreamOptions, type StreamRequest, servePollEvents, serveShowEvents } from './event-stream.ts';
import { type LiveQuery, parseLiveQuery } from './live-query.ts';
import { isFull, relayFull } from './upgrade-gate.ts';

/** The addresses of the live stream for requests without an upgrade: Server-Sent Events. */
export async function liveRoutes(app: FastifyInstance, options: StreamOptions): Promise<void> {
  app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/api/poll/:id/live',
    // A HEAD would be answered with an endless stream.
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      if (isFull(app.server, options.registry)) throw relayFull();
      const { since, ...stream } = streamOf(request);
      await servePollEvents(request.params.id, lastEventOf(request) ?? since, stream, reply, options);
    },
  });

  app.route<{ Params: { name: string } }>({
    method: 'GET',
    url: '/api/show/:name/live',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      if (isFull(app.server, options.registry)) throw relayFull();
      await serveShowEvents(request.params.name, streamOf(request), reply, options);
    },
  });

  app.route({
    method: 'GET',
    url: '/api/live',
    exposeHeadRoute: false,
    handler: async () => {
      throw new PollError('invalid_request', { message: 'This address is a WebSocket. See PROTOCOL.md.' });
    },
  });
}

function streamOf(request: FastifyRequest): StreamRequest & Pick<LiveQuery, 'since'> {
  const { data: query, error } = parseLiveQuery(request);
  if (!query) throw invalidRequest(error);
  const { hz, compact, preview, since, heartbeat = 0 } = query;
  return {
    query: { hz, compact, preview },
    since,
    key: keyOfRequest(request),
    heartbeatMs: heartbeat * 1_000,
    address: callerAddress(request),
  };
}

/** An `EventSource` sends it by itself when it reconnects. */
function lastEventOf({ headers }: FastifyRequest): Held | undefined {
  // Ignored where it is no position: an `EventSource` that is refused would never reconnect.
  return position.safeParse(headers['last-event-id']).data;
}
