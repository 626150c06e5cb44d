/** Time and randomness, so that a test can control both. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** 0 up to, but not including, 1. */
  random(): number;
  /** Calls back once. @returns cancels */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  random: () => Math.random(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

export type Fetch = typeof globalThis.fetch;

/** The part of a WebSocket that the client uses. Fits browsers, Node.js 22 and newer, and the package `ws`. */
export interface WebSocketLike {
  readonly readyState: number;
  send(text: string): void;
  close(): void;
  addEventListener(
    type: 'open' | 'message' | 'close' | 'error',
    listener: (event: WebSocketEvent) => void,
  ): void;
}

export interface WebSocketEvent {
  readonly type: string;
  readonly data?: unknown;
  readonly code?: number;
}

export type WebSocketConstructor = new (url: string) => WebSocketLike;

/** Detects a frozen relay within 10 s, and tolerates a heartbeat that is four seconds late. */
const DEFAULT_HEARTBEAT_S = 3;

export interface ConnectOptions {
  /** The most results a second, 1 to 20; the relay's default is 10. */
  readonly hz?: number | undefined;
  /** Seconds between heartbeats, 1 to 3600. The client reconnects after two and a half missed ones. Default 3. */
  readonly heartbeat?: number | undefined;
  /** Longest delay between two reconnects in milliseconds. Default 20,000; leave it for large audiences. */
  readonly longestPauseMs?: number | undefined;
  /** Leaves this client out of the number of viewers. Default false. */
  readonly preview?: boolean | undefined;
  /** Counts this client as a voter's page, not as a screen. Default false. */
  readonly page?: boolean | undefined;
  readonly fetch?: Fetch | undefined;
  /**
   * Default: the global one. Node.js 20 has none: pass the one of the package `ws`, or the client
   * uses Server-Sent Events.
   */
  readonly WebSocket?: WebSocketConstructor | undefined;
  readonly clock?: Clock | undefined;
}

export function heartbeatMs({ heartbeat = DEFAULT_HEARTBEAT_S }: ConnectOptions): number {
  return heartbeat * 1_000;
}

export function liveQuery(
  { hz, heartbeat = DEFAULT_HEARTBEAT_S, preview = false, page = false }: ConnectOptions,
  since?: string,
): string {
  const query = new URLSearchParams({ heartbeat: String(heartbeat), compact: '1' });
  if (preview) query.set('preview', '1');
  if (page) query.set('page', '1');
  if (hz !== undefined) query.set('hz', String(hz));
  if (since !== undefined) query.set('since', since);
  return String(query);
}

export function platform({
  clock = systemClock,
  fetch = globalThis.fetch.bind(globalThis),
  WebSocket = (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket,
}: ConnectOptions) {
  return { clock, fetch, WebSocket };
}
