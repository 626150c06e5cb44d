import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import type { BallotOutcome } from '../../poll/ballot.ts';

/** The scripts in `commands/`: `verb-noun-<number of keys>.lua`. Each file documents itself. */

const FOLDER = new URL('./commands/', import.meta.url);
/** By name, because a build leaves files of earlier builds where they are: what lies in the folder may be outdated. */
const FILES: Record<CommandName, `${string}.lua`> = {
  createPoll: 'create-poll-2.lua',
  readPoll: 'read-poll-1.lua',
  castBallots: 'cast-ballots-6.lua',
  changePoll: 'change-poll-6.lua',
  removePoll: 'remove-poll-6.lua',
  renewEpoch: 'renew-epoch-1.lua',
  addComment: 'add-comment-2.lua',
};

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
  return Object.entries(FILES).map(([name, file]) => ({
    name,
    numberOfKeys: Number.parseInt(file.slice(file.lastIndexOf('-') + 1), 10),
    lua: readFileSync(new URL(file, FOLDER), 'utf8'),
  }));
}

const COMMANDS = readCommands();
