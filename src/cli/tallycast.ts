#!/usr/bin/env node
import { Command, InvalidArgumentError, Option } from 'commander';
import { CommandFailure } from './command-failure.ts';
import { pollTarget } from './poll-target.ts';
import { showCommand } from './show-command.ts';
import { watchCommand } from './watch-command.ts';

/** The commands of a person at a terminal. */

const relayOption = new Option('--relay <url>', 'where the relay is')
  .env('TALLYCAST_RELAY')
  .default('http://127.0.0.1:8080');
const interrupted = new AbortController();

const program = new Command('tallycast').description('Live poll results at a terminal');

program
  .command('watch')
  .description('draw the live bars of a poll')
  .argument('<poll>', 'id or URL of the poll')
  .addOption(relayOption)
  .addOption(new Option('--key <key>', "the poll's view key or admin key, where the results are hidden"))
  .option('--once', 'draw the results once and end', false)
  .option('--plain', 'one line for each update', false)
  .action(async (poll: string, { relay, key, once, plain }) => {
    const target = pollTarget(poll, relay);
    await watchCommand({ url: target.url, key: key ?? target.key, once, plain, signal: interrupted.signal });
  });

program
  .command('show')
  .description('point a show to a poll, for all overlays that follow it')
  .argument('<show>', 'name of the show: a-z, 0-9 and -')
  .argument('<poll>', 'id or URL of the poll, or "none"')
  .addOption(relayOption)
  .addOption(new Option('--key <key>', "the key of the show, or an operator's API key").env('TALLYCAST_KEY'))
  .action(async (show: string, poll: string, { relay, key }) => {
    const id = poll === 'none' ? null : pollTarget(poll, relay).id;
    await showCommand({ relay, show, id, key });
  });

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
// Whoever read the pipe has seen enough.
process.stdout.on('error', () => process.exit(0));

try {
  await program.parseAsync();
  // Not waiting for farewells: a relay that hangs must not hold the terminal.
  process.exit(0);
} catch (error) {
  if (!(error instanceof CommandFailure || error instanceof InvalidArgumentError)) throw error;
  console.error(`tallycast: ${error.message}`);
  process.exit(1);
}
