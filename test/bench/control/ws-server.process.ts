import { once } from 'node:events';
import { WebSocket, WebSocketServer } from 'ws';
import { serveCalls } from '../system/calls.ts';
import type { ControlCalls } from './control-calls.ts';

/** What people write first: a `ws` server and a loop. Newcomers get the newest. */

let server: WebSocketServer | undefined;
let newest: string | undefined;

const calls: ControlCalls = {
  async listen({ port }) {
    server = new WebSocketServer({ host: '127.0.0.1', port, perMessageDeflate: false });
    server.on('connection', socket => {
      socket.on('error', () => {});
      if (newest !== undefined) socket.send(newest);
    });
    await once(server, 'listening');
  },
  publish({ text }) {
    newest = text;
    for (const client of server?.clients ?? []) if (client.readyState === WebSocket.OPEN) client.send(text);
  },
};
serveCalls(calls);
