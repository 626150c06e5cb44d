import type { FastifyBaseLogger, FastifyInstance } from 'fastify';

type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type Options = Parameters<FastifyBaseLogger['child']>[1];
type LogMethod = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/**
 * The log of one request, with the request's id in each line. It is set up by the first line: hardly any request has one, and pino
 * takes as long to set one up as a poll's read takes.
 */
class RequestLog implements FastifyBaseLogger {
  readonly #parent: FastifyBaseLogger;
  readonly #bindings: Bindings;
  readonly #options: Options;
  #own: FastifyBaseLogger | undefined;

  constructor(parent: FastifyBaseLogger, bindings: Bindings, options: Options) {
    this.#parent = parent;
    this.#bindings = bindings;
    this.#options = options;
  }

  get level(): string {
    return this.#parent.level;
  }

  fatal(...line: unknown[]): void {
    this.#write('fatal', line);
  }
  error(...line: unknown[]): void {
    this.#write('error', line);
  }
  warn(...line: unknown[]): void {
    this.#write('warn', line);
  }
  info(...line: unknown[]): void {
    this.#write('info', line);
  }
  debug(...line: unknown[]): void {
    this.#write('debug', line);
  }
  trace(...line: unknown[]): void {
    this.#write('trace', line);
  }
  silent(): void {}

  child(bindings: Bindings, options?: Options): FastifyBaseLogger {
    return this.#open().child(bindings, options);
  }

  #write(method: LogMethod, line: unknown[]): void {
    (this.#open()[method] as (...line: unknown[]) => void)(...line);
  }

  #open(): FastifyBaseLogger {
    this.#own ??= this.#parent.child(this.#bindings, this.#options);
    return this.#own;
  }
}

/** Logs each answered request at `debug`, by the pattern of its route: an address may name a person, and a URL carry a key. */
export function logRequests(app: FastifyInstance): void {
  const { log } = app as { log: FastifyBaseLogger & { isLevelEnabled?: (level: string) => boolean } };
  if (!log.isLevelEnabled?.('debug')) return;
  app.addHook('onResponse', ({ id, method, is404, routeOptions }, { statusCode, elapsedTime }, done) => {
    const route = is404 ? undefined : routeOptions.url;
    const durationMs = Math.round(elapsedTime);
    log.debug({ requestId: id, method, route, status: statusCode, durationMs }, 'request');
    done();
  });
}

/** For Fastify's `childLoggerFactory`. */
export function requestLog(
  parent: FastifyBaseLogger,
  bindings: Bindings,
  options: Options,
): FastifyBaseLogger {
  return new RequestLog(parent, bindings, options);
}
