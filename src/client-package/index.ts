/** Live results of polls, in browsers and in Node: one poll, or many polls and shows over one connection. */

export type { Clock } from '../client/clock.ts';
export { type FollowOptions, RelayLink, type ShowListener, type WatchOptions } from '../client/relay-link.ts';
export type { Fetch } from '../client/stream-way.ts';
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
