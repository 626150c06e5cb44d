import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** A server on a real port with scripted answers, for behavior that the relay itself never shows. */
export class ScriptedRelay {
  /** Method, path and query of every request and upgrade, in order. */
  readonly requests: string[] = [];
  /** Headers of the same requests. */
  readonly headers: IncomingMessage['headers'][] = [];
  /** Messages from clients. */
  readonly received: string[] = [];
  /** Undefined: rejects every upgrade, as a proxy without WebSocket does. */
  onSocket: ((socket: WebSocket, request: IncomingMessage) => void) | undefined;
  onRequest: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => {
    response.writeHead(502).end('bad gateway');
  };
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#note(request);
      this.onRequest(request, response);
    });
    this.#server.on('upgrade', (request, socket, head) => {
      this.#note(request);
      const { onSocket } = this;
      if (!onSocket) {
        socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, accepted => {
        accepted.on('message', data => this.received.push(String(data)));
        onSocket(accepted, request);
      });
    });
  }

  static async open(): Promise<ScriptedRelay> {
    const relay = new ScriptedRelay();
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get sockets(): Set<WebSocket> {
    return this.#sockets.clients;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }

  #note(request: IncomingMessage): void {
    this.requests.push(`${request.method} ${request.url}`);
    this.headers.push(request.headers);
  }
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

/** Opens an event stream and leaves it open. */
export function startStream(response: ServerResponse, ...messages: unknown[]): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  for (const message of messages) response.write(`data: ${JSON.stringify(message)}\n\n`);
}
