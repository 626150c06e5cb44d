import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../voting/guard/refusal.ts';
import { callerAddress } from '../voting/voter/address.ts';

/** What one reader may leave unread before it is let go; the browser comes back and gets everything anew. */
const BACKLOG_BYTES = 64 * 1024;
const HEARTBEAT_MS = 20_000;
const RECONNECT_MS = 3_000;

/** One open Server-Sent Events reply. */
export interface EventStream {
  /** @param text one line, without line feeds */
  send(text: string): void;
  close(): void;
  readonly onClose: (listener: () => void) => void;
}

/** All streams of this server: counted by address, ended with it. */
export class EventStreams {
  readonly #limit: number;
  readonly #open = new Map<EventStream, string>();

  /** @param limit streams of one address at a time */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#open.size;
  }

  open(request: FastifyRequest, reply: FastifyReply): EventStream {
    const address = callerAddress(request);
    const held = [...this.#open.values()].filter(other => other === address).length;
    if (held >= this.#limit) throw new Refusal('rate_limited', { retryAfterSeconds: 60 });
    const stream = startStream(reply);
    this.#open.set(stream, address);
    stream.onClose(() => this.#open.delete(stream));
    return stream;
  }

  closeAll(): void {
    for (const stream of this.#open.keys()) stream.close();
  }
}

function startStream(reply: FastifyReply): EventStream {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'private, no-store',
    // Proxies that gather output before they pass it on would make a stream of it no more.
    'x-accel-buffering': 'no',
  });
  const write = (text: string) => {
    if (raw.writableLength > BACKLOG_BYTES) raw.destroy();
    else raw.write(text);
  };
  write(`retry: ${RECONNECT_MS}\n\n`);
  const heartbeat = setInterval(() => write(':\n\n'), HEARTBEAT_MS).unref();
  raw.on('close', () => clearInterval(heartbeat));
  raw.on('error', () => {});
  return {
    send: text => write(`data: ${text}\n\n`),
    close: () => raw.end(),
    onClose: listener => raw.on('close', listener),
  };
}
