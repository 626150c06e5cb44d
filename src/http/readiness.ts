import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import { checks as passing } from '../metrics/catalogue.ts';
import { type Issue, PollError } from '../poll/poll-error.ts';

/**
 * Checks by their name in `/readyz`. A rejected promise fails the check; a text reports a degraded
 * one and is public.
 */
export type ReadinessChecks = Readonly<Record<string, () => Promise<string | undefined>>>;

const PROBES = new Set(['/livez', '/readyz', '/health']);

/** Load balancers probe every few seconds and do not wait long. */
const CHECK_TIMEOUT_MS = 2_000;
/** Time for requests in flight when the stop begins; longer than the drain in live/connection-registry.ts. */
const LAST_REQUESTS_MS = 4_000;
const CHECK_INTERVAL_MS = 50;
const FAILS = 'fails';
const DRAINING = 'draining';

/** Error of requests that arrive on open connections while the server drains. */
export class ServerDraining extends Error {
  readonly statusCode = 503;

  constructor() {
    super('This server is restarting. Try again in a moment.');
  }
}

export interface StopSteps {
  /** Closes live connections so that their clients reconnect to another server. */
  readonly disconnect: () => void | Promise<void>;
  /** Stops timers and listeners after the last request. */
  readonly release?: () => void | Promise<void>;
}

export interface Readiness {
  readonly server: 'relay' | 'voting' | 'chat';
  readonly checks: ReadinessChecks;
  readonly stop?: StopSteps;
}

/**
 * Adds `/livez`, `/readyz` and `/health`, and makes `app.close()` stop the server in order: first
 * this, then plugins after it.
 */
export const readiness = plugin(async (app: FastifyInstance, { server, checks, stop }: Readiness) => {
  let isDraining = false;
  app.addHook('onRequest', (request, _, done) => {
    done(isDraining && !PROBES.has(request.routeOptions.url ?? '') ? new ServerDraining() : undefined);
  });
  // Fastify closes the server between these two hooks.
  app.addHook('preClose', async () => {
    isDraining = true;
    app.log.info({ server }, 'draining connections');
    if (app.server.listening) stopAccepting(app.server);
    await stop?.disconnect();
  });
  app.addHook('onClose', async () => {
    await stop?.release?.();
    endReading();
  });

  const live = async () => ({ success: 1, timestamp: Math.floor(Date.now() / 1000) });
  const endReading = passing.read(async () => {
    const { failing, degraded } = await runChecks(checks);
    const faulty = [...failing, ...degraded].map(({ path }) => path);
    if (isDraining) faulty.push(DRAINING);
    return [...Object.keys(checks), DRAINING].map(check => [
      { server, check },
      faulty.includes(check) ? 0 : 1,
    ]);
  });

  app.get('/livez', live);
  app.get('/health', live);
  app.get('/readyz', async (_, reply) => {
    const { failing, degraded } = await runChecks(checks);
    if (isDraining) failing.push({ path: DRAINING, message: FAILS });
    if (failing.length === 0) return { ...(await live()), ...(degraded.length > 0 ? { degraded } : {}) };
    const names = failing.map(({ path }) => path).join(', ');
    const error = new PollError('engine_unavailable', { message: `Not ready: ${names}.`, issues: failing });
    return reply.code(error.status).header('cache-control', 'no-store').send(error.toBody());
  });
});

/** Closes each connection after its last request, and all of them at the deadline. */
function stopAccepting(server: Server): void {
  const deadlineMs = performance.now() + LAST_REQUESTS_MS;
  const timer = setInterval(() => {
    if (performance.now() > deadlineMs) server.closeAllConnections();
    else server.closeIdleConnections();
  }, CHECK_INTERVAL_MS).unref();
  server.close(() => clearInterval(timer));
}

async function runChecks(checks: ReadinessChecks): Promise<{ failing: Issue[]; degraded: Issue[] }> {
  const outcomes = await Promise.all(
    Object.entries(checks).map(async ([path, check]) => ({ path, ...(await outcomeOf(check)) })),
  );
  const select = (isFailing: boolean) =>
    outcomes.flatMap(({ path, message, fails }) =>
      message !== undefined && fails === isFailing ? [{ path, message }] : [],
    );
  return { failing: select(true), degraded: select(false) };
}

async function outcomeOf(check: () => Promise<string | undefined>) {
  const checked = check().then(
    message => ({ fails: false, message }),
    error => ({ fails: true, message: error instanceof PollError ? error.message : FAILS }),
  );
  const timeout = pause(CHECK_TIMEOUT_MS, { fails: true, message: FAILS }, { ref: false });
  return Promise.race([checked, timeout]);
}
