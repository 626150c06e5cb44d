import { readdirSync, readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import type { BallotOutcome } from '../../poll/ballot.ts';

/** The scripts in `commands/`: `verb-noun-<number of keys>.lua` becomes `verbNoun`. Each file documents itself. */

const FOLDER = new URL('./commands/', import.meta.url);
const FILE_NAME = /^(?<name>[a-z-]+)-(?<keys>\d+)\.lua$/;

type Argument = string | number;

/** Outcome and version of each ballot in turn. */
export type CastReply = readonly (BallotOutcome | number)[];

export interface CommandReplies {
  createPoll: 0 | 1;
  readPoll: string | null;
  castBallots: CastReply;
  changePoll: 0 | 1;
  removePoll: 0 | 1;
  renewEpoch: 0 | 1;
  addComment: 0 | 1;
}

export type CommandName = keyof CommandReplies;

export type Commands = {
  [Name in CommandName]: (...keysAndArguments: Argument[]) => Promise<CommandReplies[Name]>;
};

export type CommandClient = Redis & Commands;

/** Adds every script to a client, which loads them on demand, on each new connection and after SCRIPT FLUSH. */
export function defineCommands(client: Redis): CommandClient {
  for (const command of COMMANDS) client.defineCommand(command.name, command);
  return client as CommandClient;
}

function readCommands() {
  return readdirSync(FOLDER).flatMap(file => {
    const match = FILE_NAME.exec(file)?.groups;
    if (!match) return [];
    const name = match['name']!.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    return [{ name, numberOfKeys: Number(match['keys']), lua: readFileSync(new URL(file, FOLDER), 'utf8') }];
  });
}

const COMMANDS = readCommands();
