import { type Clock, systemClock } from './clock.ts';
import type { WebSocketConstructor } from './socket-way.ts';
import type { Fetch } from './stream-way.ts';

/** A relay that stands still is noticed within 10 s, while one whose heartbeat is four seconds late is not given up. */
const DEFAULT_HEARTBEAT_S = 3;

export interface ConnectOptions {
  /** The most results a second, 1 to 20; the relay's default is 10. */
  readonly hz?: number | undefined;
  /** Whole seconds between two signs of life; after two and a half without one the connection is given up. Default 3. */
  readonly heartbeat?: number | undefined;
  /** Milliseconds between two tries to come back, at most; default 20,000. A crowd should leave it as it is. */
  readonly longestPauseMs?: number | undefined;
  /** Not counted among the screens that watch; default false. */
  readonly preview?: boolean | undefined;
  readonly fetch?: Fetch | undefined;
  /** Default: the global one. Node 20 has none; give it that of the package `ws`, or it makes do with the other ways. */
  readonly WebSocket?: WebSocketConstructor | undefined;
  readonly clock?: Clock | undefined;
}

export function heartbeatMs({ heartbeat = DEFAULT_HEARTBEAT_S }: ConnectOptions): number {
  return heartbeat * 1_000;
}

/** The query of a live URL. */
export function liveQuery(
  { hz, heartbeat = DEFAULT_HEARTBEAT_S, preview = false }: ConnectOptions,
  since?: string,
): string {
  const query = new URLSearchParams({ heartbeat: String(heartbeat), compact: '1' });
  if (preview) query.set('preview', '1');
  if (hz !== undefined) query.set('hz', String(hz));
  if (since !== undefined) query.set('since', since);
  return String(query);
}

/** What the caller did not bring is taken from the page, or from Node. */
export function surroundings({
  clock = systemClock,
  fetch = globalThis.fetch.bind(globalThis),
  WebSocket = (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket,
}: ConnectOptions) {
  return { clock, fetch, WebSocket };
}
