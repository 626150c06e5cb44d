import type { ClientMessage } from '../protocol/messages.ts';
import { type ConnectOptions, heartbeatMs, liveQuery, platform } from './connect-options.ts';
import { Connection } from './connection.ts';
import { delayListener } from './delayed-listener.ts';
import { PollTracker } from './poll-tracker.ts';
import { parsePollUrl } from './poll-url.ts';
import { eventStreamTransport, pollingTransport, pollTarget, webSocketTransport } from './transports.ts';
import type { Watch, WatchListener } from './watch-state.ts';

export type { ConnectOptions, WebSocketConstructor, WebSocketLike } from './connect-options.ts';
export type {
  HiddenMessage,
  ResultsAnswer,
  ResultsMessage,
  Via,
  Watch,
  WatchListener,
  WatchState,
} from './watch-state.ts';

interface WatchNowOptions extends ConnectOptions, WatchListener {
  /** Opens hidden results: the poll's `view_key` or `admin_key`. Default: the one in the URL's fragment. */
  readonly key?: string | undefined;
  /** The `position` of the results that the caller already shows. */
  readonly since?: string | undefined;
}

export interface WatchPollOptions extends WatchNowOptions {
  /**
   * Seconds that the page is behind, 0 to 60, for results beside a delayed video. Every call is so
   * much late, never early. Until the first results are due, the state is `hidden`, with the poll.
   * Default 0.
   */
  readonly delay?: number | undefined;
}

/**
 * Watches a poll until it is closed: over a WebSocket, else Server-Sent Events, else by polling
 * every few seconds. Reconnects by itself, and delivers only the newest results.
 *
 *     import { watchPoll } from 'https://relay.example/client.js'; // in Node.js: from 'tallycast/client'
 *     const watch = watchPoll('https://relay.example/api/poll/<id>', {
 *       onResults: ({ poll_answers }) => console.table(poll_answers),
 *       onState: ({ state }) => console.log(state),
 *     });
 *
 * @param url any URL that names the poll: `…/api/poll/<id>`, `…/overlay/<id>#key=…`
 * @throws TypeError unless the URL is http or https and names a poll, and for a delay out of range
 */
export function watchPoll(url: string | URL, options: WatchPollOptions): Watch {
  const delayed = delayListener(options, options.delay ?? 0, platform(options).clock);
  const watch = watchNow(url, { ...options, ...delayed.listener });
  return {
    close() {
      watch.close();
      delayed.close();
    },
  };
}

/** The same without a delay, for pages that count each byte. */
export function watchNow(url: string | URL, options: WatchNowOptions): Watch {
  const { relay, id, key: urlKey } = parsePollUrl(url);
  const { WebSocket, fetch, clock } = platform(options);
  const key = options.key ?? urlKey;
  const tracker = new PollTracker(options, options.since);
  const liveUrl = (): string => `${relay}/api/poll/${id}/live?${liveQuery(options, tracker.since)}`;
  // Servers and proxies log URLs, so a key is sent in a message.
  const socketUrl = () => (key === undefined ? liveUrl() : `${relay}/api/live?${liveQuery(options)}`);
  const hello = (): ClientMessage[] =>
    key === undefined ? [] : [{ type: 'subscribe', id, key, since: tracker.since }];
  const connection: Connection = new Connection({
    transports: [
      ...(WebSocket ? [webSocketTransport(WebSocket, clock, socketUrl, hello)] : []),
      eventStreamTransport(fetch, liveUrl, key),
      pollingTransport(fetch, clock, () => [pollTarget(relay, id, key)]),
    ],
    heartbeatMs: heartbeatMs(options),
    longestPauseMs: options.longestPauseMs,
    clock,
    onMessage: (message, via) => {
      tracker.apply(message, via);
      if (tracker.isEnded) connection.close();
    },
    onLost: failure => tracker.disconnect(failure),
    onRejected: rejection => tracker.reject(rejection),
  });
  return { close: () => connection.close() };
}
