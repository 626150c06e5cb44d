import websocket from '@fastify/websocket';
import Fastify, { type FastifyInstance } from 'fastify';
import { serveCalls } from '../system/calls.ts';
import type { ControlCalls } from './control-calls.ts';

/** The least that `@fastify/websocket` can do: one route that sends the newest message to each new client. */

let app: FastifyInstance | undefined;
let newest: string | undefined;

const calls: ControlCalls = {
  async listen({ port }) {
    app = Fastify();
    await app.register(websocket, { options: { perMessageDeflate: false } });
    app.get('/', { websocket: true }, socket => {
      if (newest !== undefined) socket.send(newest);
    });
    await app.listen({ host: '127.0.0.1', port });
  },
  publish({ text }) {
    newest = text;
    for (const client of app?.websocketServer.clients ?? []) client.send(text);
  },
};
serveCalls(calls);
