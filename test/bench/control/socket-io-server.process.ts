import { once } from 'node:events';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { serveCalls } from '../system/calls.ts';
import type { ControlCalls } from './control-calls.ts';

/** Socket.IO as its documentation shows it, WebSocket only. Newcomers get the newest. */

/** The few members used here: the package is installed for benchmarks only, its types are not. */
interface SocketIoServer {
  on(event: 'connection', listener: (socket: { emit(event: string, value: unknown): void }) => void): void;
  emit(event: string, value: unknown): void;
}

let io: SocketIoServer | undefined;
let newest: unknown;

const calls: ControlCalls = {
  async listen({ port, peer }) {
    const module = (await import(pathToFileURL(peer).href)) as {
      Server?: new (server: unknown, options: unknown) => SocketIoServer;
      default?: { Server?: new (server: unknown, options: unknown) => SocketIoServer };
    };
    const Server = module.Server ?? module.default?.Server;
    if (!Server) throw new Error('socket.io exports no Server');
    const http = createServer();
    io = new Server(http, { transports: ['websocket'], serveClient: false });
    io.on('connection', socket => {
      if (newest !== undefined) socket.emit('results', newest);
    });
    http.listen(port, '127.0.0.1', 511);
    await once(http, 'listening');
  },
  publish({ text }) {
    newest = JSON.parse(text);
    io?.emit('results', newest);
  },
};
serveCalls(calls);
