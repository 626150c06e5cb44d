import type { Command } from 'commander';
import { addRelayOptions, keyFor, pollTarget, type RelayOptions } from './relay-request.ts';
import { examples } from './terminal.ts';

interface WatchOptions extends RelayOptions {
  readonly once: boolean;
  readonly plain: boolean;
  readonly json?: boolean;
}

export function addWatchCommand(program: Command): void {
  const watch = program
    .command('watch')
    .description('draw the live bars of a poll')
    .argument('<poll>', 'id or URL of the poll')
    .option('--once', 'print the results once and exit', false)
    .option('--plain', 'print one line for each update', false)
    .addHelpText('after', HELP);
  addRelayOptions(watch, "the poll's view key or admin key, if the results are hidden").action(
    async (poll: string, _, command: Command) => {
      const options = command.optsWithGlobals<WatchOptions>();
      const target = pollTarget(poll, options.url);
      const { watchAtTerminal } = await import('./watch.ts');
      const interrupted = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
      const { once, plain, json = false } = options;
      const format = json ? 'json' : plain ? 'plain' : 'screen';
      await watchAtTerminal({
        url: target.url,
        key: keyFor(target, options),
        once,
        format,
        signal: interrupted.signal,
      });
    },
  );
}

const HELP = `
Draws bars on a terminal, and prints a line for each update into a pipe. --json prints each message of the live stream.
${examples(
  'tallycast watch <poll id>',
  'tallycast watch https://relay.example/overlay/<poll id>',
  'tallycast watch <poll id> --json | jq .total_votes',
)}`;
