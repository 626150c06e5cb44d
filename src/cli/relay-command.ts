import type { Argument, Command, Option } from 'commander';
import {
  addRelayOptions,
  askRelay,
  keyFor,
  type PollTarget,
  type RelayOptions,
  type RelayRequest,
} from './relay-request.ts';
import { examples, print } from './terminal.ts';

/** A command that sends requests about one poll or show, and prints the last reply. */
export interface RelayCommand {
  readonly what: string;
  /** Needed keys, where they are not those of most commands of the table. */
  readonly keys?: string;
  /** After the poll or show. */
  readonly args?: readonly Argument[];
  readonly options?: readonly Option[];
  readonly examples?: readonly string[];
  readonly send: (call: Call) => Promise<unknown>;
  /** Warnings, for stderr. */
  readonly warnings?: (reply: never, call: Call) => readonly string[];
  /** What is printed without `--json`. Absent if `send` prints the reply. */
  readonly lines?: (reply: never, call: Call) => readonly string[] | Promise<readonly string[]>;
}

/** A command while it runs. */
export interface Call {
  readonly self: Command;
  /** The poll or show, as it was given. */
  readonly subject: string;
  /** The arguments after it. */
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  /** URL of the relay. */
  readonly relay: string;
  /** @param path after the URL of the poll or show */
  readonly ask: <Reply>(
    method: NonNullable<RelayRequest['method']>,
    path?: string,
    body?: unknown,
  ) => Promise<Reply>;
}

/** Commands by name, and what they have in common. */
export interface CommandTable {
  readonly argument: Argument;
  readonly keys: string;
  readonly targetOf: (subject: string, relay: string) => Omit<PollTarget, 'id'>;
  /** Those of a command without any. */
  readonly examplesOf?: (name: string) => readonly string[];
  readonly commands: Readonly<Record<string, RelayCommand>>;
}

export function addRelayCommands(parent: Command, table: CommandTable): void {
  for (const [name, command] of Object.entries(table.commands)) {
    const { what, keys = table.keys, args = [], options = [] } = command;
    const { examples: given = table.examplesOf?.(name) } = command;
    const self = addRelayOptions(parent.command(name).description(what).addArgument(table.argument), keys);
    for (const argument of args) self.addArgument(argument);
    for (const option of options) self.addOption(option);
    if (given) self.addHelpText('after', examples(...given));
    self.action(async () => {
      const call = callOf(self, table);
      const reply = (await command.send(call)) as never;
      for (const warning of command.warnings?.(reply, call) ?? []) console.error(`tallycast: ${warning}`);
      if (command.lines) print(self, reply, await command.lines(reply, call));
    });
  }
}

function callOf(self: Command, { targetOf }: CommandTable): Call {
  const [subject = '', ...args] = self.args;
  const relay = self.optsWithGlobals<RelayOptions>();
  const target = targetOf(subject, relay.url);
  return {
    self,
    subject,
    args,
    options: self.opts(),
    relay: relay.url,
    ask: (method, path = '', body) =>
      askRelay(target.url + path, { method, body, key: keyFor(target, relay) }),
  };
}
