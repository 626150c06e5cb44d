import { once } from 'node:events';
import { hasEnded, logOf, spawnKept } from '../support/child-process.ts';
import { builtFile } from '../support/relay-process.ts';

export interface CommandOutcome {
  readonly code: number | null;
  /** Both outputs together. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  readonly json: any;
}

/** A command of the built program, with `--json`, to its end. @param settings those of the server */
export async function runCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<CommandOutcome> {
  const child = spawnKept(process.execPath, [builtFile('tallycast.js'), '--json', ...args], {
    env: { PATH: process.env['PATH'], ...settings },
  });
  if (!hasEnded(child)) await once(child, 'close');
  const text = logOf(child);
  const line = text.split('\n').find(each => each.startsWith('{'));
  return { code: child.exitCode, text, json: line === undefined ? undefined : JSON.parse(line) };
}
