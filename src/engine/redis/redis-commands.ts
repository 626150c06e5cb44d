import { readFileSync } from 'node:fs';
import type { Cluster, Redis } from 'ioredis';
import { PollError } from '../../poll/poll-error.ts';

/** The scripts in `commands/`: `verb-noun-<number of keys>.lua`. Their headers document them. */

const FOLDER = new URL('./commands/', import.meta.url);
/** By name, because the folder of a build may hold files of earlier builds. */
const FILES: Record<CommandName, `${string}.lua`> = {
  createPoll: 'create-poll-1.lua',
  readPoll: 'read-poll-1.lua',
  castBallots: 'cast-ballots-1.lua',
  changeBallot: 'change-ballot-1.lua',
  changePoll: 'change-poll-1.lua',
  changePollWithImage: 'change-poll-1.lua',
  beginRound: 'begin-round-2.lua',
  dropRound: 'drop-round-2.lua',
  voidBallots: 'void-ballots-1.lua',
  replaceLog: 'replace-log-1.lua',
  keepPoll: 'keep-poll-1.lua',
  removePoll: 'remove-poll-2.lua',
  expirePoll: 'expire-poll-2.lua',
  addComment: 'add-comment-2.lua',
  replaceRecord: 'replace-record-1.lua',
  spendRecord: 'spend-record-1.lua',
  copyPoll: 'copy-poll-3.lua',
  addPoll: 'add-poll-2.lua',
  markEvent: 'mark-event-1.lua',
  tellEvents: 'tell-events-4.lua',
  markDeleted: 'mark-deleted-1.lua',
};

/** For each ballot the version after it if it was accepted, otherwise the reason. */
export type CastReply = readonly (string | number)[];

export interface CommandReplies {
  createPoll: 0 | 1;
  readPoll: string | null;
  castBallots: CastReply;
  changeBallot: CastReply;
  changePoll: 0 | 1;
  /** Fails without memory left. */
  changePollWithImage: 0 | 1;
  beginRound: 0 | 1;
  dropRound: 0 | 1;
  voidBallots: 0 | 1;
  replaceLog: 0 | 1;
  /** UNIX times in milliseconds of Redis' own expiry and of the next sweep of the poll; 0 for never. */
  keepPoll: [expiresAtMs: number, dueAtMs: number] | null;
  removePoll: 0 | 1;
  /** 0 if it is gone, -1 if it never expires, otherwise the UNIX time in milliseconds. */
  expirePoll: number;
  /** `expiresAtMs` is negative for never. */
  addComment: readonly [length: number, expiresAtMs: number] | null;
  replaceRecord: 0 | 1;
  spendRecord: 0 | 1;
  /** Redis' own expiry of the poll, and its comments, newest first; null if there is no such poll. */
  copyPoll: [expiresAtMs: number, ...comments: string[]] | null;
  addPoll: 0 | 1;
  markEvent: 1;
  tellEvents: 0 | 1;
  markDeleted: 1;
}

export type CommandName = keyof CommandReplies;

export type Commands = {
  [Name in CommandName]: (...keysAndArguments: (string | number)[]) => Promise<CommandReplies[Name]>;
};

export type CommandClient = (Redis | Cluster) & Commands;
export type NodeClient = Redis & Commands;

const COMMANDS = Object.entries(FILES).map(([name, file]) => ({
  name,
  numberOfKeys: Number.parseInt(file.slice(file.lastIndexOf('-') + 1), 10),
  lua: scriptIn(file, name),
}));

function scriptIn(file: string, name: string): string {
  const lua = readFileSync(new URL(file, FOLDER), 'utf8');
  return name === 'changePollWithImage' ? lua.replace(' flags=allow-oom', '') : lua;
}

/** Adds every script to a client, which loads them on demand: on new connections and nodes, and after SCRIPT FLUSH. */
export function defineCommands<Client extends Redis | Cluster>(client: Client): Client & Commands {
  for (const command of COMMANDS) client.defineCommand(command.name, command);
  return client as Client & Commands;
}

/**
 * Corks the connection for this turn, so that its commands share a system call; each still succeeds
 * or fails by itself.
 */
export function writeTogether(client: Redis | Cluster): void {
  const stream = openStream(client);
  if (!stream || stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

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

/** Undefined for a cluster, which picks a stream for each command. */
function openStream(client: Redis | Cluster): Redis['stream'] | undefined {
  return client.status === 'ready' && 'stream' in client ? client.stream : undefined;
}

export const NO_PRIMARY = 'no connection to a primary';
export const TOO_MANY_UNANSWERED = 'too many commands are unanswered';

/** The `PollError` for any fault of Redis, which is its cause. */
export function engineUnavailable(cause: unknown, message?: string): PollError {
  if (cause instanceof PollError) return cause;
  // ioredis attaches the command, and voter keys and names must not be logged.
  if (cause instanceof Error && 'command' in cause) delete cause.command;
  return new PollError('engine_unavailable', { cause, ...(message !== undefined && { message }) });
}
