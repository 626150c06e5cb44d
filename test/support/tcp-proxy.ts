import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * `pass` carries everything. `blackhole` holds everything, and delivers it if the link passes again, as TCP does.
 * `dropReplies` carries requests only; what it dropped is gone, so cut the link before it passes again.
 */
export type LinkMode = 'pass' | 'blackhole' | 'dropReplies';

export interface TcpProxy {
  readonly port: number;
  /** Links that are open at present. */
  readonly links: number;
  /**
   * Sets what becomes of open links and of later ones.
   * @param carrying only those open links that have carried this text to the server
   */
  setMode(mode: LinkMode, carrying?: string): void;
  /** Whether new links are ended at once. */
  refuse(refused: boolean): void;
  /** Changes what the server says on its way to the client, byte by byte a character. */
  rewriteReplies(rewrite: (reply: string) => string): void;
  /** Where later links lead. */
  leadTo(targetPort: number): void;
  /** Resets every open link. */
  cut(): void;
  close(): Promise<void>;
}

interface Link {
  readonly client: Socket;
  readonly held: (() => void)[];
  mode: LinkMode;
  /** The first that the client said. */
  opening: string;
}

const OPENING_CHARACTERS = 1_000;

/** A link on the loopback address that fails on command. */
export async function startTcpProxy(firstPort: number): Promise<TcpProxy> {
  let targetPort = firstPort;
  const links = new Set<Link>();
  let newMode: LinkMode = 'pass';
  let refusing = false;
  let rewrite: ((reply: string) => string) | undefined;

  const carry = (client: Socket) => {
    const target = connect(targetPort, '127.0.0.1');
    const link: Link = { client, held: [], mode: newMode, opening: '' };
    links.add(link);
    client.on('data', data => {
      if (link.opening.length < OPENING_CHARACTERS) link.opening += data;
      deliver(link, () => target.write(data));
    });
    target.on('data', data => {
      if (link.mode !== 'dropReplies')
        deliver(link, () =>
          client.write(rewrite ? Buffer.from(rewrite(data.toString('latin1')), 'latin1') : data),
        );
    });
    const end = () => {
      links.delete(link);
      client.destroy();
      target.destroy();
    };
    for (const socket of [client, target]) socket.on('error', end).on('close', end);
  };
  const server = createServer(client => (refusing ? client.resetAndDestroy() : carry(client)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');

  const cut = () => {
    for (const { client } of links) client.resetAndDestroy();
  };
  return {
    port: address.port,
    get links() {
      return links.size;
    },
    setMode(mode, carrying) {
      for (const link of links)
        if (carrying === undefined || link.opening.includes(carrying)) turn(link, mode);
      if (carrying === undefined) newMode = mode;
    },
    refuse(refused) {
      refusing = refused;
    },
    rewriteReplies(next) {
      rewrite = next;
    },
    leadTo(port) {
      targetPort = port;
    },
    cut,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

function deliver(link: Link, delivery: () => void): void {
  if (link.mode === 'blackhole') link.held.push(delivery);
  else delivery();
}

function turn(link: Link, mode: LinkMode): void {
  link.mode = mode;
  if (mode !== 'blackhole') for (const delivery of link.held.splice(0)) delivery();
}
