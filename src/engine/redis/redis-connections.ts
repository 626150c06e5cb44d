import type { Cluster, Redis } from 'ioredis';
import type { CommandClient, NodeClient } from './redis-commands.ts';
import type { RedisAccess } from './redis-profile.ts';

export interface ConnectionOptions extends RedisAccess {
  /** Adds connections for casting alone, because WAIT blocks the one it is sent on. */
  readonly withBallots: boolean;
  /** Told of every fault of a connection, and of settings that are dangerous. */
  readonly onError: (error: Error) => void;
}

/** A server that holds polls. */
export interface Shard {
  /** Undefined where it is not there, or where nobody owns some slots. */
  readonly client: Redis | undefined;
  /** Whether it holds this key. */
  readonly owns: (key: string) => boolean;
}

/** What an engine needs of its connections, whatever `REDIS_URL` names: one server, a Sentinel's primary or a cluster. */
export interface RedisConnections {
  /** For everything but hints and ballots that wait for a replica. */
  readonly commands: CommandClient;
  /** In cluster mode a PUBLISH goes to every node, an SPUBLISH to the one that holds the poll. */
  readonly publish: 'PUBLISH' | 'SPUBLISH';
  /** False while the server may be a replica, whose answers are old: nothing may be read then. */
  readonly isPrimary: boolean;

  /** Every server that polls are spread over, at present. */
  readonly shards: readonly Shard[];

  /** For what is asked without a key: a cluster would be asked at any node, also one that is not there. */
  readonly clock: Redis | Cluster;

  /** Every connection that listens at present. */
  readonly listeners: Iterable<Redis>;

  /** The connection that hears of a channel; undefined while nobody is known to hold it. Asked anew for each subscription. */
  listenerOf(channel: string): Redis | undefined;

  /** The connection on which ballots for a poll's key wait for a replica; undefined where none were asked for. */
  ballotsOf(key: string): NodeClient | undefined;

  /** Calls back with the channel of each hint. */
  onHint(listener: (channel: string) => void): void;

  /** @param resubscribe runs after each reconnect, before the engine counts as available. Where it rejects, it is tried again */
  onRecovery(resubscribe: () => Promise<void>): void;

  /** Calls back where channels may have moved to another listener, or `lost` no longer hears anything. */
  onMoved(listener: (lost?: Redis) => void): void;

  /** Asks anew who owns what, after a sign that it has changed. */
  refreshOwners(): void;

  /** False when the engine was lost, true when it is back and every channel is subscribed to again. */
  onAvailability(listener: (available: boolean) => void): void;

  close(): Promise<void>;
}
