import type { FastifyReply } from 'fastify';
import { areResultsPublic, type PollKeys, type Reading } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { type IsOperatorKey, judgeAccess, type PresentedKey } from '../poll/poll-key.ts';
import { isReadablePollId } from '../poll/rehearsal.ts';
import type { CloseEvent } from '../protocol/close-event.ts';
import type { Held } from '../protocol/position.ts';
import type { Roster } from './connection-registry.ts';
import { errorFrame } from './error-frame.ts';
import { beginStream, EventsConnection, withPlace } from './events-connection.ts';
import type { Hub } from './hub.ts';
import type { Seat, Subscriber } from './subscription.ts';

export interface EventsRequest {
  readonly id: string;
  readonly key: PresentedKey | undefined;
  readonly hz: number;
  readonly since: Held | undefined;
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

/** Unlike a WebSocket, a stream of events can be refused with a status, so the poll is read before the first byte. */
export async function serveEvents(
  request: EventsRequest,
  reply: FastifyReply,
  options: EventsOptions,
): Promise<void> {
  await withPlace(request, reply, options.roster, async () => {
    const isPrivate = await judge(request, options);
    return () => open(request, reply, options, isPrivate);
  });
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
  const connection = new PollEvents(beginStream(reply, isPrivate));
  connection.heartbeatMs = request.heartbeatMs;
  const seat = hub.subscribe(request.id, request, connection);
  connection.serve(roster, request.address, () => seat.leave());
}

/** One poll on one stream. */
class PollEvents extends EventsConnection implements Subscriber {
  end(seat: Seat, event: CloseEvent): void {
    this.forget(seat);
    const frame = errorFrame(event, { id: seat.id });
    if (frame) this.say(frame);
    this.close(event);
  }
}
