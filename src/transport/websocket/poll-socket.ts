import type { Hub } from '../../hub/hub.ts';
import { isPollId } from '../../poll/create-poll.ts';
import { presentKey } from '../../poll/poll-key.ts';
import { BadMessage, PollNotFound } from '../../protocol/close-event.ts';
import type { LiveQuery } from '../live-query.ts';
import { LiveSubscriber } from '../live-subscriber.ts';
import { refuse, type Session, type WebsocketConnection } from './accept-websocket.ts';

/** One poll on one socket: connect and draw. The other side has nothing to say here. */
class PollSession extends LiveSubscriber implements Session {
  readonly #hub: Hub;

  constructor(connection: WebsocketConnection, hub: Hub, id: string, query: LiveQuery) {
    const interest = { key: presentKey(query.key, 'query'), hz: query.hz, since: query.since };
    super(id, interest, connection, (refused, event) => refuse(connection, event, refused));
    this.#hub = hub;
  }

  message(): typeof BadMessage {
    return BadMessage;
  }

  close(): void {
    this.#hub.unsubscribe(this.id, this);
  }
}

export function servePoll(connection: WebsocketConnection, hub: Hub, id: string, query: LiveQuery): void {
  if (!isPollId(id)) {
    refuse(connection, PollNotFound, id);
    return;
  }
  const session = new PollSession(connection, hub, id, query);
  connection.session = session;
  hub.subscribe(id, session);
}
