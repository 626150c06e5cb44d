import cluster, { type Worker } from 'node:cluster';
import type { FastifyBaseLogger } from 'fastify';
import { endedWorkers } from '../metrics/catalogue.ts';
import { LEAVE } from './leave-gracefully.ts';

/** A worker that dies at once would otherwise be started again as fast as the machine can. */
const RESTART_PAUSE_MS = 1_000;
/** What a worker tells its supervisor once all its servers listen: that one of them does says little. */
export const READY = 'ready';
/** Longer than a worker takes for its farewell. */
const KILL_AFTER_MS = 9_000;

/** From 1: who comes in the place of a worker gets its number. */
const places = new Map<Worker, number>();

const ended = endedWorkers.of({});

export function placeOf(worker: Worker): number {
  return places.get(worker) ?? 0;
}

/**
 * Runs several processes on one port. They know nothing of each other: the engine is what they share, as relays on several
 * machines do. A worker that dies is replaced; its subscribers come back to the others by themselves.
 *
 * @returns once every worker is ready: true; false where all were told to leave before
 * @throws Error where a worker ends before it is ready; then none is left
 */
export async function superviseWorkers(count: number, logger: FastifyBaseLogger): Promise<boolean> {
  let isLeaving = false;
  const ready = new Set<Worker>();
  const leave = () => {
    if (isLeaving) return;
    isLeaving = true;
    endWorkers(ready);
  };
  cluster.on('message', (worker, message) => message === READY && ready.add(worker));
  process.on('SIGTERM', leave);
  process.on('SIGINT', leave);
  try {
    // One by one at first: what keeps all of them from starting is said once.
    await isReady(fork());
    await Promise.all(Array.from({ length: count - 1 }, () => isReady(fork())));
  } catch (error) {
    const wasAsked = isLeaving;
    leave();
    if (wasAsked) return false;
    throw error;
  }
  cluster.on('exit', (worker, code, signal) => {
    const { pid } = worker.process;
    const wasReady = ready.delete(worker);
    const place = placeOf(worker);
    places.delete(worker);
    if (isLeaving) {
      if (wasReady && code !== 0) process.exitCode = 1;
      return;
    }
    ended.value += 1;
    logger.error({ worker: place, workerPid: pid, code, signal }, 'a worker has ended and is replaced');
    const endedAtMs = performance.now();
    setTimeout(() => !isLeaving && replace(endedAtMs, logger), RESTART_PAUSE_MS);
  });
  return true;
}

function fork(): Worker {
  const worker = cluster.fork();
  const taken = new Set(places.values());
  let place = 1;
  while (taken.has(place)) place += 1;
  places.set(worker, place);
  return worker;
}

/** Where it ends before it is ready, that is said as every end of a worker is. */
function replace(endedAtMs: number, logger: FastifyBaseLogger): void {
  const worker = fork();
  const say = () => {
    const lackedForMs = Math.round(performance.now() - endedAtMs);
    logger.info({ worker: placeOf(worker), workerPid: worker.process.pid, lackedForMs }, 'a worker is back');
  };
  isReady(worker).then(say, () => {});
}

/** The process ends by itself once no worker is left. */
function endWorkers(ready: ReadonlySet<Worker>): void {
  const workers = Object.values(cluster.workers ?? {}).filter(worker => worker !== undefined);
  for (const worker of workers) {
    // Who has ended in the meantime has nothing to be told, and who is not ready yet has nobody to say farewell to.
    if (ready.has(worker)) worker.send(LEAVE, () => {});
    else worker.process.kill('SIGTERM');
  }
  setTimeout(() => {
    for (const worker of workers) if (!worker.isDead()) worker.process.kill('SIGKILL');
  }, KILL_AFTER_MS).unref();
}

/** @throws Error where it ends before */
function isReady(worker: Worker): Promise<void> {
  return new Promise((done, fail) => {
    worker.on('message', message => message === READY && done());
    worker.once('exit', () =>
      fail(new Error('A worker ended before it was ready; its own message stands above.')),
    );
  });
}
