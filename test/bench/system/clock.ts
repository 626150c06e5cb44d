/**
 * One clock for all processes of a run: CLOCK_MONOTONIC, which `performance.now()` counts from
 * another start in each.
 */
const START_MS = findStart();

export function monotonicMs(): number {
  return START_MS + performance.now();
}

export function pause(ms: number): Promise<void> {
  return new Promise(done => setTimeout(done, ms));
}

/** Acts at even moments, however long an act takes: a late one does not push back those after it. */
export async function paced(perSecond: number, forMs: number, act: () => unknown): Promise<void> {
  const start = monotonicMs();
  const acts = Math.round((forMs * perSecond) / 1_000);
  for (let index = 0; index < acts; index += 1) {
    const wait = start + (index * 1_000) / perSecond - monotonicMs();
    if (wait > 0) await pause(wait);
    await act();
  }
}

/** Waits for a condition, and says whether it came true in time. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  patienceMs: number,
  everyMs = 20,
): Promise<boolean> {
  const deadline = monotonicMs() + patienceMs;
  while (!(await condition())) {
    if (monotonicMs() > deadline) return false;
    await pause(everyMs);
  }
  return true;
}

export async function inTime<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms / 1_000} s`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The two readings are not of one moment; the pair that lies closest together is the most exact. */
function findStart(): number {
  let start = Number.NEGATIVE_INFINITY;
  for (let attempt = 0; attempt < 100; attempt += 1)
    start = Math.max(start, Number(process.hrtime.bigint()) / 1e6 - performance.now());
  return start;
}
