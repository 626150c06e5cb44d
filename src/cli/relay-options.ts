import { type Command, Option } from 'commander';
import { type PollTarget, relayUrl } from './poll-target.ts';

/** What every command says that talks to a relay. */
export interface RelayOptions {
  /** Without a slash at the end. */
  readonly url: string;
  readonly key?: string | undefined;
}

/** Where `npm start` puts it. */
const LOCAL = 'http://127.0.0.1:8080';

/** @param keys whose key it is, for the help */
export function addRelayOptions(command: Command, keys: string): Command {
  return command
    .addOption(
      new Option('--url <url>', 'where the relay is').env('TALLYCAST_URL').default(LOCAL).argParser(relayUrl),
    )
    .addOption(new Option('--key <key>', `${keys} (env: TALLYCAST_KEY)`));
}

/** The key of the command line, else the one in the poll's own URL, else the environment's. */
export function keyFor(target: PollTarget, { url, key }: RelayOptions): string | undefined {
  return key ?? target.key ?? environmentKey(target.url, url);
}

/** The environment's key is for the relay that `--url` names: a pasted address of somebody else's must not get it. */
export function environmentKey(
  asked: string,
  relay = process.env['TALLYCAST_URL'] ?? LOCAL,
): string | undefined {
  return new URL(asked).origin === new URL(relayUrl(relay)).origin ? process.env['TALLYCAST_KEY'] : undefined;
}
