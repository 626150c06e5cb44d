import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { kill, logOf, said, spawnKept } from '../support/child-process.ts';

export const EXAMPLES = fileURLToPath(new URL('../../src/examples/', import.meta.url));
const PATIENCE_MS = 30_000;

export interface RunningExample {
  /** Resolves once the program has printed this. */
  prints(text: string | RegExp): Promise<void>;
  /** Everything that it has printed. */
  readonly printed: string;
}

/** Starts a program of `src/examples` as its first comment says. It ends with the test. */
export function runExample(
  command: readonly [program: string, file: string, ...args: string[]],
  env: Readonly<Record<string, string>> = {},
): RunningExample {
  const [program, file, ...args] = command;
  const child = spawnKept(program, [EXAMPLES + file, ...args], { env: { ...process.env, ...env } });
  onTestFinished(() => kill(child));
  return {
    prints: text => said(child, text, PATIENCE_MS),
    get printed() {
      return logOf(child);
    },
  };
}
