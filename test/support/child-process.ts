import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from './until.ts';

const LOG_CHARACTERS = 100_000;

const logs = new WeakMap<ChildProcess, { text: string }>();
/** Ended, and its last words have come. */
const isClosed = new WeakSet<ChildProcess>();

/**
 * Starts a program that does not outlive this process, however that ends, and keeps the end of what it says.
 * @param options stdio is set here: nothing in, both outputs kept
 */
export function spawnKept(
  program: string,
  args: readonly string[],
  options: SpawnOptions = {},
): ChildProcess {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = { text: '' };
  logs.set(child, log);
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', chunk => {
      log.text = (log.text + chunk).slice(-LOG_CHARACTERS);
    });
  child.once('close', () => isClosed.add(child));
  child.once('error', ({ message }) => {
    log.text += message;
    isClosed.add(child);
  });
  guard(child);
  return child;
}

/** What the program said, both outputs together. */
export function logOf(child: ChildProcess): string {
  return logs.get(child)?.text ?? '';
}

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Resolves once the program has ended and its last words have come. */
export function closed(child: ChildProcess, patienceMs: number): Promise<void> {
  return until(() => isClosed.has(child), 'the end of the program', patienceMs);
}

/**
 * Resolves once the program has said so.
 * @throws Error with what it said instead, where it ends or takes too long
 */
export async function said(child: ChildProcess, text: string | RegExp, patienceMs: number): Promise<void> {
  const isSaid = () => (text instanceof RegExp ? text.test(logOf(child)) : logOf(child).includes(text));
  const wait = until(() => isSaid() || isClosed.has(child), `${text}`, patienceMs);
  await wait.catch(() => {});
  if (!isSaid()) throw new Error(logOf(child) || 'it said nothing');
}

/** Ends the program, stopped or not, and resolves once it has ended. SIGKILL unless told otherwise. */
export async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGCONT');
  child.kill(signal);
  await exited;
}

/**
 * A shell that waits for the end of a pipe from this process, which comes even with SIGKILL, and
 * ends the program then.
 */
function guard(child: ChildProcess): void {
  if (child.pid === undefined) return;
  const script = `read -r _; kill -9 ${child.pid}`;
  const shell = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.once('exit', () => shell.kill('SIGKILL'));
  shell.stdin.on('error', () => {});
  shell.unref();
}
