import type { Cluster, Redis } from 'ioredis';
import { isPollId, type PollId, pollOfRound } from '../../poll/poll.ts';
import { NOT_WRITTEN } from '../../poll/poll-error.ts';
import {
  type CommandClient,
  engineUnavailable,
  NO_PRIMARY,
  type NodeClient,
  TOO_MANY_UNANSWERED,
  writeTogether,
} from './redis-commands.ts';

/** What the ports of the engine share: connections of any kind, the names of keys, and bounded commands. */

export interface Shard {
  /** Undefined if it is lost, or for slots without an owner. */
  readonly client: Redis | undefined;
  readonly owns: (key: string) => boolean;
}

/** Enough to find a name for every shard of a large cluster. */
const MAX_NAMES = 5_000;

/**
 * Finds a name, such as `health-7`, whose key is on the shard: in a cluster the name decides.
 * Undefined if it owns no slot.
 */
export function nameOn(
  owns: Shard['owns'],
  kind: string,
  keyOf: (name: string) => string,
): string | undefined {
  for (let number = 0; number < MAX_NAMES; number += 1)
    if (owns(keyOf(`${kind}-${number}`))) return `${kind}-${number}`;
  return undefined;
}

export interface RedisConnections {
  /** For everything except hints and ballots that wait for a replica. */
  readonly commands: CommandClient;
  /** In a cluster, PUBLISH reaches every node and SPUBLISH only the owner of the slot. */
  readonly publish: 'PUBLISH' | 'SPUBLISH';
  /** False while the server may be a replica, whose data is old. */
  readonly isPrimary: boolean;

  readonly shards: readonly Shard[];

  /** For commands without a key, which a cluster would send to any node, lost ones included. */
  readonly clock: Redis | Cluster;

  readonly subscribers: Iterable<Redis>;

  /** The connection to subscribe to a channel on now; undefined while its owner is unknown. */
  subscriberOf(channel: string): Redis | undefined;

  /** The connection for ballots of a poll's key; undefined without `withBallots`. */
  ballotClientOf(key: string): NodeClient | undefined;

  onHint(listener: (channel: string) => void): void;

  /** @param resubscribe called after each reconnect before the engine is available; retried if it rejects */
  onRecovery(resubscribe: () => Promise<void>): void;

  /** Calls back if channels may have moved to another subscriber, or if `lost` has lost its subscriptions. */
  onMoved(listener: (lost?: Redis) => void): void;

  /** Reads the owners of slots again, after a sign of a change. */
  refreshOwners(): void;

  onAvailability(listener: (available: boolean) => void): void;

  close(): Promise<void>;
}

/** Part of the name of a poll's hash. Raised with every change that older versions would read or write wrongly. */
export const FORMAT = '3';

/**
 * Names in Redis. The braces are a hash tag: a poll is on one node of a cluster, where one script
 * may use all of it.
 */
export interface RedisKeys {
  /** Begins all keys and channels. */
  readonly prefix: string;
  /** Ids of public polls, scored by creation. */
  readonly publicPolls: string;
  readonly format: string;
  /** Ids of polls that expire, scored by the time. */
  readonly retention: string;
  readonly patterns: { readonly polls: string; readonly records: string };
  /**
   * `poll` is one hash with everything except the comments, so that each step is one write. Each
   * earlier round has one of its own.
   */
  ofPoll(id: PollId): { readonly poll: string; readonly comments: string };
  record(name: string): string;
  /** One hash tag for all, because `tell` changes all of them. */
  readonly events: {
    readonly log: string;
    readonly states: string;
    readonly due: string;
    readonly polls: string;
  };
  /** Present for a time after a deletion. @param subject a poll's id, or `show:<name>` */
  deleted(subject: string): string;
  /** A temporary key on the poll's node. */
  aside(id: PollId, purpose: string): string;
  /** @param topic a poll's id, or a name with a colon such as `comments:<poll id>` */
  channel(topic: string): string;
}

