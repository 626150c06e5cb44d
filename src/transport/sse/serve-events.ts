import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Hub } from '../../hub/hub.ts';
import type { Seat, Subscriber } from '../../hub/seat.ts';
import { isPollId } from '../../poll/create-poll.ts';
import { areResultsPublic } from '../../poll/poll.ts';
import { PollError } from '../../poll/poll-error.ts';
import { type IsOperatorKey, judgeAccess, type PresentedKey } from '../../poll/poll-key.ts';
import type { CloseEvent } from '../../protocol/close-event.ts';
import { Connection } from '../connection.ts';
import { errorFrame } from '../error-frame.ts';
import type { Roster } from '../roster.ts';
import { SseWire } from './sse-wire.ts';

export interface EventsRequest {
  readonly id: string;
  readonly key: PresentedKey | undefined;
  readonly hz: number;
  readonly since: number | undefined;
  readonly heartbeatMs: number;
  readonly address: string;
}

export interface EventsOptions {
  readonly hub: Hub;
  readonly roster: Roster;
  readonly isOperatorKey: IsOperatorKey;
}

/** When one of the others ends is anybody's guess; this keeps the guesses cheap. */
const FULL_RETRY_SECONDS = 5;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Buffering proxies would hold events back.
  'x-accel-buffering': 'no',
  connection: 'close',
};

/** Unlike a WebSocket, a stream of events can be refused with a status, so the poll is read before the first byte. */
export async function serveEvents(
  request: EventsRequest,
  reply: FastifyReply,
  options: EventsOptions,
): Promise<void> {
  const { hub, roster, isOperatorKey } = options;
  if (!roster.hasRoomFor(request.address)) {
    reply.header('retry-after', FULL_RETRY_SECONDS).header('ratelimit-limit', roster.maxPerAddress);
    reply.header('ratelimit-remaining', 0).header('ratelimit-reset', FULL_RETRY_SECONDS);
    throw new PollError('rate_limited', { message: 'Too many live connections from this address.' });
  }
  const reading = isPollId(request.id) ? await hub.read(request.id) : undefined;
  if (!reading) throw new PollError('poll_not_found');
  if (judgeAccess(request.key, reading.keys, isOperatorKey) === 'rejected')
    throw new PollError('api_key_rejected');

  const response = reply.hijack().raw;
  // It left while the poll was read: no further event would ever take it off the roster.
  if (response.destroyed) return;
  response.useChunkedEncodingByDefault = false;
  const isPrivate = !areResultsPublic(reading.results);
  const headers = reply.getHeaders() as Record<string, string>;
  response.writeHead(200, {
    ...headers,
    ...HEADERS,
    ...(isPrivate ? { 'cache-control': 'private, no-store' } : {}),
  });
  response.flushHeaders();

  const connection = new EventsConnection(response);
  connection.heartbeatMs = request.heartbeatMs;
  roster.add(connection, request.address);
  const seat = hub.subscribe(request.id, request, connection);
  response.on('error', () => {});
  response.on('close', () => {
    roster.remove(connection);
    seat.leave();
  });
}

/** One poll on one stream. */
class EventsConnection extends Connection implements Subscriber {
  constructor(response: ServerResponse) {
    super(new SseWire(response, () => this.heard()), performance.now());
  }

  end(seat: Seat, event: CloseEvent): void {
    this.forget(seat);
    const frame = errorFrame(event, seat.id);
    if (frame) this.say(frame);
    this.close(event);
  }
}
