import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** On the request itself: a map would carry each request through the collections of young garbage. */
const isTaken = Symbol('taken');
type Upgrade = IncomingMessage & { [isTaken]?: true };

/** Whatever is not a WebSocket by then is hung up on: its refusal was read, or never will be. */
const PATIENCE_MS = 2_000;

/**
 * Owns every upgraded socket from the moment at which HTTP lets go of it: it becomes a WebSocket within a few seconds, or it
 * is destroyed. Nobody else would, because such a socket is in none of the lists of the HTTP server, and a request that is
 * refused before it is routed, or was sent ahead of an answer, never reaches the hooks of `@fastify/websocket`.
 *
 * Call it once the plugin listens: most upgrades are taken within its listener, so that a crowd that comes back sets no timers.
 */
export function ownUpgrades(server: Server): void {
  server.on('upgrade', (request: Upgrade, socket) => {
    if (request[isTaken]) return;
    setTimeout(() => {
      if (!request[isTaken]) (socket as Socket).destroy();
    }, PATIENCE_MS).unref();
  });
}

/** It is a WebSocket now, which ends by itself. */
export function takeUpgrade(request: IncomingMessage): void {
  (request as Upgrade)[isTaken] = true;
}
