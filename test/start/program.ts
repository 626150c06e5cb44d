import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { closed, kill, logOf, said, spawnKept } from '../support/child-process.ts';
import { findFreePort } from '../support/free-port.ts';
import { builtFile } from '../support/relay-process.ts';

const START_MS = 60_000;
/** A whole line: of JSON, or of the welcome at a terminal. */
const RUNNING = /(?:server listening|Tallycast is running)[^\n]*\n/;

/** A line of the log, in JSON. */
export interface LogLine {
  readonly level: string;
  readonly time: string;
  readonly msg: string;
  readonly [member: string]: unknown;
}

export interface Program {
  readonly child: ChildProcess;
  readonly url: string;
  readonly voteUrl: string;
  readonly log: string;
  /** The log as far as whole lines have come. */
  readonly lines: readonly LogLine[];
  /** Waits until it says that it is running. */
  running(): Promise<void>;
  /** Waits for its end. @returns the exit code, `null` after a signal */
  ended(): Promise<number | null>;
}

export interface ProgramOptions {
  /** Default: node and the built program. */
  readonly command?: readonly string[];
  /** A process group of its own, as a terminal gives one. */
  readonly detached?: boolean;
  /** `ulimit -n`. */
  readonly openFiles?: number;
  /** A module that is loaded first, as source text. */
  readonly preload?: string;
}

/**
 * The whole program as a person starts it, on free ports and with data of its own; it ends with the
 * test at the latest.
 */
export async function startProgram(
  settings: Readonly<Record<string, string>> = {},
  {
    command = [process.execPath, builtFile('start/main.js')],
    detached,
    openFiles,
    preload,
  }: ProgramOptions = {},
): Promise<Program> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-start-'));
  const [port, votePort] = [await findFreePort(), await findFreePort()];
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    PORT: `${port}`,
    VOTE_PORT: `${votePort}`,
    DATA_DIR: dataDir,
    ...settings,
  };
  if (preload) env['NODE_OPTIONS'] = `--import=data:text/javascript,${encodeURIComponent(preload)}`;
  const limited = openFiles
    ? ['/bin/sh', '-c', `ulimit -n ${openFiles}; exec "$@"`, 'sh', ...command]
    : command;
  const child = spawnKept(limited[0] as string, limited.slice(1), { env, ...(detached && { detached }) });
  onTestFinished(async () => {
    await kill(child);
    await rm(dataDir, { recursive: true, force: true });
  });
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    voteUrl: `http://127.0.0.1:${votePort}`,
    get log() {
      return logOf(child);
    },
    get lines() {
      const whole = logOf(child).split('\n').slice(0, -1);
      return whole.filter(line => line.startsWith('{')).map(line => JSON.parse(line) as LogLine);
    },
    running: () => said(child, RUNNING, START_MS),
    async ended() {
      await closed(child, START_MS);
      return child.exitCode;
    },
  };
}
