#!/usr/bin/env node
import { CommanderError, InvalidArgumentError } from 'commander';
import { buildProgram } from './program.ts';
import { CommandFailure, safeJson } from './terminal.ts';

const FAILED = 1;
const WRONG_USE = 2;
/** The only command that keeps running. */
const SERVE = 'serve';

// ioredis prints what it cannot do. The message of a command says it in one line, and the server's log has its own.
console.warn = () => {};
const program = buildProgram();
// Does not wait for open connections: a frozen relay must not block the terminal.
program.hook('postAction', (_, command) => void (command.name() === SERVE || process.exit()));
const given = process.argv.slice(2);
const args = given.length > 0 ? given : [SERVE];
// A closed pipe, as after `| head -1`, ends a command, but not the server.
if (!args.includes(SERVE)) process.stdout.on('error', () => process.exit(0));
program.parseAsync(args, { from: 'user' }).catch(fail);

function fail(error: unknown): void {
  if (error instanceof CommandFailure) end(error.message, FAILED, error.reply);
  if (error instanceof InvalidArgumentError) end(error.message, WRONG_USE);
  // Commander has already printed its message.
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : WRONG_USE);
  // An invalid setting, in a command that reads the server's.
  const { message, exitCode } = error as Error & { readonly exitCode?: number };
  if (exitCode === undefined) throw error;
  end(message, exitCode);
}

function end(message: string, exitCode: number, reply?: CommandFailure['reply']): never {
  if (program.opts()['json'])
    console.log(safeJson({ success: 0, error: { code: 'failed', message, ...reply } }));
  console.error(`tallycast: ${message}`);
  process.exit(exitCode);
}
