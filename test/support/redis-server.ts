import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redisServerProgram } from './ensure-redis-server.ts';

export interface RedisServerOptions {
  /** Settings as redis-server takes them: `['--appendonly', 'yes']`. */
  readonly args?: readonly string[] | undefined;
  /** Kept on `stop()`; without it the server has a folder of its own that goes with it. */
  readonly dir?: string | undefined;
  readonly port?: number | undefined;
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
  /** SIGSTOP: the kernel still takes packets, nobody answers them. */
  pause(): void;
  resume(): void;
}

const START_TIMEOUT_MS = 10_000;
const RETRY_MS = 20;
const running = new Set<ChildProcess>();

// A test process that dies must not leave servers behind. Against its own SIGKILL there is the watchdog below.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A real redis-server on a free port of the loopback address, without persistence unless asked for. */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const port = options.port ?? (await findFreePort());
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'tallycast-redis-')));
  const args = options.args ?? [];
  let child = await launch(port, dir, args);

  const kill = async (signal: NodeJS.Signals) => {
    if (!running.has(child)) return;
    const exited = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill(signal);
    await exited;
  };

  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    dir,
    get process() {
      return child;
    },
    async stop() {
      await kill('SIGKILL');
      if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
    },
    kill9: () => kill('SIGKILL'),
    async restart() {
      await kill('SIGKILL');
      child = await launch(port, dir, args);
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  };
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port');
  return address.port;
}

async function launch(port: number, dir: string, args: readonly string[]): Promise<ChildProcess> {
  const settings = [
    '--port',
    `${port}`,
    '--bind',
    '127.0.0.1',
    '--dir',
    dir,
    '--save',
    '',
    '--daemonize',
    'no',
  ];
  const child = spawn(redisServerProgram(), [...settings, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      log = (log + chunk).slice(-4_000);
    });
  watch(child);

  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(port))) {
    if (!running.has(child) || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`redis-server did not start on port ${port}:\n${log}`);
    }
    await new Promise(resolve => setTimeout(resolve, RETRY_MS));
  }
  return child;
}

/** A shell that outlives this process just long enough to end the server, should this one be killed outright. */
function watch(child: ChildProcess): void {
  const script = `while kill -0 ${process.pid} && kill -0 ${child.pid}; do sleep 1; done; kill -9 ${child.pid}`;
  const watchdog = spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore' });
  child.once('exit', () => watchdog.kill('SIGKILL'));
  watchdog.unref();
}

/** True once it takes commands: while it loads its data it answers PING with an error. */
function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.setTimeout(500, () => socket.destroy());
    socket.once('data', data => {
      resolve(/^(\+PONG|-NOAUTH)/.test(data.toString()));
      socket.destroy();
    });
    socket.once('error', () => {});
    socket.once('close', () => resolve(false));
  });
}
