#!/usr/bin/env node
import module from 'node:module';

// Before the imports below, so that Node keeps their compiled code for the next start. Node 20 has no such cache.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();
const { runCommandLine, SERVE } = await import('./program.ts');

// ioredis prints what it cannot do. The message of a command says it in one line, and the server's log has its own.
console.warn = () => {};
const given = process.argv.slice(2);
const args = given.length > 0 ? given : [SERVE];
if (!args.includes(SERVE)) process.stdout.on('error', endUnwritten);
// Does not wait for open connections: a frozen relay must not block the terminal. A failed write comes in this turn.
void runCommandLine(args).then(code => setImmediate(() => process.exit(code)));

/** A closed pipe, as after `| head -1`, ends a command well, but not the server. */
function endUnwritten({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') process.exit(0);
  console.error(`tallycast: the output cannot be written: ${message}`);
  process.exit(1);
}
