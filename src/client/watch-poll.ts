import type { ClientMessage } from '../protocol/messages.ts';
import { type ConnectOptions, heartbeatMs, liveQuery, surroundings } from './connect-options.ts';
import { Connection } from './connection.ts';
import { PollTracker } from './poll-tracker.ts';
import { parsePollUrl } from './poll-url.ts';
import { pollTarget, readWay } from './read-way.ts';
import { socketWay } from './socket-way.ts';
import { streamWay } from './stream-way.ts';
import type { Watch, WatchListener } from './watch-state.ts';

export type { ConnectOptions } from './connect-options.ts';
export type { WebSocketConstructor, WebSocketLike } from './socket-way.ts';
export type {
  HiddenMessage,
  ResultsAnswer,
  ResultsMessage,
  Via,
  Watch,
  WatchListener,
  WatchState,
} from './watch-state.ts';

export interface WatchPollOptions extends ConnectOptions, WatchListener {
  /** Opens hidden results: the poll's `view_key` or `admin_key`. Default: the one in the URL's fragment. */
  readonly key?: string | undefined;
  /** The `position` of the results that the caller shows already. */
  readonly since?: string | undefined;
}

/**
 * Watches a poll until it is closed by the caller: over a WebSocket, else Server-Sent Events, else by reading every few
 * seconds. It comes back for ever, and hands on the newest results only.
 *
 * On a page:
 *
 *     <p id="total"></p>
 *     <script type="module">
 *       import { watchPoll } from 'https://relay.example/client.js';
 *       watchPoll('https://relay.example/api/poll/<id>', {
 *         onResults: results => { document.querySelector('#total').textContent = results.total_votes; },
 *         onState: ({ state }) => { document.body.dataset.state = state; },
 *       });
 *     </script>
 *
 * In Node:
 *
 *     import { watchPoll } from 'tallycast/client';
 *     const watch = watchPoll('http://127.0.0.1:8080/api/poll/<id>', {
 *       key: process.env.VIEW_KEY,
 *       onResults: ({ poll_answers }) => console.table(poll_answers),
 *     });
 *     setTimeout(() => watch.close(), 60_000);
 *
 * @param url any URL that names the poll: `…/api/poll/<id>`, `…/overlay/<id>#key=…`
 * @throws TypeError where the URL is none of http or https, or names no poll
 */
export function watchPoll(url: string | URL, options: WatchPollOptions): Watch {
  const { relay, id, key: keyOfUrl } = parsePollUrl(url);
  const { WebSocket, fetch, clock } = surroundings(options);
  const key = options.key ?? keyOfUrl;
  const tracker = new PollTracker(options, options.since);
  const pollUrl = `${relay}/api/poll/${id}`;
  const liveUrl = (): string => `${pollUrl}/live?${liveQuery(options, tracker.since)}`;
  const socket = {
    // A key goes in a message and not into the URL, where logs would keep it.
    url: () => (key === undefined ? liveUrl() : `${relay}/api/live?${liveQuery(options)}`),
    hello: (): ClientMessage[] =>
      key === undefined ? [] : [{ type: 'subscribe', id, key, since: tracker.since }],
  };
  const connection: Connection = new Connection({
    ways: [
      ...(WebSocket ? [socketWay({ WebSocket, clock, ...socket })] : []),
      streamWay({ fetch, url: liveUrl, key }),
      readWay({ fetch, clock, targets: () => [pollTarget(relay, id, key)] }),
    ],
    heartbeatMs: heartbeatMs(options),
    longestPauseMs: options.longestPauseMs,
    clock,
    onMessage: (message, via) => {
      tracker.take(message, via);
      if (tracker.state.state === 'refused') connection.close();
    },
    onLost: failure => tracker.lose(failure),
    onRefused: refusal => tracker.refuse(refusal),
  });
  return connection;
}
