import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { WebSocketServer } from 'ws';
import { refuseGarbage } from '../../http/refuse-garbage.ts';
import { MAX_FRAGMENTS, MAX_MESSAGE_BYTES, type WebsocketWire } from './websocket-wire.ts';

/** Extends the class of `ws`, whose server makes one for each handshake. */
export type WebsocketClass = new (...options: never[]) => WebsocketWire;

type Route = (request: IncomingMessage, response: ServerResponse) => void;

interface Upgrade {
  readonly socket: Socket;
  readonly head: Buffer;
  readonly response: ServerResponse;
  isTaken: boolean;
}

/**
 * On the request itself: a WeakMap would carry each request and all that hangs on it through the collections of young
 * garbage.
 */
const upgradeOf = Symbol('upgrade');
type Request = IncomingMessage & { [upgradeOf]?: Upgrade | undefined };

/** Whatever is not a WebSocket by then is hung up on: its refusal was read, or never will be. */
const PATIENCE_MS = 2_000;

/** The roster tracks the connections, and nothing is ever compressed: a compressor would cost 200 KB a connection. */
const SERVER_OPTIONS = {
  noServer: true,
  perMessageDeflate: false,
  clientTracking: false,
  autoPong: false,
  maxPayload: MAX_MESSAGE_BYTES,
  maxFragments: MAX_FRAGMENTS,
} as const;

/**
 * Owns every upgraded socket from the moment at which HTTP lets go of it: it becomes a WebSocket within a few seconds, or it
 * is destroyed. Nobody else would: such a socket is in none of the lists of the HTTP server.
 */
export class UpgradeOwner {
  readonly #sockets: WebSocketServer;
  readonly #route: Route;
  readonly #log: FastifyBaseLogger;

  /** @param route answers a request, and may `take` it */
  constructor(WebSocket: WebsocketClass, route: Route, log: FastifyBaseLogger) {
    // The types ask for the whole module where `ws` itself needs a class that extends its own.
    this.#sockets = new WebSocketServer({ ...SERVER_OPTIONS, WebSocket: WebSocket as never });
    this.#sockets.on('wsClientError', refuseGarbage);
    this.#route = route;
    this.#log = log;
  }

  listen(server: Server): void {
    server.on('upgrade', (request, socket, head) => this.#own(request, socket as Socket, head));
  }

  isUpgrade(request: IncomingMessage): boolean {
    return (request as Request)[upgradeOf] !== undefined;
  }

  /** Shakes hands. A faulty handshake is refused, and `onOpen` never called. */
  take(request: IncomingMessage, onOpen: (socket: WebsocketWire) => void): void {
    const upgrade = (request as Request)[upgradeOf];
    if (!upgrade) return;
    (request as Request)[upgradeOf] = undefined;
    const { socket, head, response } = upgrade;
    // It would keep the whole request alive as long as the connection lives.
    response.detachSocket(socket);
    this.#sockets.handleUpgrade(request, socket, head, accepted => {
      upgrade.isTaken = true;
      socket.removeListener('error', destroy);
      onOpen(accepted as unknown as WebsocketWire);
    });
  }

  #own(request: IncomingMessage, socket: Socket, head: Buffer): void {
    socket.on('error', destroy);
    const upgrade = { socket, head, response: new ServerResponse(request), isTaken: false };
    if (this.#begin(request, upgrade)) this.#answer(request, upgrade);
    // Most are taken within the call, so that a crowd that comes back sets no timers.
    if (upgrade.isTaken) return;
    setTimeout(() => {
      if (!upgrade.isTaken) socket.destroy();
    }, PATIENCE_MS).unref();
  }

  /** @returns false where an earlier request on this socket is not answered yet: that answer may still go out */
  #begin(request: IncomingMessage, upgrade: Upgrade): boolean {
    try {
      upgrade.response.assignSocket(upgrade.socket);
      (request as Request)[upgradeOf] = upgrade;
      return true;
    } catch {
      return false;
    }
  }

  #answer(request: IncomingMessage, { socket, response }: Upgrade): void {
    try {
      response.setHeader('connection', 'close');
      response.on('finish', () => socket.destroySoon());
      this.#route(request, response);
    } catch (error) {
      socket.destroy();
      this.#log.error({ err: error }, 'an upgrade failed');
    }
  }
}

function destroy(this: Socket): void {
  this.destroy();
}
