import { readFileSync } from 'node:fs';

/** What this process may open: each connection, each file and each module takes a descriptor. */

/** With fewer the program's own modules may not even load. */
const LEAST = 100;
/** What the program has open without a single visitor. */
const OWN = 40;
/** Fewer are used up by one evening's audience; most systems allow far more to who asks. */
const COMFORTABLE = 4_096;

/** One thing that a start was looked over for. */
export interface Finding {
  readonly check: 'limits' | 'settings' | 'engine' | 'port';
  readonly status: 'ok' | 'warning' | 'failed';
  /** One line. */
  readonly message: string;
  /** What the program would end with; 1 where it is left out. */
  readonly exitCode?: number;
}

/** @throws Error in one line where the program could not run at all */
export function requireOpenFiles(limit = openFilesLimit()): void {
  if (limit < LEAST)
    throw new Error(
      `This process may open only ${limit} files and connections, and needs ${LEAST} to start. ${ADVICE}`,
    );
}

/** @returns a warning with the numbers, where the audience would soon stand before a closed door */
export function openFilesWarning(limit = openFilesLimit()): string | undefined {
  if (limit >= COMFORTABLE) return undefined;
  return `This process may open only ${limit} files and connections: about ${Math.max(0, limit - OWN)} people can be connected at a time. ${ADVICE}`;
}

export function checkOpenFiles(limit = openFilesLimit()): Finding {
  const check = 'limits';
  try {
    requireOpenFiles(limit);
  } catch (error) {
    return { check, status: 'failed', message: (error as Error).message };
  }
  const warning = openFilesWarning(limit);
  if (warning !== undefined) return { check, status: 'warning', message: warning };
  return { check, status: 'ok', message: `${limit.toLocaleString('en')} files and connections` };
}

const ADVICE = 'Raise the limit: `ulimit -n 65536`, LimitNOFILE in systemd, `ulimits: nofile` in compose.';

/**
 * How many connections each server of this process may have at a time. The rest is for the engine, which must be able to come back
 * when it was lost, however many people watch.
 */
export function connectionsOfEach(servers: number, limit = openFilesLimit()): number {
  return Math.max(1, Math.floor((limit - OWN) / servers));
}

/** Node raises it to the hard limit by itself. Where the system does not tell, none is assumed. */
function openFilesLimit(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
