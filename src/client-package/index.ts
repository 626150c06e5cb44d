/** Live poll results in browsers and Node.js: one poll, or many polls and shows over one connection. */

export type { Clock, Fetch } from '../client/connect-options.ts';
export { type FollowOptions, RelayLink, type ShowListener, type WatchOptions } from '../client/relay-link.ts';
export {
  type ConnectOptions,
  type HiddenMessage,
  type ResultsAnswer,
  type ResultsMessage,
  type Via,
  type Watch,
  type WatchListener,
  type WatchPollOptions,
  type WatchState,
  type WebSocketConstructor,
  type WebSocketLike,
  watchPoll,
} from '../client/watch-poll.ts';
