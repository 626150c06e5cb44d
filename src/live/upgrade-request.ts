import { createServer, IncomingMessage, type ServerOptions } from 'node:http';

/** Whether the parser took a request for an upgrade. */
const parsedAsUpgrade = Symbol('upgrade');

/**
 * Whether a request is one for a WebSocket. Every other upgrade (`h2c` comes from Java's HttpClient and `curl --http2`) is
 * passed over, as RFC 9110, section 7.8 allows, and the request is served by HTTP/1.1, its body included.
 */
export function asksForWebsocket({ method, headers }: IncomingMessage): boolean {
  if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false;
  // A body would lie where the first frames are expected.
  return headers['transfer-encoding'] === undefined && !(Number(headers['content-length'] ?? 0) > 0);
}

/**
 * A request that is no upgrade in the eyes of a server that cannot be asked (Node before 22.21 and 24.9): Node writes what
 * the parser found into this member and reads it again to decide.
 */
class SelectiveRequest extends IncomingMessage {
  declare [parsedAsUpgrade]: boolean | null | undefined;

  get upgrade(): boolean {
    return this[parsedAsUpgrade] === true && (this.method === 'CONNECT' || asksForWebsocket(this));
  }

  set upgrade(found: boolean | null) {
    this[parsedAsUpgrade] = found;
  }
}

/** Options of an HTTP server that upgrades to WebSockets alone. */
export function upgradeOptions(): ServerOptions {
  // The types are those of Node 20.
  const asking: ServerOptions & object = { shouldUpgradeCallback: asksForWebsocket } as object;
  return 'shouldUpgradeCallback' in createServer() ? asking : { IncomingMessage: SelectiveRequest };
}
