import type { ServerOptions } from 'node:http';

/** Slow or hostile clients may not hold a request open: Node's own defaults allow five minutes. In milliseconds. */
export const TIMEOUTS = {
  requestTimeout: 15_000,
  keepAliveTimeout: 75_000,
  // Of a connection that has a request: for who never reads the answer, and for an answer that never comes. Live ones are exempt.
  connectionTimeout: 20_000,
} as const;

/** What the parser of requests bears. */
export const PARSER_LIMITS = {
  headersTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 8_192,
} as const satisfies ServerOptions;

/** Thousands of overlays come back in one second after a restart; what the system allows is less on most machines. */
export const LISTEN_BACKLOG = 65_535;
