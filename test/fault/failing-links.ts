import type { RedisCluster } from '../support/redis-cluster.ts';
import type { RedisSentinels } from '../support/redis-sentinel.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

/** A Redis of any form behind links that fail on command. */
export interface FailingLinks {
  /** What an engine is opened with, so that all it says and hears goes over the links. */
  readonly url: string;
  /** To each server that holds data, by the server's own port. */
  readonly links: ReadonlyMap<number, TcpProxy>;
  each(act: (link: TcpProxy) => void): void;
  close(): Promise<void>;
}

/**
 * How Redis names a server: a primary and other Sentinels by Sentinel, a node by CLUSTER SLOTS, and
 * in MOVED and ASK.
 */
const ADDRESS = /(127\.0\.0\.1(?:(?:\r\n\$4\r\nport)?\r\n\$5\r\n|\r\n:|:))(\d{5})/g;

export async function linksTo(redis: { url: string; port: number }): Promise<FailingLinks> {
  const link = await startTcpProxy(redis.port);
  return failingLinks(`redis://127.0.0.1:${link.port}`, new Map([[redis.port, link]]), []);
}

/** The links to Sentinels do not fail; what they say of the primary, and of each other, leads to its link. */
export async function linksToSentinels({ servers, sentinels }: RedisSentinels): Promise<FailingLinks> {
  const links = await proxiesOf(servers.map(({ port }) => port));
  const asked = await proxiesOf(sentinels.map(({ port }) => port));
  for (const proxy of asked.values()) lead(proxy, new Map([...links, ...asked]));
  const hosts = [...asked.values()].map(({ port }) => `127.0.0.1:${port}`).join(',');
  return failingLinks(`redis+sentinel://${hosts}/main`, links, [...asked.values()]);
}

/** What nodes say of each other leads to the links of those. */
export async function linksToCluster({ primaries, replicas }: RedisCluster): Promise<FailingLinks> {
  const links = await proxiesOf([...primaries, ...replicas].map(({ server }) => server.port));
  for (const proxy of links.values()) lead(proxy, links);
  const hosts = [...links.values()].map(({ port }) => `127.0.0.1:${port}`).join(',');
  return failingLinks(`redis+cluster://${hosts}`, links, []);
}

function failingLinks(
  url: string,
  links: ReadonlyMap<number, TcpProxy>,
  others: readonly TcpProxy[],
): FailingLinks {
  return {
    url,
    links,
    each(act) {
      for (const link of links.values()) act(link);
    },
    async close() {
      await Promise.all([...links.values(), ...others].map(proxy => proxy.close()));
    },
  };
}

async function proxiesOf(ports: readonly number[]): Promise<Map<number, TcpProxy>> {
  const pairs = ports.map(async port => [port, await startTcpProxy(port)] as const);
  return new Map(await Promise.all(pairs));
}

function lead(proxy: TcpProxy, links: ReadonlyMap<number, TcpProxy>): void {
  proxy.rewriteReplies(reply =>
    reply.replace(
      ADDRESS,
      (_, before: string, port: string) => `${before}${links.get(Number(port))?.port ?? port}`,
    ),
  );
}
