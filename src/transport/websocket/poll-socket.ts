import type { WebSocket } from 'ws';
import type { Hub } from '../../hub/hub.ts';
import { isPollId } from '../../poll/create-poll.ts';
import { presentKey } from '../../poll/poll-key.ts';
import { BadMessage, PollNotFound } from '../../protocol/close-event.ts';
import type { Connection } from '../connection.ts';
import type { LiveQuery } from '../live-query.ts';
import { LiveSubscriber } from '../live-subscriber.ts';
import { refuse, serve } from './accept-websocket.ts';

/** One poll on one socket: connect and draw. The other side has nothing to say here. */
export function servePoll(
  socket: WebSocket,
  connection: Connection,
  hub: Hub,
  id: string,
  query: LiveQuery,
): void {
  if (!isPollId(id)) {
    refuse(connection, PollNotFound, id);
    return;
  }
  const interest = { key: presentKey(query.key, 'query'), hz: query.hz, since: query.since };
  const subscriber = new LiveSubscriber(id, interest, connection, (_, event) =>
    refuse(connection, event, id),
  );
  serve(socket, connection, {
    message: () => BadMessage,
    close: () => hub.unsubscribe(id, subscriber),
  });
  hub.subscribe(id, subscriber);
}
