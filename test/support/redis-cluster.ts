import { Redis } from 'ioredis';
import { findFreePort } from './free-port.ts';
import { type RedisServer, startRedisServer } from './redis-server.ts';
import { until } from './until.ts';

/** A node of a cluster: a server and a connection of the test's own to it. */
export interface ClusterNode {
  readonly server: RedisServer;
  readonly client: Redis;
  readonly id: string;
}

export interface RedisCluster {
  /** `redis+cluster://…` with every node in it. */
  readonly url: string;
  readonly primaries: ClusterNode[];
  readonly replicas: ClusterNode[];
  /** The primary that owns a slot now, as the first node that runs sees it. */
  ownerOf(slot: number): Promise<ClusterNode>;
  /** Moves a slot with all its keys, as `redis-cli --cluster reshard` does. */
  moveSlot(slot: number, to: ClusterNode): Promise<void>;
  /** A new primary without slots. */
  addPrimary(): Promise<ClusterNode>;
  /** A new node that follows this one. */
  addReplica(primary: ClusterNode): Promise<ClusterNode>;
  stop(): Promise<void>;
}

const SLOTS = 16_384;
const NODE_TIMEOUT_MS = 1_500;
const PATIENCE_MS = 60_000;

export interface ClusterOptions {
  readonly primaries?: number | undefined;
  readonly replicas?: number | undefined;
  readonly args?: readonly string[] | undefined;
  /** Settings of one node, counted from 0, primaries first. */
  readonly argsOf?: ((index: number) => readonly string[]) | undefined;
}

/** A real cluster on free ports of the loopback address. Without replicas unless asked for: at most one a primary. */
export async function startRedisCluster(options: ClusterOptions = {}): Promise<RedisCluster> {
  const { primaries: count = 3, replicas: copies = 0, args = [], argsOf = () => [] } = options;
  const nodes = await Promise.all(
    Array.from({ length: count + copies }, (_, index) => startNode([...args, ...argsOf(index)])),
  );
  const primaries = nodes.slice(0, count);
  const replicas = nodes.slice(count);
  const stop = async () => {
    for (const { client } of nodes) client.disconnect();
    await Promise.all(nodes.map(({ server }) => server.stop()));
  };
  try {
    await form(primaries, replicas);
  } catch (error) {
    await stop();
    throw error;
  }
  const running = () =>
    nodes.filter(({ server }) => server.process.exitCode === null && server.process.signalCode === null);
  const ownerOf = async (slot: number) => {
    const asked = running()[0] as ClusterNode;
    const ranges = await asked.client.cluster('SLOTS');
    const owner = ranges.find(([from, to]) => slot >= from && slot <= to)?.[2]?.[2];
    const found = nodes.find(({ id }) => id === owner);
    if (!found) throw new Error(`No node owns slot ${slot}`);
    return found;
  };
  const join = async () => {
    const node = await startNode(args);
    nodes.push(node);
    for (const other of running()) if (other !== node) await introduce(node, other);
    await allAgree(running());
    return node;
  };
  return {
    url: `redis+cluster://${nodes.map(({ server }) => `127.0.0.1:${server.port}`).join(',')}`,
    primaries,
    replicas,
    ownerOf,
    async moveSlot(slot, to) {
      const from = await ownerOf(slot);
      if (from === to) return;
      await move(slot, from, to, running());
    },
    async addPrimary() {
      const node = await join();
      primaries.push(node);
      return node;
    },
    async addReplica(primary) {
      const node = await join();
      replicas.push(node);
      await follow(node, primary);
      return node;
    },
    stop,
  };
}

async function startNode(args: readonly string[]): Promise<ClusterNode> {
  const server = await startRedisServer({
    args: [
      '--cluster-enabled',
      'yes',
      '--cluster-port',
      `${await findFreePort()}`,
      '--cluster-node-timeout',
      `${NODE_TIMEOUT_MS}`,
      '--cluster-replica-validity-factor',
      '0',
      '--repl-diskless-sync-delay',
      '0',
      ...args,
    ],
  });
  const client = new Redis({
    port: server.port,
    lazyConnect: true,
    retryStrategy: times => Math.min(times * 50, 500),
  });
  client.on('error', () => {});
  await client.connect();
  return { server, client, id: (await client.cluster('MYID')) as string };
}

async function form(primaries: readonly ClusterNode[], replicas: readonly ClusterNode[]): Promise<void> {
  const [first, ...others] = [...primaries, ...replicas] as [ClusterNode, ...ClusterNode[]];
  for (const [index, { client }] of primaries.entries()) {
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', `${index + 1}`);
    const from = Math.floor((index * SLOTS) / primaries.length);
    const to = Math.floor(((index + 1) * SLOTS) / primaries.length) - 1;
    await client.call('CLUSTER', 'ADDSLOTSRANGE', `${from}`, `${to}`);
  }
  const all = [first, ...others];
  // Each node to each other: by gossip alone it takes ten seconds.
  for (const [index, node] of all.entries())
    for (const other of all.slice(index + 1)) await introduce(node, other);
  await allAgree(all);
  await Promise.all(
    replicas.map((replica, index) => follow(replica, primaries[index % primaries.length] as ClusterNode)),
  );
}

async function follow({ client }: ClusterNode, primary: ClusterNode): Promise<void> {
  await client.cluster('REPLICATE', primary.id);
  await until(
    async () => (await client.info('replication')).includes('master_link_status:up'),
    'a replica to follow its primary',
  );
}

async function introduce(node: ClusterNode, to: ClusterNode): Promise<void> {
  // MEET takes the bus port where it is not the port plus 10,000.
  const config = (await to.client.config('GET', 'cluster-port')) as unknown;
  const busPort = Array.isArray(config) ? config[1] : (config as Record<string, string>)['cluster-port'];
  await node.client.call('CLUSTER', 'MEET', '127.0.0.1', `${to.server.port}`, `${busPort}`);
}

/** Every node knows every other and holds the cluster for whole. */
function allAgree(nodes: readonly ClusterNode[]): Promise<void> {
  return until(
    async () => {
      const views = await Promise.all(nodes.map(({ client }) => client.cluster('NODES')));
      const states = await Promise.all(nodes.map(({ client }) => client.cluster('INFO')));
      const isKnown = (view: unknown) =>
        nodes.every(({ id }) => `${view}`.includes(id)) && !`${view}`.includes('handshake');
      return views.every(isKnown) && states.every(state => `${state}`.includes('cluster_state:ok'));
    },
    'the nodes of a cluster to agree',
    PATIENCE_MS,
  );
}

async function move(
  slot: number,
  from: ClusterNode,
  to: ClusterNode,
  all: readonly ClusterNode[],
): Promise<void> {
  await to.client.call('CLUSTER', 'SETSLOT', `${slot}`, 'IMPORTING', from.id);
  await from.client.call('CLUSTER', 'SETSLOT', `${slot}`, 'MIGRATING', to.id);
  while (true) {
    const keys = (await from.client.call('CLUSTER', 'GETKEYSINSLOT', `${slot}`, '100')) as string[];
    if (keys.length === 0) break;
    await from.client.call('MIGRATE', '127.0.0.1', `${to.server.port}`, '', '0', '5000', 'KEYS', ...keys);
  }
  // The new owner first: otherwise no node owns the slot for a moment.
  const order = [to, from, ...all.filter(node => node !== to && node !== from)];
  for (const { client } of order)
    await client.call('CLUSTER', 'SETSLOT', `${slot}`, 'NODE', to.id).catch(() => {});
}
