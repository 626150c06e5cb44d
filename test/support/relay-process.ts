import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hasEnded, kill, logOf, spawnKept } from './child-process.ts';
import { findFreePort } from './free-port.ts';
import { until } from './until.ts';

export interface RelayProcess {
  readonly url: string;
  readonly wsUrl: string;
  /** It stands still: its connections stay open, and nothing comes of them. */
  freeze(): void;
  /** It goes on with whatever has come meanwhile. */
  thaw(): void;
  stop(): Promise<void>;
  /** SIGKILL: nothing is finished or handed over. */
  kill(): Promise<void>;
}

const START_TIMEOUT_MS = 20_000;
const START_ATTEMPTS = 5;

/** The file of the built program that corresponds to a source. */
export function builtFile(path: string): string {
  const file = fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));
  if (!existsSync(file)) throw new Error(`${path} is not built: run "npm run build" first`);
  return file;
}

/** The real program, in a process of its own. */
export async function startRelayProcess(
  redisUrl: string,
  more: Readonly<Record<string, string>> = {},
): Promise<RelayProcess> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort();
    const settings = {
      // The embedded engine belongs to one process, which serves both.
      ROLE: redisUrl === '' ? 'all' : 'relay',
      HOST: '127.0.0.1',
      PORT: `${port}`,
      VOTE_PORT: '0',
      REDIS_URL: redisUrl,
      LOG_LEVEL: 'error',
      ...more,
    };
    const child = spawnKept(process.execPath, [builtFile('start/main.js')], {
      env: { ...process.env, ...settings },
    });
    const url = `http://127.0.0.1:${port}`;
    const answers = () =>
      fetch(`${url}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(async () => hasEnded(child) || (await answers()), 'the relay to listen', START_TIMEOUT_MS);
    if (!hasEnded(child))
      return {
        url,
        wsUrl: url.replace('http', 'ws'),
        freeze: () => void child.kill('SIGSTOP'),
        thaw: () => void child.kill('SIGCONT'),
        stop: () => kill(child, 'SIGTERM'),
        kill: () => kill(child),
      };
    // Another process took the port first.
    const isTaken = /EADDRINUSE|in use/.test(logOf(child));
    if (!isTaken || attempt === START_ATTEMPTS) throw new Error(`the relay has ended: ${logOf(child)}`);
  }
}
