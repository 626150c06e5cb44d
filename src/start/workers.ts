import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';

/** A worker that dies at once would otherwise be started again as fast as the machine can. */
const RESTART_PAUSE_MS = 1_000;

/**
 * Runs several processes on one port. They know nothing of each other: the engine is what they share, as relays on several
 * machines do. A worker that dies is replaced; its subscribers come back to the others by themselves.
 *
 * @returns once every worker listens
 * @throws Error where a worker ends before it listens
 */
export async function superviseWorkers(count: number): Promise<void> {
  let isClosing = false;
  const workers = Array.from({ length: count }, () => cluster.fork());
  await Promise.all(workers.map(listening));
  cluster.on('exit', () => {
    if (!isClosing) setTimeout(() => !isClosing && cluster.fork(), RESTART_PAUSE_MS);
  });
  const close = (signal: NodeJS.Signals) => {
    isClosing = true;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal);
  };
  process.on('SIGTERM', close);
  process.on('SIGINT', close);
}

async function listening(worker: Worker): Promise<void> {
  const ended = new AbortController();
  try {
    await Promise.race([
      once(worker, 'listening', { signal: ended.signal }),
      once(worker, 'exit', { signal: ended.signal }).then(() => {
        throw new Error('A worker ended before it listened; its own message stands above.');
      }),
    ]);
  } finally {
    ended.abort();
  }
}
