import { type ChildProcess, fork, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Calls } from './calls.ts';
import { WorkerProcess } from './calls.ts';

/** Every process that a run starts, none of which may outlive it. */

const running = new Set<ChildProcess>();

process.on('exit', endAll);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

export function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Starts a server that knows nothing of us. */
export function launch(program: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], ...options });
  keep(child);
  child.stdout?.resume();
  // Its last words, for the message when it did not start.
  child.stderr?.on('data', text => process.env['BENCH_DEBUG'] && process.stderr.write(text));
  watch(child);
  return child;
}

/** Starts one of our own `*.process.ts`, which ends by itself when this process does. */
export function startWorker<C extends Calls>(name: string, args: readonly string[] = []): WorkerProcess<C> {
  const file = fileURLToPath(new URL(`./${name}.process.mjs`, import.meta.url));
  const child = fork(file, args, { serialization: 'advanced' });
  keep(child);
  return new WorkerProcess<C>(child, name);
}

export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (!running.has(child)) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

export function findProgram(name: string): string | undefined {
  // Debian keeps servers where users do not look.
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders
    .map(folder => join(folder, name))
    .find(path => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

function keep(child: ChildProcess): void {
  running.add(child);
  child.on('error', () => running.delete(child));
  child.once('exit', () => running.delete(child));
}

/** A shell that lives just long enough to end the server, should this process be killed outright. */
function watch(child: ChildProcess): void {
  const script = `while kill -0 ${process.pid} && kill -0 ${child.pid}; do sleep 1; done; kill -9 ${child.pid}`;
  const watchdog = spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore' });
  child.once('exit', () => watchdog.kill('SIGKILL'));
  watchdog.unref();
}
