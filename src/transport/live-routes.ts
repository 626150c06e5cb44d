import type { FastifyInstance, FastifyRequest } from 'fastify';
import { callerAddress } from '../http/address-group.ts';
import { keyOfRequest } from '../http/presented-key.ts';
import { invalidRequest } from '../poll/invalid-request.ts';
import { PollError } from '../poll/poll-error.ts';
import type { ShowBoard } from '../show/show-board.ts';
import { parseLiveQuery } from './live-query.ts';
import { type EventsOptions, serveEvents } from './sse/serve-events.ts';
import { isFull, relayFull } from './websocket/front-door.ts';

export interface LiveOptions extends EventsOptions {
  readonly shows: ShowBoard;
}

/** What the addresses of the live stream are to whoever asks for no upgrade. */
export async function liveRoutes(app: FastifyInstance, options: LiveOptions): Promise<void> {
  app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/api/poll/:id/live',
    // A HEAD would be answered with a stream that never ends.
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      if (isFull(app.server, options.roster)) throw relayFull();
      await serveEvents(eventsRequest(request), reply, options);
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

function eventsRequest(request: FastifyRequest<{ Params: { id: string } }>) {
  const { data: query, error } = parseLiveQuery(request);
  if (!query) throw invalidRequest(error);
  const lastEventId = request.headers['last-event-id'];
  const resumed =
    typeof lastEventId === 'string' && /^\d{1,16}$/.test(lastEventId) ? Number(lastEventId) : undefined;
  return {
    id: request.params.id,
    key: keyOfRequest(request),
    hz: query.hz,
    compact: query.compact,
    preview: query.preview,
    since: resumed ?? query.since,
    heartbeatMs: (query.heartbeat ?? 0) * 1_000,
    address: callerAddress(request),
  };
}
