import { setTimeout as pause } from 'node:timers/promises';

/**
 * Settles as the promise does, or resolves to `late` after a time. What the promise stands for goes
 * on, and the process stays alive until then.
 */
export async function within<T, Late = undefined>(
  ms: number,
  promise: Promise<T>,
  late = undefined as Late,
): Promise<T | Late> {
  const ending = new AbortController();
  const tooLate = pause(ms, late, { signal: ending.signal });
  // Aborted once the promise has settled.
  tooLate.catch(() => {});
  return Promise.race([promise, tooLate]).finally(() => ending.abort());
}
