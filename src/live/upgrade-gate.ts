import { EventEmitter } from 'node:events';
import { createServer, IncomingMessage, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { endWith, rawReply, rejectMalformed } from '../http/error-replies.ts';
import { ServerDraining } from '../http/readiness.ts';
import { upgrades } from '../metrics/catalogue.ts';
import { PollError } from '../poll/poll-error.ts';
import type { ConnectionRegistry } from './connection-registry.ts';

/** A property of the request: a map would delay garbage collection of requests. */
const state = Symbol('upgrade');
type Upgrade = IncomingMessage & { [state]?: 'asked' | 'accepted' };

/** Share of a server's connections. The rest is for reads, votes and probes. */
const LIVE_SHARE = 0.95;

/** An upgraded socket that is no WebSocket by then is destroyed. */
const HANDSHAKE_TIMEOUT_MS = 2_000;

const DRAINING = rawReply(new PollError('engine_unavailable', { message: new ServerDraining().message }));
const FULL = rawReply(relayFull());

const draining = upgrades.of({ outcome: 'draining' });
const full = upgrades.of({ outcome: 'full' });

/**
 * Filters upgrades before Fastify sees them. While draining or full it replies with prepared bytes,
 * so that a rejected crowd costs little. It destroys upgraded sockets that do not become a
 * WebSocket, which neither Node nor `@fastify/websocket` would do.
 *
 * @returns the emitter that `@fastify/websocket` uses in place of the server
 */
export function upgradeGate(server: Server, registry: ConnectionRegistry): Server {
  const emitter = new EventEmitter();
  server.on('upgrade', (request: Upgrade, socket: Socket, head) => {
    if (socket.destroyed || socket.remoteAddress === undefined) {
      socket.on('error', () => {}).destroy();
      return;
    }
    if (registry.isDraining || isFull(server, registry)) {
      (registry.isDraining ? draining : full).value += 1;
      // Keep reading, so that the socket closes when the client does.
      endWith(socket.resume(), registry.isDraining ? DRAINING : FULL);
      return;
    }
    // A handshake is HTTP/1.1 (RFC 6455, section 4.1).
    if (request.httpVersion === '1.0') {
      rejectMalformed(undefined, socket.resume());
      return;
    }
    request[state] = 'asked';
    emitter.emit('upgrade', request, socket, head);
    // Most are accepted synchronously and need no timer.
    if ((request[state] as string) === 'accepted') return;
    setTimeout(() => {
      if ((request[state] as string) !== 'accepted') socket.destroy();
    }, HANDSHAKE_TIMEOUT_MS).unref();
  });
  return emitter as Server;
}

export function isFull({ maxConnections }: Server, registry: ConnectionRegistry): boolean {
  return registry.size >= LIVE_SHARE * maxConnections;
}

export function relayFull(): PollError {
  return new PollError('engine_unavailable', { message: 'This server is full. Try again in a moment.' });
}

export function acceptUpgrade(request: IncomingMessage): void {
  (request as Upgrade)[state] = 'accepted';
}

/** A route constraint: upgrades have routes of their own, without the hooks of REST. */
export const upgradeConstraint = {
  name: 'upgrade',
  storage: () => {
    const handlers = new Map<unknown, never>();
    return {
      get: (value: unknown) => handlers.get(value) ?? null,
      set: (value: unknown, handler: never) => void handlers.set(value, handler),
    };
  },
  deriveConstraint: (request: Upgrade) => request[state] ?? '',
  validate: () => true,
};

const parsedAsUpgrade = Symbol('upgrade');

/**
 * Any other upgrade, like `h2c` of Java's HttpClient and `curl --http2`, is served by HTTP/1.1 (RFC
 * 9110, section 7.8).
 */
function asksForWebsocket({ method, headers }: IncomingMessage): boolean {
  if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false;
  // A body would be parsed as frames.
  return headers['transfer-encoding'] === undefined && !(Number(headers['content-length'] ?? 0) > 0);
}

/** For Node before 22.21 and 24.9, which has no `shouldUpgradeCallback`: Node decides by reading `upgrade` back. */
class SelectiveRequest extends IncomingMessage {
  declare [parsedAsUpgrade]: boolean | null | undefined;

  get upgrade(): boolean {
    return this[parsedAsUpgrade] === true && (this.method === 'CONNECT' || asksForWebsocket(this));
  }

  set upgrade(found: boolean | null) {
    this[parsedAsUpgrade] = found;
  }
}

/** Options of an HTTP server that only upgrades to WebSocket. */
export function upgradeOptions(): ServerOptions {
  const callback: ServerOptions & object = { shouldUpgradeCallback: asksForWebsocket } as object;
  return 'shouldUpgradeCallback' in createServer() ? callback : { IncomingMessage: SelectiveRequest };
}

const NO_BYTES = Buffer.alloc(0);

/** Replaces the class of `ws`; only keeps the TCP socket of a finished handshake. */
export class UpgradedSocket {
  tcp: Socket | undefined;
  head: Buffer = NO_BYTES;

  setSocket(tcp: Socket, head: Buffer): void {
    this.tcp = tcp;
    this.head = head;
  }

  /** Does nothing: the plugin's error listener would keep the whole request in memory. */
  on(): this {
    return this;
  }

  terminate(): void {
    this.tcp?.destroy();
  }
}

/** Longer than a subscription waits for its first frame, unless the engine is slow or unavailable. */
const CORK_MS = 100;

/**
 * Delays replies to upgrades until the first frame, two intervals at most, so that both leave in one packet.
 * Without it, an accepted subscriber takes 10 % more CPU.
 */
export class HandshakeCork {
  /** Sockets corked in this interval and in the one before. */
  #corked: Socket[] = [];
  #due: Socket[] = [];

  cork(socket: Socket): void {
    socket.cork();
    if (this.#corked.push(socket) === 1 && this.#due.length === 0) this.#scheduleUncork();
  }

  #scheduleUncork(): void {
    setTimeout(() => {
      for (const socket of this.#due) socket.uncork();
      this.#due = this.#corked;
      this.#corked = [];
      if (this.#due.length > 0) this.#scheduleUncork();
    }, CORK_MS).unref();
  }
}
