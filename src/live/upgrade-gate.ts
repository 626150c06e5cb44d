import { EventEmitter } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { endWith, rawReply, refuseGarbage } from '../http/raw-reply.ts';
import { ServerDraining } from '../http/readiness.ts';
import { upgrades } from '../metrics/catalogue.ts';
import { PollError } from '../poll/poll-error.ts';
import type { ConnectionRegistry } from './connection-registry.ts';

/** On the request itself: a map would keep each request alive through young collections. */
const state = Symbol('upgrade');
type Upgrade = IncomingMessage & { [state]?: 'asked' | 'accepted' };

/** Of the connections that a server may have: it closes those beyond without a reply. */
const LIVE_SHARE = 0.95;

/** A socket that is no WebSocket by then is destroyed: its refusal was read, or never will be. */
const PATIENCE_MS = 2_000;

const DRAINING = rawReply(new PollError('engine_unavailable', { message: new ServerDraining().message }));
const FULL = rawReply(relayFull());

const draining = upgrades.of({ outcome: 'draining' });
const full = upgrades.of({ outcome: 'full' });

/**
 * Runs before everything that serves an upgrade. A relay that drains or is full replies with prepared bytes, so that a proxy asks
 * another one at once and a crowd that cannot connect costs next to nothing.
 *
 * It also destroys every upgraded socket that does not become a WebSocket within a few seconds. Nothing else would: such a socket
 * is in no list of the HTTP server, and a request that is refused before routing never reaches the hooks of `@fastify/websocket`.
 *
 * @returns the emitter that `@fastify/websocket` listens to in place of the server
 */
export function upgradeGate(server: Server, registry: ConnectionRegistry): Server {
  const admitted = new EventEmitter();
  server.on('upgrade', (request: Upgrade, socket: Socket, head) => {
    if (socket.destroyed || socket.remoteAddress === undefined) {
      // The client has reset it meanwhile.
      socket.on('error', ignore).destroy();
      return;
    }
    if (registry.isDraining || isFull(server, registry)) {
      (registry.isDraining ? draining : full).value += 1;
      // Read on, so that the socket closes as soon as the client does.
      endWith(socket.resume(), registry.isDraining ? DRAINING : FULL);
      return;
    }
    // A handshake is HTTP/1.1 (RFC 6455, section 4.1).
    if (request.httpVersion === '1.0') {
      refuseGarbage(undefined, socket.resume());
      return;
    }
    request[state] = 'asked';
    admitted.emit('upgrade', request, socket, head);
    // Most are accepted within the listener, so that a reconnecting crowd sets no timers.
    if ((request[state] as string) === 'accepted') return;
    setTimeout(() => {
      if ((request[state] as string) !== 'accepted') socket.destroy();
    }, PATIENCE_MS).unref();
  });
  // The plugin listens and emits, and asks nothing else of it.
  return admitted as Server;
}

/** Whether live connections have their share; the rest is for reads, votes and probes. */
export function isFull({ maxConnections }: Server, registry: ConnectionRegistry): boolean {
  return registry.size >= LIVE_SHARE * maxConnections;
}

export function relayFull(): PollError {
  return new PollError('engine_unavailable', { message: 'This server is full. Try again in a moment.' });
}

/** The socket is destroyed either way. */
function ignore(): void {}

/** The socket is a WebSocket now. */
export function acceptUpgrade(request: IncomingMessage): void {
  (request as Upgrade)[state] = 'accepted';
}

/** A constraint of routes: upgrades have their own, so that none of the hooks and headers of REST runs for them. */
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
