import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchFile } from '../contender/locations.ts';
import { findProgram } from './children.ts';

/** What is written in C, because Node would be measured instead of what it measures. */

const compiled = new Map<string, string>();

export function compilerObstacle(): string | undefined {
  return findProgram('cc') ? undefined : 'there is no C compiler here';
}

/** @returns the program of a file of the benches, compiled once in a run */
export function compile(...path: string[]): string {
  const source = benchFile(...path);
  const known = compiled.get(source);
  if (known) return known;
  const folder = mkdtempSync(join(tmpdir(), 'tallycast-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'program');
  execFileSync('cc', ['-O2', '-o', program, source], { stdio: ['ignore', 2, 2] });
  compiled.set(source, program);
  return program;
}
