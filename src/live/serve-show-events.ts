import type { FastifyReply } from 'fastify';
import { SHOW_NAME } from '../poll/name-rules.ts';
import { PollError } from '../poll/poll-error.ts';
import type { CloseEvent } from '../protocol/close-event.ts';
import { judgeShow } from '../show/rewrite-show.ts';
import type { ShowBoard } from '../show/show-board.ts';
import type { Roster } from './connection-registry.ts';
import { beginStream, EventsConnection, withPlace } from './events-connection.ts';
import type { Hub } from './hub.ts';
import { accessToShow, SingleShow, type SingleShowOptions } from './single-show.ts';
import type { Seat, Subscriber } from './subscription.ts';

interface ShowEventsRequest extends Pick<SingleShowOptions, 'query' | 'key' | 'isOperatorKey'> {
  readonly name: string;
  readonly heartbeatMs: number;
  readonly address: string;
}

interface ShowEventsOptions {
  readonly hub: Hub;
  readonly shows: ShowBoard;
  readonly roster: Roster;
}

/** A show as Server-Sent Events: what is on air, and the results of it. */
export async function serveShowEvents(
  request: ShowEventsRequest,
  reply: FastifyReply,
  options: ShowEventsOptions,
): Promise<void> {
  await withPlace(request, reply, options.roster, async () => {
    await judge(request, options.shows);
    return () => open(request, reply, options);
  });
}

/** A name that nobody has taken has nothing on air. With a key it is an error: whoever has one means a show that was there. */
async function judge(request: ShowEventsRequest, shows: ShowBoard): Promise<void> {
  const { name } = request;
  if (!SHOW_NAME.test(name)) throw new PollError('show_not_found');
  const access = accessToShow(request);
  if (!access) return;
  const found = await shows.find(name);
  if (!found) throw new PollError('show_not_found');
  judgeShow(found, access, 'read');
}

function open(request: ShowEventsRequest, reply: FastifyReply, options: ShowEventsOptions): void {
  const connection = new ShowEvents(beginStream(reply, request.key !== undefined));
  connection.heartbeatMs = request.heartbeatMs;
  const show = new SingleShow(request.name, {
    ...request,
    ...options,
    connection,
    onRefused: event => connection.close(event),
  });
  connection.show = show;
  connection.serve(options.roster, request.address, () => show.end());
  show.begin();
}

class ShowEvents extends EventsConnection implements Subscriber {
  show: SingleShow | undefined;

  end(seat: Seat, event: CloseEvent): void {
    this.forget(seat);
    this.show?.endSeat(seat, event);
  }
}
