import type { Ballot, BallotReceipt } from '../../poll/ballot.ts';
import type { Engine } from '../engine.ts';
import { CommandsInFlight } from './commands-in-flight.ts';
import { RedisComments } from './redis-comments.ts';
import { RedisConnections } from './redis-connections.ts';
import { RedisHints } from './redis-hints.ts';
import { type RedisKeys, redisKeys } from './redis-keys.ts';
import { RedisPolls } from './redis-polls.ts';
import { RedisRecords } from './redis-records.ts';

export interface RedisEngineOptions {
  /** `redis://` or `rediss://` */
  readonly redisUrl: string;
  readonly prefix: string;
  /** `replicated` acknowledges a ballot only once a replica holds it, too. */
  readonly durability: 'fast' | 'replicated';
  /** 0 keeps polls for ever. */
  readonly retentionDays: number;
  readonly onError?: ((error: Error) => void) | undefined;
}

const DAY_MS = 86_400_000;

/** @throws Error in one line where Redis cannot be reached within five seconds or is older than 7 */
export async function openRedisEngine(options: RedisEngineOptions): Promise<RedisEngine> {
  const connections = new RedisConnections({
    redisUrl: options.redisUrl,
    withBallots: options.durability === 'replicated',
    onError: options.onError ?? (() => {}),
  });
  await connections.open();
  return new RedisEngine(connections, redisKeys(options.prefix), options);
}

export class RedisEngine implements Engine {
  readonly polls: RedisPolls;
  readonly hints: RedisHints;
  readonly records: RedisRecords;
  readonly comments: RedisComments;
  readonly #connections: RedisConnections;

  constructor(
    connections: RedisConnections,
    keys: RedisKeys,
    { retentionDays, onError = () => {} }: RedisEngineOptions,
  ) {
    const commands = new CommandsInFlight(connections.commands);
    this.#connections = connections;
    this.hints = new RedisHints(connections, commands, keys.channel);
    this.polls = new RedisPolls({
      connections,
      commands,
      keys,
      retentionMs: retentionDays * DAY_MS,
      onError,
    });
    this.records = new RedisRecords(commands, keys, connections.publish === 'SPUBLISH');
    this.comments = new RedisComments(commands, keys, connections.publish);
  }

  castBallot(ballot: Ballot): Promise<BallotReceipt> {
    return this.polls.cast(ballot);
  }

  async close(): Promise<void> {
    // The ballots of this turn leave at its end.
    await new Promise(setImmediate);
    await this.#connections.close();
  }
}
