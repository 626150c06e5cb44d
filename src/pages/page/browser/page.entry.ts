import { basics, find, pauseWhileVisible, runEach } from './dom.ts';

const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 60_000;

runEach(...basics, () => find(document, 'may-return') && void waitForReturn());

/** A poll or show that is not there, and was not deleted, may come back with a backup. */
async function waitForReturn(): Promise<void> {
  const { signal } = new AbortController();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    await pauseWhileVisible(pauseMs * (0.5 + Math.random() / 2), signal);
    const reply = await fetch(location.href, { cache: 'no-store' }).catch(() => undefined);
    if (reply?.ok) return location.reload();
  }
}
