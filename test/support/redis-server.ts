import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill, said, spawnKept } from './child-process.ts';
import { findFreePort } from './free-port.ts';
import { programPath } from './programs.ts';

export interface RedisServerOptions {
  /** Settings as redis-server takes them: `['--appendonly', 'yes']`. */
  readonly args?: readonly string[] | undefined;
  /** Kept on `stop()`; without it the server has a folder of its own that goes with it. */
  readonly dir?: string | undefined;
  readonly port?: number | undefined;
  /** A file that may not grow any more is an error to it, as on a full disk, and not its end. */
  readonly survivesFullDisk?: boolean | undefined;
  /** A Sentinel's own configuration file, into which it writes what it learns. */
  readonly sentinel?: string | undefined;
}

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Where it keeps its data. */
  readonly dir: string;
  readonly process: ChildProcess;
  /** Ends the server and removes its folder. */
  stop(): Promise<void>;
  /** SIGKILL: no goodbye, no last write. */
  kill9(): Promise<void>;
  /** Starts it again on the same port and folder, killing it first where it still runs. */
  restart(): Promise<void>;
  /** SIGSTOP: the kernel still takes packets, but there are no replies. */
  pause(): void;
  resume(): void;
}

const START_TIMEOUT_MS = 20_000;
const START_ATTEMPTS = 5;
const IGNORING_FILE_LIMIT = ['/bin/sh', '-c', 'trap "" XFSZ; exec "$@"', 'sh'];
const OWN_SETTINGS = ['--save', '', '--daemonize', 'no'];

/** A real redis-server on a free port of the loopback address, without persistence unless asked for. */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'tallycast-redis-')));
  const { sentinel, args: given = [], survivesFullDisk = false } = options;
  const program = survivesFullDisk ? IGNORING_FILE_LIMIT : [];
  const args = sentinel === undefined ? [...OWN_SETTINGS, ...given] : [sentinel, '--sentinel', ...given];
  const first = await launchOnFreePort(options.port, dir, args, program);
  const { port } = first;
  let { child } = first;

  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    dir,
    get process() {
      return child;
    },
    async stop() {
      await kill(child);
      if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
    },
    kill9: () => kill(child),
    async restart() {
      await kill(child);
      child = await launch(port, dir, args, program);
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  };
}

/** Another process may take the port first: then another one is tried. */
async function launchOnFreePort(
  wished: number | undefined,
  dir: string,
  args: readonly string[],
  prefix: readonly string[],
): Promise<{ port: number; child: ChildProcess }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = wished ?? (await findFreePort());
    try {
      return { port, child: await launch(port, dir, args, prefix) };
    } catch (error) {
      const isTaken = (error as Error).message.includes('Address already in use');
      if (!isTaken || wished !== undefined || attempt === START_ATTEMPTS) throw error;
    }
  }
}

async function launch(
  port: number,
  dir: string,
  args: readonly string[],
  prefix: readonly string[],
): Promise<ChildProcess> {
  const address = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', dir];
  const [program, ...rest] = [...prefix, programPath('redis-server'), ...args, ...address];
  const child = spawnKept(program as string, rest);
  try {
    // Its own log line, because another server may answer at the port. It appears once the data is loaded.
    await said(
      child,
      args.includes('--sentinel') ? 'Sentinel ID is' : 'Ready to accept connections',
      START_TIMEOUT_MS,
    );
  } catch (cause) {
    await kill(child);
    throw new Error(`redis-server did not start on port ${port}: ${(cause as Error).message}`, { cause });
  }
  return child;
}
