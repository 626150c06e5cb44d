/** Long, for a busy machine: only what fails waits for all of it. */
const PATIENCE_MS = 60_000;
const INTERVAL_MS = 10;

/** Asks until the answer is yes. A bound and no blind sleep: a test that must wait waits as short as it can. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise(done => setTimeout(done, INTERVAL_MS));
  }
}
