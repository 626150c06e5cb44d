import { heartbeatMs, systemClock } from '../../../client/connect-options.ts';
import { Connection } from '../../../client/connection.ts';
import { eventStreamTransport } from '../../../client/transports.ts';
import { GONE_STATUS } from '../messages.ts';

/** The session has ended or the poll was deleted, so the feed does not reconnect. */
const FINAL_STATUSES = [401, 403, GONE_STATUS];

interface EventFeedListener<Message> {
  onMessage(message: Message): void;
  /** The connection is lost; messages resume once it is back. */
  onLost?(): void;
  /** The poll was deleted. Default: `onLost`. */
  onGone?(): void;
}

/**
 * Follows an event stream of the voting server. Detects a frozen server by missing heartbeats,
 * which `EventSource` cannot.
 */
export function followEvents<Message>(
  url: string,
  { onMessage, onLost = () => {}, onGone = onLost }: EventFeedListener<Message>,
): { close(): void } {
  const fetchStream: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    if (FINAL_STATUSES.includes(response.status)) {
      connection.close();
      if (response.status === GONE_STATUS) onGone();
      else onLost();
    }
    return response;
  };
  const connection: Connection = new Connection({
    transports: [eventStreamTransport(fetchStream, () => url)],
    heartbeatMs: heartbeatMs({}),
    clock: systemClock,
    // Only heartbeats have the form of the live stream.
    onMessage: message => message.type !== 'heartbeat' && onMessage(message as unknown as Message),
    onLost,
    onRejected: onLost,
  });
  return connection;
}
