import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { droppedConnections } from '../metrics/catalogue.ts';
import { addressGroup, trustedProxies } from './address-group.ts';

/** Shares of all connections that a server may have. From here on each new connection closes an idle one. */
const NEARLY_FULL = 0.9;
/** Beyond it only addresses within their share get a connection. Live ones fill less, see live/upgrade-gate.ts. */
const RESERVED_FROM = 0.97;
/** What one address may hold of a server that is nearly full. */
const ADDRESS_SHARE = 0.25;

const dropped = {
  idle: droppedConnections.of({ reason: 'idle' }),
  address: droppedConnections.of({ reason: 'address' }),
  full: droppedConnections.of({ reason: 'full' }),
};

/** Connections of one address; the idle ones in the order in which they were last used. */
interface Holder {
  readonly address: string;
  readonly idle: Set<Socket>;
  count: number;
}

const tracked = Symbol('connection');
interface Tracked {
  /** Undefined for a trusted proxy. */
  readonly holder: Holder | undefined;
  /** Under way. */
  requests: number;
}
type TrackedSocket = Socket & { [tracked]?: Tracked };

/**
 * Bounds the connections of a server, so that one address cannot take all of them. Idle is a connection without a whole request:
 * kept alive, silent, or sending its headers slowly. Streams and WebSockets are never closed here.
 *
 * When the server is nearly full, a new connection closes the idle one that was used least recently: of its own address where
 * that holds more than its share, else of any. An address beyond its share without an idle one gets none of the last connections.
 */
class ConnectionLimit {
  readonly #server: Server;
  readonly #isProxy: (address: string) => boolean;
  readonly #holders = new Map<string, Holder>();
  readonly #idle = new Set<Socket>();
  #count = 0;
  /** One function for all sockets. */
  readonly #onClose: (this: Socket) => void;
  readonly #onAnswered: (this: ServerResponse) => void;

  constructor(server: Server, proxies: readonly string[]) {
    this.#server = server;
    this.#isProxy = trustedProxies(proxies);
    const forget = (socket: Socket) => this.#forget(socket);
    const endRequest = (socket: Socket) => this.#endRequest(socket);
    this.#onClose = function onClose() {
      forget(this);
    };
    this.#onAnswered = function onAnswered() {
      endRequest(this.req.socket);
    };
  }

  add(socket: Socket): void {
    const holder = this.#track(socket);
    this.#makeRoom(socket, holder);
    if (!socket.destroyed) this.#setIdle(socket, holder);
  }

  /** A request that waits for its server to start. */
  hold(socket: TrackedSocket): void {
    this.#setBusy(socket, socket[tracked]?.holder);
  }

  /** @param response undefined for an upgrade, whose connection is never idle again */
  beginRequest(socket: TrackedSocket, response?: ServerResponse): void {
    const connection = socket[tracked];
    if (!connection) return;
    connection.requests += 1;
    this.#setBusy(socket, connection.holder);
    response?.once('close', this.#onAnswered);
  }

  #endRequest(socket: TrackedSocket): void {
    const connection = socket[tracked];
    if (!connection || socket.destroyed) return;
    connection.requests -= 1;
    if (connection.requests === 0) this.#setIdle(socket, connection.holder);
  }

  #makeRoom(newcomer: Socket, holder: Holder | undefined): void {
    const { maxConnections } = this.#server;
    if (this.#count <= NEARLY_FULL * maxConnections) return;
    const isLarge = holder !== undefined && holder.count > ADDRESS_SHARE * maxConnections;
    const [oldest] = isLarge ? holder.idle : this.#idle;
    if (oldest) this.#drop(oldest, 'idle');
    else if (isLarge && this.#count > RESERVED_FROM * maxConnections) this.#drop(newcomer, 'address');
  }

  #drop(socket: Socket, reason: 'idle' | 'address'): void {
    dropped[reason].value += 1;
    // At once: many may come before this one has closed.
    this.#forget(socket);
    socket.destroy();
  }

  #track(socket: TrackedSocket): Holder | undefined {
    const ip = socket.remoteAddress ?? '';
    const holder = this.#isProxy(ip) ? undefined : this.#holderOf(addressGroup(ip));
    if (holder) holder.count += 1;
    this.#count += 1;
    socket.on('close', this.#onClose);
    socket[tracked] = { holder, requests: 0 };
    return holder;
  }

  #forget(socket: TrackedSocket): void {
    const connection = socket[tracked];
    if (!connection) return;
    delete socket[tracked];
    this.#count -= 1;
    const { holder } = connection;
    if (!holder) return;
    this.#setBusy(socket, holder);
    holder.count -= 1;
    if (holder.count === 0) this.#holders.delete(holder.address);
  }

  #holderOf(address: string): Holder {
    const holder = this.#holders.get(address) ?? { address, idle: new Set(), count: 0 };
    this.#holders.set(address, holder);
    return holder;
  }

  #setIdle(socket: Socket, holder: Holder | undefined): void {
    if (!holder) return;
    holder.idle.add(socket);
    this.#idle.add(socket);
  }

  #setBusy(socket: Socket, holder: Holder | undefined): void {
    holder?.idle.delete(socket);
    this.#idle.delete(socket);
  }
}

/**
 * Bounds the connections of a server that does not serve yet. Its event `held` is about requests that wait for its start.
 *
 * @param maxConnections at a time
 * @param proxies addresses or CIDR ranges of trusted proxies, to which no share applies
 */
export function limitConnections(
  server: Server,
  maxConnections: number,
  proxies: readonly string[] = [],
): void {
  const limit = new ConnectionLimit(server, proxies);
  server.maxConnections = maxConnections;
  server.on('connection', socket => limit.add(socket));
  server.on('drop', () => {
    dropped.full.value += 1;
  });
  server.on('held', ({ socket }: IncomingMessage) => limit.hold(socket));
  server.prependListener('request', ({ socket }, response) => limit.beginRequest(socket, response));
  // A server without such a listener serves every upgrade by HTTP, and must go on doing so.
  if (server.listenerCount('upgrade') > 0)
    server.prependListener('upgrade', ({ socket }) => limit.beginRequest(socket));
}
