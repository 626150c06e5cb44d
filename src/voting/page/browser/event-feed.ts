import { heartbeatMs, systemClock } from '../../../client/connect-options.ts';
import { Connection } from '../../../client/connection.ts';
import { eventStreamTransport } from '../../../client/transports.ts';

/** A poll that was deleted, and a session that has ended: asking again is in vain. */
const FINAL_STATUSES = [401, 403, 404];

export interface EventFeedListener<Message> {
  onMessage(message: Message): void;
  /** What was told may be old; the next message ends it. */
  onLost?(): void;
  /** The poll was deleted: nothing follows. */
  onGone?(): void;
}

/**
 * Follows a stream of events of the voting server for as long as the page is open, as the client follows a relay: a server that
 * stands still is noticed by heartbeats that stay away, which no `EventSource` does, and one that is restarting is come back to.
 */
export function followEvents<Message>(
  url: string,
  { onMessage, onLost = () => {}, onGone = onLost }: EventFeedListener<Message>,
): { close(): void } {
  const ask: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    if (FINAL_STATUSES.includes(response.status)) {
      connection.close();
      if (response.status === 404) onGone();
      else onLost();
    }
    return response;
  };
  const connection: Connection = new Connection({
    transports: [eventStreamTransport(ask, () => url)],
    heartbeatMs: heartbeatMs({}),
    clock: systemClock,
    // Nothing but heartbeats is in the words of the live stream.
    onMessage: message => message.type !== 'heartbeat' && onMessage(message as unknown as Message),
    onLost,
    onRejected: onLost,
  });
  return connection;
}