/** In place of an id that no poll can have, which may be any text: reads find nothing under it. */
const NO_POLL = 'none';

export function redisKeys(prefix: string): RedisKeys {
  const glob = prefix.replaceAll(/[\\*?[\]]/g, '\\$&');
  const hash = `poll-${FORMAT}`;
  return {
    prefix,
    publicPolls: `${prefix}public-polls`,
    retention: `${prefix}retention`,
    format: `${prefix}format`,
    ofPoll(stored) {
      const { id: given, round } = pollOfRound(stored) ?? { id: stored };
      const id = isPollId(given) ? given : NO_POLL;
      const poll = `${prefix}{${id}}:${hash}`;
      const comments = `${prefix}{${id}}:comments`;
      return { poll: round === undefined ? poll : `${poll}~${round}`, comments };
    },
    record: name => `${prefix}record:${name}`,
    events: {
      log: `${prefix}{events}:log`,
      states: `${prefix}{events}:states`,
      due: `${prefix}{events}:due`,
      polls: `${prefix}{events}:polls`,
    },
    deleted: subject => `${prefix}{${subject}}:deleted`,
    aside: (id, purpose) => `${prefix}{${id}}:aside:${purpose}`,
    patterns: { polls: `${glob}{*}:${hash}`, records: `${glob}record:*` },
    channel: topic => {
      const colon = topic.indexOf(':');
      if (colon < 0) return `${prefix}{${pollOfRound(topic)?.id ?? topic}}:hints`;
      // The tag is the part after the colon, so that hints about comments come from the poll's node.
      return `${prefix}{${topic.slice(colon + 1)}}:hints:${topic.slice(0, colon)}`;
    },
  };
}

/** Beyond this many unanswered commands Redis does not keep up. */
const MAX_IN_FLIGHT = 10_000;

export class RedisStore {
  readonly connections: RedisConnections;
  readonly keys: RedisKeys;
  readonly onError: (error: Error) => void;
  #inFlight = 0;

  constructor(connections: RedisConnections, keys: RedisKeys, onError: (error: Error) => void = () => {}) {
    this.connections = connections;
    this.keys = keys;
    this.onError = onError;
  }

  /** Sends one command, or a few that belong together. @throws PollError `engine_unavailable` for any fault */
  async send<Reply>(command: (client: CommandClient) => Promise<Reply>, message?: string): Promise<Reply> {
    const { commands, isPrimary } = this.connections;
    if (!isPrimary) throw engineUnavailable(NO_PRIMARY, message);
    if (this.#inFlight >= MAX_IN_FLIGHT) throw engineUnavailable(TOO_MANY_UNANSWERED, message);
    this.#inFlight += 1;
    try {
      writeTogether(commands);
      return await command(commands);
    } catch (cause) {
      throw engineUnavailable(cause, message);
    } finally {
      this.#inFlight -= 1;
    }
  }

  write<Reply>(command: (client: CommandClient) => Promise<Reply>): Promise<Reply> {
    return this.send(command, NOT_WRITTEN);
  }

  /**
   * Reads fields of a round where it is: at the key of its poll until it ends.
   *
   * @param id of a poll, or by `idOfRound`
   */
  async readRound(id: PollId, fields: readonly string[]): Promise<(string | null)[]> {
    const { id: poll, round } = pollOfRound(id) ?? { id, round: undefined };
    const [present, ...values] = await this.send(client =>
      client.hmget(this.keys.ofPoll(poll).poll, 'round', ...fields),
    );
    if (round === undefined || `${round}` === (present ?? '1')) return values;
    return this.send(client => client.hmget(this.keys.ofPoll(id).poll, ...fields));
  }

  /** The arguments by which scripts publish a hint. */
  hintArgs(topic: string): [publish: string, channel: string] {
    return [this.connections.publish, this.keys.channel(topic)];
  }
}

/** @param time reply to TIME: seconds and microseconds */
export function timeToMs([seconds, microseconds]: readonly (number | string)[]): number {
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}
