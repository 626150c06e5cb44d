import calculateSlot from 'cluster-key-slot';
import type { Cluster, Redis } from 'ioredis';
import { closeConnection, openConnection } from './open-connection.ts';
import { type CommandClient, defineCommands, type NodeClient } from './redis-commands.ts';
import type { ConnectionOptions, RedisConnections, Shard } from './redis-connections.ts';
import { type ConnectionEvents, createCluster, createConnection } from './redis-profile.ts';
import { type ClusterTarget, describeTarget, type RedisAddress } from './redis-url.ts';
import { checkReplicas, checkServer } from './server-check.ts';

/**
 * Connections to a cluster: commands go where the slot of their key lies; each primary has one connection that listens,
 * and where asked for one for ballots.
 *
 * A channel moves with its slot, and Redis says nothing to those who listen at the old place but that they do no more.
 * So whoever owns which slot is asked every two seconds and after each sign of a move, and hints are told of every change.
 */
export class ClusterConnections implements RedisConnections {
  readonly commands: CommandClient;
  readonly publish = 'SPUBLISH';
  readonly isPrimary = true;
  readonly #cluster: Cluster;
  readonly #options: ConnectionOptions;
  readonly #place: string;
  /** By node, as `host:port`. */
  readonly #hearing = new Map<string, Redis>();
  readonly #casting = new Map<string, NodeClient>();
  readonly #availability: ((available: boolean) => void)[] = [];
  #hint: (channel: string) => void = () => {};
  #moved: (lost?: Redis) => void = () => {};
  /** Owner of each slot when hints were told of it last. */
  #owners: readonly (string | undefined)[] = [];
  /** Listeners whose node let go of a channel because its slot left. By now it may be back, with nobody listening. */
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
    try {
      await connections.#open();
    } catch (error) {
      await connections.close();
      throw error;
    }
    return connections;
  }

  get clock(): Redis | Cluster {
    return this.#cluster.nodes('master').find(({ status }) => status === 'ready') ?? this.#cluster;
  }

  get shards(): Shard[] {
    const nodes = new Map(
      this.#cluster.nodes('master').map(node => [`${node.options.host}:${node.options.port}`, node]),
    );
    return [...new Set(this.#ownersNow())].map(owner => ({
      client: owner === undefined ? undefined : nodes.get(owner),
      owns: key => this.#ownerOf(key) === owner,
    }));
  }

  get listeners(): Iterable<Redis> {
    return this.#hearing.values();
  }

  listenerOf(channel: string): Redis | undefined {
    const owner = this.#ownerOf(channel);
    return owner === undefined ? undefined : this.#hearing.get(owner);
  }

  ballotsOf(key: string): NodeClient | undefined {
    const owner = this.#ownerOf(key);
    return owner === undefined ? undefined : this.#casting.get(owner);
  }

  onHint(listener: (channel: string) => void): void {
    this.#hint = listener;
  }

  /** What is followed is subscribed to again node by node, by `onMoved`. */
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
    const clients = [this.#cluster, ...this.#hearing.values(), ...this.#casting.values()];
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
    this.#owners = this.#ownersNow();
    const clients = [...new Set(this.#owners)].flatMap(owner => this.#start(owner));
    await Promise.all(clients.map(client => openConnection(client, this.#place, target.tls)));
    this.#cluster.on('refresh', () => {
      this.#compareOwners();
      for (const listener of this.#unsure) this.#moved(listener);
      this.#unsure.clear();
    });
    this.#cluster.on('close', () => this.#announce(false));
    this.#cluster.on('ready', () => this.#announce(true));
  }

  /** @returns connections that are to be opened; none where the node has them already, or nobody owns the slot */
  #start(owner: string | undefined): Redis[] {
    if (owner === undefined || this.#hearing.has(owner)) return [];
    const listener = this.#startListening(owner);
    return this.#options.withBallots ? [listener, this.#startCasting(owner)] : [listener];
  }

  #ownerOf(key: string): string | undefined {
    return this.#cluster.slots[calculateSlot(key)]?.[0];
  }

  #ownersNow(): (string | undefined)[] {
    return Array.from(this.#cluster.slots, nodes => nodes?.[0]);
  }

  #compareOwners(): void {
    const owners = this.#ownersNow();
    if (this.#closing) return;
    if (owners.length === this.#owners.length && owners.every((owner, slot) => owner === this.#owners[slot]))
      return;
    this.#owners = owners;
    const present = new Set(owners);
    // Where one cannot be opened now, it tries by itself again.
    for (const owner of present) for (const client of this.#start(owner)) client.connect().catch(() => {});
    for (const links of [this.#hearing, this.#casting])
      for (const [owner, client] of links) {
        if (present.has(owner)) continue;
        links.delete(owner);
        client.disconnect();
      }
    this.#moved();
  }

  #startListening(owner: string): Redis {
    const listener: Redis = this.#create(owner, 'tallycast-hints', {
      onError: this.#options.onError,
      onReady: () => {},
      onLost: () => this.#moved(listener),
    });
    listener.on('smessage', (channel: string) => this.#hint(channel));
    // A slot has left this node, as it says by itself or when it is asked for a channel.
    listener.on('moved', () => {
      this.#unsure.add(listener);
      this.refreshOwners();
    });
    this.#hearing.set(owner, listener);
    return listener;
  }

  #startCasting(owner: string): NodeClient {
    const ignored = { onError: this.#options.onError, onReady: () => {}, onLost: () => {} };
    const client = this.#create(owner, 'tallycast-ballots', ignored);
    const caster = defineCommands(client);
    this.#casting.set(owner, caster);
    return caster;
  }

  #create(owner: string, name: string, events: ConnectionEvents): Redis {
    return createConnection(this.#options, name, events, addressOf(owner));
  }

  #announce(available: boolean): void {
    if (!this.#closing) for (const listener of this.#availability) listener(available);
  }
}

/** @param node as ioredis writes it: host:port, where the host may be an IPv6 address without brackets */
function addressOf(node: string): RedisAddress {
  const colon = node.lastIndexOf(':');
  return { host: node.slice(0, colon), port: Number(node.slice(colon + 1)) };
}
