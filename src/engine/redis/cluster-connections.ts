import calculateSlot from 'cluster-key-slot';
import type { Cluster, Redis } from 'ioredis';
import {
  type ConnectionEvents,
  type ConnectionOptions,
  closeConnection,
  createCluster,
  createConnection,
  openConnection,
  openOrClose,
} from './connection.ts';
import { type CommandClient, defineCommands, type NodeClient } from './redis-commands.ts';
import type { RedisConnections, Shard } from './redis-store.ts';
import { type ClusterTarget, describeTarget, type RedisAddress } from './redis-url.ts';
import { checkReplicas, checkServer } from './server-check.ts';

/**
 * A channel moves with its slot, and the old node only drops it. So owners are read every two
 * seconds and after signs of a move. The `shardedSubscribers` of ioredis drop a failed SSUBSCRIBE
 * and skip a slot that is back by the next read. `Hints.follow` MUST retry.
 */
export class ClusterConnections implements RedisConnections {
  readonly commands: CommandClient;
  readonly publish = 'SPUBLISH';
  readonly isPrimary = true;
  readonly #cluster: Cluster;
  readonly #options: ConnectionOptions;
  readonly #place: string;
  readonly #subscribers = new Map<string, Redis>();
  readonly #ballotClients = new Map<string, NodeClient>();
  readonly #availability: ((available: boolean) => void)[] = [];
  #hint: (channel: string) => void = () => {};
  #moved: (lost?: Redis) => void = () => {};
  #owners: readonly (string | undefined)[] = [];
  /** Subscribers that may have lost channels because a slot left their node. It may be back by now. */
  readonly #unsure = new Set<Redis>();
  #closing = false;

  private constructor(options: ConnectionOptions, target: ClusterTarget) {
    this.#options = options;
    this.#place = describeTarget(target);
    this.#cluster = createCluster(options, target, 'tallycast-commands');
    this.commands = defineCommands(this.#cluster);
    this.#cluster.on('error', options.onError);
    this.#cluster.on('node error', options.onError);
  }

  static async open(options: ConnectionOptions, target: ClusterTarget): Promise<ClusterConnections> {
    const connections = new ClusterConnections(options, target);
    return openOrClose(connections, () => connections.#open());
  }

  get clock(): Redis | Cluster {
    return this.#cluster.nodes('master').find(({ status }) => status === 'ready') ?? this.#cluster;
  }

  get shards(): Shard[] {
    const nodes = new Map(
      this.#cluster.nodes('master').map(node => [`${node.options.host}:${node.options.port}`, node]),
    );
    return [...new Set(this.#readOwners())].map(owner => ({
      client: owner === undefined ? undefined : nodes.get(owner),
      owns: key => this.#ownerOf(key) === owner,
    }));
  }

  get subscribers(): Iterable<Redis> {
    return this.#subscribers.values();
  }

  subscriberOf(channel: string): Redis | undefined {
    return this.#subscribers.get(this.#ownerOf(channel) ?? '');
  }

  ballotClientOf(key: string): NodeClient | undefined {
    return this.#ballotClients.get(this.#ownerOf(key) ?? '');
  }

  onHint(listener: (channel: string) => void): void {
    this.#hint = listener;
  }

  onRecovery(): void {}

  onMoved(listener: (lost?: Redis) => void): void {
    this.#moved = listener;
  }

  refreshOwners(): void {
    if (!this.#closing) this.#cluster.refreshSlotsCache();
  }

  onAvailability(listener: (available: boolean) => void): void {
    this.#availability.push(listener);
  }

  async close(): Promise<void> {
    this.#closing = true;
    const clients = [this.#cluster, ...this.#subscribers.values(), ...this.#ballotClients.values()];
    await Promise.all(clients.map(closeConnection));
  }

  async #open(): Promise<void> {
    const { target, onError } = this.#options;
    await openConnection(this.#cluster, this.#place, target.tls);
    for (const node of this.#cluster.nodes('master')) {
      if (node.status === 'wait') await openConnection(node, this.#place, target.tls);
      await checkServer(node, this.#place, true, onError);
      if (this.#options.withBallots) await checkReplicas(node, this.#place, onError);
    }
    this.#owners = this.#readOwners();
    const clients = [...new Set(this.#owners)].flatMap(owner => this.#addNode(owner));
    await Promise.all(clients.map(client => openConnection(client, this.#place, target.tls)));
    this.#cluster.on('refresh', () => {
      this.#compareOwners();
      for (const subscriber of this.#unsure) this.#moved(subscriber);
      this.#unsure.clear();
    });
    this.#cluster.on('close', () => this.#announce(false));
    this.#cluster.on('ready', () => this.#announce(true));
  }

  #ownerOf(key: string): string | undefined {
    return this.#cluster.slots[calculateSlot(key)]?.[0];
  }

  #readOwners(): (string | undefined)[] {
    return Array.from(this.#cluster.slots, nodes => nodes?.[0]);
  }

  #compareOwners(): void {
    const owners = this.#readOwners();
    if (this.#closing) return;
    if (owners.length === this.#owners.length && owners.every((owner, slot) => owner === this.#owners[slot]))
      return;
    this.#owners = owners;
    const present = new Set(owners);
    for (const owner of present) for (const client of this.#addNode(owner)) client.connect().catch(() => {});
    for (const clients of [this.#subscribers, this.#ballotClients])
      for (const [owner, client] of clients) {
        if (present.has(owner)) continue;
        clients.delete(owner);
        client.disconnect();
      }
    this.#moved();
  }

  /** @returns connections to open; none if the node has them, or the slot has no owner */
  #addNode(owner: string | undefined): Redis[] {
    if (owner === undefined || this.#subscribers.has(owner)) return [];
    const subscriber: Redis = this.#create(owner, 'tallycast-hints', () => this.#moved(subscriber));
    subscriber.on('smessage', (channel: string) => this.#hint(channel));
    // A slot has left this node, which says so by itself or in reply to a command.
    subscriber.on('moved', () => {
      this.#unsure.add(subscriber);
      this.refreshOwners();
    });
    this.#subscribers.set(owner, subscriber);
    if (!this.#options.withBallots) return [subscriber];
    const ballotClient = defineCommands(this.#create(owner, 'tallycast-ballots'));
    this.#ballotClients.set(owner, ballotClient);
    return [subscriber, ballotClient];
  }

  #create(owner: string, name: string, onLost = () => {}): Redis {
    const events: ConnectionEvents = { onError: this.#options.onError, onReady: () => {}, onLost };
    return createConnection(this.#options, name, events, addressOf(owner));
  }

  #announce(available: boolean): void {
    if (!this.#closing) for (const listener of this.#availability) listener(available);
  }
}

/** @param node as ioredis has it: host:port, with an IPv6 address without brackets */
function addressOf(node: string): RedisAddress {
  const colon = node.lastIndexOf(':');
  return { host: node.slice(0, colon), port: Number(node.slice(colon + 1)) };
}
