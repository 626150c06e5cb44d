import type { Command } from 'commander';

/** What a command has to say: the relay's own reply for programs, lines for people. */
export function print(command: Command, reply: unknown, lines: readonly string[]): void {
  console.log(command.optsWithGlobals()['json'] ? JSON.stringify(reply) : lines.join('\n'));
}
