import type { PollId } from '../poll/poll.ts';
import type { PresentedKey } from '../poll/poll-key.ts';
import { isReadablePollId } from '../poll/rehearsal.ts';
import { BadMessage, type CloseEvent, PollNotFound } from '../protocol/close-event.ts';
import type { Hub } from './hub.ts';
import type { LiveQuery } from './live-query.ts';
import type { Seat } from './subscription.ts';
import { refuse, type Session, type WebsocketConnection } from './websocket-connection.ts';

interface PollSocketOptions {
  readonly hub: Hub;
  readonly connection: WebsocketConnection;
  readonly query: LiveQuery;
  readonly key: PresentedKey | undefined;
}

/** One poll on one socket: connect and draw. The other side has nothing to say here. */
class PollSession implements Session {
  readonly #connection: WebsocketConnection;
  readonly #seat: Seat;

  constructor(id: PollId, { hub, connection, query, key }: PollSocketOptions) {
    this.#connection = connection;
    const { hz, since, compact, preview } = query;
    this.#seat = hub.subscribe(id, { key, hz, since, compact, preview }, connection);
  }

  message(): undefined {
    refuse(this.#connection, BadMessage, undefined, 'Nothing is to be said on this address.');
  }

  end({ id }: Seat, event: CloseEvent): void {
    refuse(this.#connection, event, id);
  }

  close(): void {
    this.#seat.leave();
  }
}

export function servePoll(id: string, options: PollSocketOptions): void {
  const { connection } = options;
  if (isReadablePollId(id)) connection.session = new PollSession(id, options);
  else refuse(connection, PollNotFound, id);
}
