import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findFreePort } from './redis-server.ts';
import { until } from './until.ts';

export interface RelayProcess {
  readonly url: string;
  readonly wsUrl: string;
  stop(): Promise<void>;
}

/** The file of the built program that corresponds to a source. */
export function builtFile(path: string): string {
  const file = fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));
  if (!existsSync(file)) throw new Error(`${path} is not built: run "npm run build" first`);
  return file;
}

/** The real program, in a process of its own. */
export async function startRelayProcess(redisUrl: string): Promise<RelayProcess> {
  const port = await findFreePort();
  const env = {
    ...process.env,
    ROLE: 'relay',
    HOST: '127.0.0.1',
    PORT: `${port}`,
    REDIS_URL: redisUrl,
    LOG_LEVEL: 'error',
  };
  const child: ChildProcess = spawn(process.execPath, [builtFile('main.js')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', chunk => {
      log += chunk;
    });
  const url = `http://127.0.0.1:${port}`;
  await until(() => {
    if (child.exitCode !== null) throw new Error(`the relay has ended: ${log}`);
    return fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  }, 'the relay to listen');
  return {
    url,
    wsUrl: url.replace('http', 'ws'),
    async stop() {
      if (child.exitCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}
