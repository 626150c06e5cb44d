import type { Hub } from '../../hub/hub.ts';
import { isPollId } from '../../poll/create-poll.ts';
import type { PresentedKey } from '../../poll/poll-key.ts';
import { BadMessage, PollNotFound } from '../../protocol/close-event.ts';
import type { LiveQuery } from '../live-query.ts';
import { LiveSubscriber } from '../live-subscriber.ts';
import { refuse, type Session, type WebsocketConnection } from './accept-websocket.ts';

interface PollSocketOptions {
  readonly hub: Hub;
  readonly connection: WebsocketConnection;
  readonly query: LiveQuery;
  readonly key: PresentedKey | undefined;
}

/** One poll on one socket: connect and draw. The other side has nothing to say here. */
class PollSession extends LiveSubscriber implements Session {
  readonly #hub: Hub;

  constructor({ connection, hub, query, key }: PollSocketOptions, id: string) {
    super(id, { key, hz: query.hz, since: query.since }, connection, (refused, event) =>
      refuse(connection, event, refused),
    );
    this.#hub = hub;
  }

  message(): typeof BadMessage {
    return BadMessage;
  }

  close(): void {
    this.#hub.unsubscribe(this.id, this);
  }
}

export function servePoll(id: string, options: PollSocketOptions): void {
  const { connection, hub } = options;
  if (!isPollId(id)) {
    refuse(connection, PollNotFound, id);
    return;
  }
  const session = new PollSession(options, id);
  connection.session = session;
  hub.subscribe(id, session);
}
