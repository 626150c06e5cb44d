import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { beginEvents } from '../../http/event-stream.ts';
import { writeAllowance } from '../../http/rate-limit.ts';
import type { Hub } from '../../hub/hub.ts';
import type { Seat, Subscriber } from '../../hub/seat.ts';
import { traffic } from '../../metrics/catalogue.ts';
import { areResultsPublic, type PollKeys, type Reading } from '../../poll/poll.ts';
import { PollError } from '../../poll/poll-error.ts';
import { type IsOperatorKey, judgeAccess, type PresentedKey } from '../../poll/poll-key.ts';
import { isReadablePollId } from '../../poll/rehearsal.ts';
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
  readonly compact: boolean;
  readonly preview: boolean;
  readonly heartbeatMs: number;
  readonly address: string;
}

export interface EventsOptions {
  readonly hub: Hub;
  readonly roster: Roster;
  readonly isOperatorKey: IsOperatorKey;
  /** All keys of a poll at this moment. */
  readonly keysOf: (reading: Reading) => Promise<PollKeys>;
}

/** When one of the others ends is anybody's guess; this keeps the guesses cheap. */
const FULL_RETRY_SECONDS = 5;

/** Unlike a WebSocket, a stream of events can be refused with a status, so the poll is read before the first byte. */
export async function serveEvents(
  request: EventsRequest,
  reply: FastifyReply,
  options: EventsOptions,
): Promise<void> {
  const { roster } = options;
  // Held before anything is waited for: of a burst no more get in than there is room for.
  const giveBack = roster.hold(request.address);
  if (!giveBack) {
    reply.header('retry-after', FULL_RETRY_SECONDS);
    writeAllowance(reply, { name: 'connections', max: roster.maxPerAddress }, 0, FULL_RETRY_SECONDS);
    throw new PollError('rate_limited', { message: 'Too many live connections from this address.' });
  }
  try {
    const isPrivate = await judge(request, options);
    // It left while the poll was read: no further event would ever take it off the roster.
    if (!reply.raw.destroyed) open(request, reply, options, isPrivate);
  } finally {
    giveBack();
  }
}

/** @returns whether nobody on the way may keep what is sent */
async function judge(
  { id, key }: EventsRequest,
  { hub, isOperatorKey, keysOf }: EventsOptions,
): Promise<boolean> {
  const reading = isReadablePollId(id) ? await hub.readForNewcomer(id) : undefined;
  if (!reading) throw new PollError('poll_not_found');
  const keys = key ? await keysOf(reading) : reading.keys;
  if (judgeAccess(key, keys, isOperatorKey) === 'rejected') throw new PollError('api_key_rejected');
  return !areResultsPublic(reading.results);
}

function open(
  request: EventsRequest,
  reply: FastifyReply,
  { hub, roster }: EventsOptions,
  isPrivate: boolean,
): void {
  reply.raw.useChunkedEncodingByDefault = false;
  const response = beginEvents(reply, {
    'cache-control': isPrivate ? 'private, no-store' : 'no-store',
    connection: 'close',
  });
  response.flushHeaders();

  const connection = new EventsConnection(response);
  connection.heartbeatMs = request.heartbeatMs;
  roster.add(connection, request.address);
  const seat = hub.subscribe(request.id, request, connection);
  response.on('close', () => {
    roster.remove(connection);
    seat.leave();
  });
}

/** One poll on one stream. */
class EventsConnection extends Connection implements Subscriber {
  constructor(response: ServerResponse) {
    super(new SseWire(response, () => this.heard()), performance.now(), traffic.sse);
  }

  end(seat: Seat, event: CloseEvent): void {
    this.forget(seat);
    const frame = errorFrame(event, seat.id);
    if (frame) this.say(frame);
    this.close(event);
  }
}
