import type { FastifyInstance, FastifyRequest } from 'fastify';
import { callerAddress } from '../http/address-group.ts';
import { keyOfRequest } from '../http/presented-key.ts';
import { invalidRequest } from '../poll/invalid-request.ts';
import { PollError } from '../poll/poll-error.ts';
import { type Held, position } from '../protocol/position.ts';
import type { ShowBoard } from '../show/show-board.ts';
import { type EventsOptions, serveEvents } from './event-stream.ts';
import { parseLiveQuery } from './live-query.ts';
import { serveShowEvents } from './serve-show-events.ts';
import { isFull, relayFull } from './upgrade-gate.ts';

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
      const { id } = request.params;
      const { query, since, ...stream } = streamOf(request);
      await serveEvents({ id, ...query, ...stream, since: lastEventOf(request) ?? since }, reply, options);
    },
  });

  app.route<{ Params: { name: string } }>({
    method: 'GET',
    url: '/api/show/:name/live',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      if (isFull(app.server, options.roster)) throw relayFull();
      const { name } = request.params;
      const { isOperatorKey } = options;
      await serveShowEvents({ name, isOperatorKey, ...streamOf(request) }, reply, options);
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

function streamOf(request: FastifyRequest) {
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

/** What an `EventSource` says by itself when it comes back. */
function lastEventOf({ headers }: FastifyRequest): Held | undefined {
  // Passed over where it is no position: an `EventSource` that is refused would never come back.
  return position.safeParse(headers['last-event-id']).data;
}
