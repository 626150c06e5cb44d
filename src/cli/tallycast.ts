#!/usr/bin/env node
import { CommanderError, InvalidArgumentError } from 'commander';
import { buildProgram } from './program.ts';
import { CommandFailure } from './terminal.ts';

/** The program at a terminal. */

const FAILED = 1;
const WRONG_USE = 2;
/** The one command that goes on when it has begun. */
const SERVE = 'serve';

const program = buildProgram();
// Not waiting for farewells: a relay that hangs must not hold the terminal.
program.hook('postAction', (_, command) => void (command.name() === SERVE || process.exit()));
const given = process.argv.slice(2);
const args = given.length > 0 ? given : [SERVE];
// Whoever read the pipe has seen enough. A server has more to do than to be read.
if (!args.includes(SERVE)) process.stdout.on('error', () => process.exit(0));
program.parseAsync(args, { from: 'user' }).catch(fail);

function fail(error: unknown): void {
  if (error instanceof CommandFailure) end(error.message, FAILED, error.refusal);
  if (error instanceof InvalidArgumentError) end(error.message, WRONG_USE);
  // Has said its words itself.
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : WRONG_USE);
  // A setting that is faulty, where a command works with the server's.
  const { message, exitCode } = error as Error & { readonly exitCode?: number };
  if (exitCode === undefined) throw error;
  end(message, exitCode);
}

function end(message: string, exitCode: number, refusal?: CommandFailure['refusal']): never {
  if (program.opts()['json'])
    console.log(JSON.stringify({ success: 0, error: { code: 'failed', message, ...refusal } }));
  console.error(`tallycast: ${message}`);
  process.exit(exitCode);
}
