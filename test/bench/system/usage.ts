import { readdirSync, readFileSync } from 'node:fs';

/** What processes use, as the kernel counts it. */

/** `sysconf(_SC_CLK_TCK)`: 100 wherever Linux runs Node. The kernel rounds to it what it has counted in nanoseconds. */
const TICK_MS = 10;

/** User and system time of these processes so far, threads included. */
export function cpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = statFields(pid);
    return sum + (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS;
  }, 0);
}

/** Resident memory. */
export function rssBytes(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1];
    return sum + Number(kilobytes ?? 0) * 1_024;
  }, 0);
}

/** A process and all that it has started, and they in turn. */
export function withChildren(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc'))
    if (/^\d+$/.test(name)) parents.set(Number(name), Number(statFields(Number(name))[1]));
  const family = [pid];
  // Grows while it is walked.
  for (const member of family)
    for (const [child, parent] of parents) if (parent === member) family.push(child);
  return family;
}

/** From the third field of proc(5) on: the second is a name in parentheses that may hold blanks. */
function statFields(pid: number): string[] {
  const text = read(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
