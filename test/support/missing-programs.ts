import type { Reporter, TestModule } from 'vitest/node';
import { adviceFor, findProgram, PROGRAMS, type ProgramName } from './programs.ts';

const names = Object.keys(PROGRAMS) as ProgramName[];

/**
 * Tags of the programs that tests need. A test is skipped if its program is missing, except in CI.
 *
 * @throws Error in CI, if a program is missing
 */
export function programTags() {
  const missing = new Set(names.filter(name => !findProgram(name)));
  if (process.env['CI'] && missing.size > 0) {
    throw new Error(`CI needs ${[...missing].join(', ')}. Run .ci/setup.`);
  }
  return names.map(name => ({ name, description: `needs ${name}`, skip: missing.has(name) }));
}

/** Prints at the end of a run how many tests were skipped for each missing program, and how to run them. */
export class MissingPrograms implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = new Map<ProgramName, number>();
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const program = names.find(name => test.tags.includes(name) && !findProgram(name));
        if (program) skipped.set(program, (skipped.get(program) ?? 0) + 1);
      }
    }
    for (const [program, count] of skipped) {
      process.stdout.write(`${count} tests skipped: no ${program}. ${adviceFor(program)}\n`);
    }
  }
}
