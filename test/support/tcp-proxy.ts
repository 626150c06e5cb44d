import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * What the proxy does with its links:
 * `pass` carries everything; `blackhole` takes everything and carries nothing; `dropReplies` carries requests only;
 * `refuse` ends new links at once. Modes but `refuse` count for open links too.
 */
export type ProxyMode = 'pass' | 'blackhole' | 'dropReplies' | 'refuse';

export interface TcpProxy {
  readonly port: number;
  setMode(mode: ProxyMode): void;
  /** Changes what the server says on its way to the client. */
  rewriteReplies(rewrite: (reply: Buffer) => Buffer): void;
  /** Resets every open link. */
  cut(): void;
  /** Links open at present. */
  readonly links: number;
  close(): Promise<void>;
}

/** A link on the loopback address that fails on command. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  let mode: ProxyMode = 'pass';
  let rewrite = (reply: Buffer) => reply;
  const clients = new Set<Socket>();

  const server: Server = createServer(client => {
    if (mode === 'refuse') return void client.resetAndDestroy();
    const target = connect(targetPort, '127.0.0.1');
    clients.add(client);
    client.on('data', data => {
      if (mode !== 'blackhole') target.write(data);
    });
    target.on('data', data => {
      if (mode === 'pass') client.write(rewrite(data));
    });
    const end = () => {
      clients.delete(client);
      client.destroy();
      target.destroy();
    };
    for (const socket of [client, target]) socket.on('error', end).on('close', end);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');

  const cut = () => {
    for (const client of clients) client.resetAndDestroy();
  };
  return {
    port: address.port,
    setMode(next) {
      mode = next;
    },
    rewriteReplies(next) {
      rewrite = next;
    },
    cut,
    get links() {
      return clients.size;
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
