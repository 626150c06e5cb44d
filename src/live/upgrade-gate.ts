import { EventEmitter } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { endWith, rawReply, refuseGarbage } from '../http/raw-reply.ts';
import { ServerDraining } from '../http/readiness.ts';
import { upgrades } from '../metrics/catalogue.ts';
import { PollError } from '../poll/poll-error.ts';
import type { Roster } from './connection-registry.ts';

/** On the request itself: a map would carry each request through the collections of young garbage. */
const state = Symbol('upgrade');
type Upgrade = IncomingMessage & { [state]?: 'asked' | 'taken' };

/** Of the connections that a server may have: beyond those it hangs up without a word. */
const LIVE_SHARE = 0.95;

/** Whatever is not a WebSocket by then is hung up on: its refusal was read, or never will be. */
const PATIENCE_MS = 2_000;

const LEAVING = rawReply(new PollError('engine_unavailable', { message: new ServerDraining().message }));
const FULL = rawReply(relayFull());

const draining = upgrades.of({ outcome: 'draining' });
const full = upgrades.of({ outcome: 'full' });

/**
 * Stands before everything that serves an upgrade. A relay that leaves or is full says so in bytes that lie ready, so that a
 * proxy asks another one at once and a crowd that cannot get in costs next to nothing.
 *
 * It also owns every upgraded socket from the moment at which HTTP lets go of it: it becomes a WebSocket within a few seconds, or
 * it is destroyed. Nobody else would, because such a socket is in none of the lists of the HTTP server, and a request that is
 * refused before it is routed, or was sent ahead of an answer, never reaches the hooks of `@fastify/websocket`.
 *
 * @returns what `@fastify/websocket` listens to in place of the server
 */
export function frontDoor(server: Server, roster: Roster): Server {
  const admitted = new EventEmitter();
  server.on('upgrade', (request: Upgrade, socket: Socket, head) => {
    if (socket.destroyed || socket.remoteAddress === undefined) {
      // Reset meanwhile.
      socket.on('error', ignore).destroy();
      return;
    }
    if (roster.isLeaving || isFull(server, roster)) {
      (roster.isLeaving ? draining : full).value += 1;
      // Read on, so that it is gone as soon as the other side hangs up.
      endWith(socket.resume(), roster.isLeaving ? LEAVING : FULL);
      return;
    }
    // A handshake is HTTP/1.1 (RFC 6455, section 4.1).
    if (request.httpVersion === '1.0') {
      refuseGarbage(undefined, socket.resume());
      return;
    }
    request[state] = 'asked';
    admitted.emit('upgrade', request, socket, head);
    // Most are taken within the listener, so that a crowd that comes back sets no timers.
    if ((request[state] as string) === 'taken') return;
    setTimeout(() => {
      if ((request[state] as string) !== 'taken') socket.destroy();
    }, PATIENCE_MS).unref();
  });
  // The plugin listens and emits, and asks nothing else of it.
  return admitted as Server;
}

/** Whether live connections have their share; the rest is for who reads, votes and watches over the server. */
export function isFull({ maxConnections }: Server, roster: Roster): boolean {
  return roster.size >= LIVE_SHARE * maxConnections;
}

export function relayFull(): PollError {
  return new PollError('engine_unavailable', { message: 'This server is full. Try again in a moment.' });
}

/** It is over either way. */
function ignore(): void {}

/** It is a WebSocket now, which ends by itself. */
export function takeUpgrade(request: IncomingMessage): void {
  (request as Upgrade)[state] = 'taken';
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
