import { readFileSync } from 'node:fs';
import type { Cluster, Redis } from 'ioredis';
import { PollError } from '../../poll/poll-error.ts';

/** The scripts in `commands/`: `verb-noun-<number of keys>.lua`. Each file documents itself. */

const FOLDER = new URL('./commands/', import.meta.url);
/** By name, because a build leaves files of earlier builds where they are: what lies in the folder may be outdated. */
const FILES: Record<CommandName, `${string}.lua`> = {
  createPoll: 'create-poll-1.lua',
  readPoll: 'read-poll-1.lua',
  castBallots: 'cast-ballots-1.lua',
  changePoll: 'change-poll-1.lua',
  keepPoll: 'keep-poll-1.lua',
  removePoll: 'remove-poll-2.lua',
  expirePoll: 'expire-poll-2.lua',
  addComment: 'add-comment-2.lua',
  replaceRecord: 'replace-record-1.lua',
  spendRecord: 'spend-record-1.lua',
  copyPoll: 'copy-poll-3.lua',
  addPoll: 'add-poll-2.lua',
};

type Argument = string | number;

/** Of each ballot in turn: the version after it where it was accepted, otherwise why not. */
export type CastReply = readonly (string | number)[];

export interface CommandReplies {
  createPoll: 0 | 1;
  readPoll: string | null;
  castBallots: CastReply;
  changePoll: 0 | 1;
  /** UNIX time in milliseconds at which Redis lets the poll go, and at which a sweep looks at it; 0 for never. */
  keepPoll: [goesAtMs: number, dueAtMs: number] | null;
  removePoll: 0 | 1;
  /** 0 where it is gone, -1 where it never goes, otherwise when, UNIX time in milliseconds. */
  expirePoll: number;
  /** Negative where the poll never goes. */
  addComment: readonly [length: number, goesAtMs: number] | null;
  replaceRecord: 0 | 1;
  spendRecord: 0 | 1;
  /** When Redis lets the poll go, and its comments, newest first; null where there is no such poll. */
  copyPoll: [goesAtMs: number, ...comments: string[]] | null;
  addPoll: 0 | 1;
}

export type CommandName = keyof CommandReplies;

export type Commands = {
  [Name in CommandName]: (...keysAndArguments: Argument[]) => Promise<CommandReplies[Name]>;
};

export type CommandClient = (Redis | Cluster) & Commands;
/** To one server, or one node of a cluster. */
export type NodeClient = Redis & Commands;

/** Adds every script to a client, which loads them on demand, on each new connection, node and after SCRIPT FLUSH. */
export function defineCommands<Client extends Redis | Cluster>(client: Client): Client & Commands {
  for (const command of COMMANDS) client.defineCommand(command.name, command);
  return client as Client & Commands;
}

function readCommands() {
  return Object.entries(FILES).map(([name, file]) => ({
    name,
    numberOfKeys: Number.parseInt(file.slice(file.lastIndexOf('-') + 1), 10),
    lua: readFileSync(new URL(file, FOLDER), 'utf8'),
  }));
}

const COMMANDS = readCommands();

/**
 * Holds back what is written in this turn of the event loop and sends it as one: under load a system call for each
 * command costs more than the command. Call it before a command. Unlike a pipeline it changes nothing but the write:
 * each command still succeeds, fails and times out by itself.
 */
export function writeTogether(client: Redis | Cluster): void {
  const stream = openStream(client);
  if (!stream || stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/** The same for the commands of one function, which leave when it returns. */
export function writeAtOnce<Sent>(client: Redis | Cluster, send: () => Sent): Sent {
  const stream = openStream(client);
  if (!stream) return send();
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}

/** A cluster has a stream for each node, and which one a command takes is its own affair. */
function openStream(client: Redis | Cluster): Redis['stream'] | undefined {
  return client.status === 'ready' && 'stream' in client ? client.stream : undefined;
}

/** Causes that come from no command. */
export const NO_PRIMARY = 'no connection to a primary';
export const TOO_MANY_UNANSWERED = 'too many commands are unanswered';

/** Whatever went wrong below the port: callers learn that the engine cannot answer, logs learn why. */
export function engineUnavailable(cause: unknown, message?: string): PollError {
  if (cause instanceof PollError) return cause;
  // ioredis hangs the whole command on its errors: voter keys and names have no business in a log.
  if (cause instanceof Error && 'command' in cause) delete cause.command;
  return new PollError('engine_unavailable', { cause, ...(message !== undefined && { message }) });
}
