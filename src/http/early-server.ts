import { once } from 'node:events';
import { type IncomingMessage, type RequestListener, Server, type ServerOptions } from 'node:http';
import type { ListenOptions } from 'node:net';
import { PollError } from '../poll/poll-error.ts';
import { PARSER_LIMITS, TIMEOUTS } from './http-limits.ts';
import { endWith, rawReply } from './raw-reply.ts';

/** Many times as long as a start takes. Who waits behind a proxy is better off with another server then. */
const PATIENCE_MS = 2_000;

const STARTING = rawReply(
  new PollError('engine_unavailable', { message: 'This server is starting. Try again in a moment.' }),
);

/** A request as its server was told of it. */
type Held = readonly [event: 'request' | 'upgrade', request: IncomingMessage, rest: readonly unknown[]];

/**
 * A server that listens before the program behind it is loaded. Who comes meanwhile waits a moment, where a closed port would
 * refuse everybody, and after a crash that is a whole audience that knocks again and again, on the cores that the start needs.
 *
 * It holds what arrives from `open()` until `listen()`, which is Fastify's to call once all is there. Where that takes too long, it
 * answers 503 instead.
 */
export class EarlyServer extends Server {
  #held: Held[] | undefined = [];
  #isLate = false;
  #patience: NodeJS.Timeout | undefined;

  /** @param options as for `createServer`; the limits of all servers are added */
  constructor(options: ServerOptions = {}) {
    const { requestTimeout, keepAliveTimeout, connectionTimeout } = TIMEOUTS;
    super({ ...PARSER_LIMITS, requestTimeout, keepAliveTimeout, ...options });
    this.timeout = connectionTimeout;
    // All are read, and counted later on, see `limitHeaders`.
    this.maxHeadersCount = 0;
  }

  /** @throws NodeJS.ErrnoException where nobody can listen there */
  async open(place: ListenOptions, patienceMs = PATIENCE_MS): Promise<void> {
    super.listen(place);
    await once(this, 'listening');
    this.#patience = setTimeout(() => this.#turnAway(), patienceMs).unref();
  }

  /** For Fastify: its server, which is this one. */
  readonly serverFactory = (handler: RequestListener): this => this.on('request', handler);

  /** It does already. From here on it serves, at first whoever waits. */
  override listen(): this {
    clearTimeout(this.#patience);
    process.nextTick(() => {
      const held = this.#held ?? [];
      this.#held = undefined;
      this.emit('listening');
      for (const [event, request, rest] of held) this.#serve(event, request, rest);
    });
    return this;
  }

  override emit(event: string, ...args: unknown[]): boolean {
    if (!this.#held || (event !== 'request' && event !== 'upgrade')) return super.emit(event, ...args);
    const [request, ...rest] = args as [IncomingMessage, ...unknown[]];
    // Of an upgrade nobody listens to the socket any more.
    if (event === 'upgrade') request.socket.on('error', ignore);
    if (this.#isLate) endWith(request.socket, STARTING);
    else this.#held.push([event, request, rest]);
    return super.emit('held', request);
  }

  #turnAway(): void {
    this.#isLate = true;
    for (const [, { socket }] of this.#held?.splice(0) ?? []) endWith(socket, STARTING);
  }

  #serve(event: Held[0], request: IncomingMessage, rest: Held[2]): void {
    const { socket } = request;
    if (event === 'upgrade') socket.off('error', ignore);
    if (!socket.destroyed) this.emit(event, request, ...rest);
  }
}

/** Who hangs up while waiting is not served. */
function ignore(): void {}
