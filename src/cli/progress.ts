/** What takes longer than this says what it is doing. */
const PATIENCE_MS = 1_000;
const EVERY_MS = 250;
const CLEAR_LINE = '\r\x1b[K';

/**
 * Says on a terminal what is waited for, and takes it away again. Where stderr is none, nothing is said.
 *
 * @param describe asked again and again: it may count
 */
export async function withProgress<T>(describe: () => string, work: Promise<T>): Promise<T> {
  if (!process.stderr.isTTY) return work;
  const beganMs = performance.now();
  let isShown = false;
  const timer = setInterval(() => {
    if (performance.now() - beganMs < PATIENCE_MS) return;
    isShown = true;
    process.stderr.write(`${CLEAR_LINE}${describe()} …`.slice(0, process.stderr.columns));
  }, EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (isShown) process.stderr.write(CLEAR_LINE);
  }
}
