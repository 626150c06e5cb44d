import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PollError } from '../poll/poll-error.ts';
import { callerAddress } from './address-group.ts';

/** What one reader may leave unread before it is let go; the browser comes back and gets everything anew. */
const BACKLOG_BYTES = 64 * 1024;
/** As our own client asks a relay for: a page notices within 10 s that its server stands still. */
const HEARTBEAT_MS = 3_000;
const HEARTBEAT = 'event: heartbeat\ndata: {"type":"heartbeat"}\n\n';
/** Heartbeats that may wait for one that the other side has not taken: some 20 s. */
const MAX_MISSED = 6;
const RECONNECT_MS = 3_000;

/** When one of the others ends is anybody's guess. */
const FULL_RETRY_SECONDS = 60;

/** One open Server-Sent Events reply. */
export interface EventStream {
  /** @param text one line, without line feeds */
  send(text: string): void;
  close(): void;
  readonly onClose: (listener: () => void) => void;
}

/** All streams of a server whose readers may miss nothing: counted by reader, ended with the server. */
export class EventStreams {
  readonly #limit: number;
  readonly #open = new Set<EventStream>();
  /** How many of them each reader has. */
  readonly #held = new Map<string, number>();

  /** @param limit streams of one reader at a time */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * @param reader left out, the address
   * @throws PollError `rate_limited` where the reader has its share, `invalid_request` for a pipelined request
   */
  open(request: FastifyRequest, reply: FastifyReply, reader = callerAddress(request)): EventStream {
    const held = this.#held.get(reader) ?? 0;
    if (held >= this.#limit) throw new PollError('rate_limited', { retryAfterSeconds: FULL_RETRY_SECONDS });
    const stream = startStream(beginEvents(reply, { 'cache-control': 'private, no-store' }));
    this.#open.add(stream);
    this.#held.set(reader, held + 1);
    stream.onClose(() => {
      this.#open.delete(stream);
      const left = (this.#held.get(reader) ?? 1) - 1;
      if (left === 0) this.#held.delete(reader);
      else this.#held.set(reader, left);
    });
    return stream;
  }

  closeAll(): void {
    for (const stream of this.#open) stream.close();
  }
}

/**
 * Takes the reply out of the framework's hands and sends the head of a stream of events.
 *
 * @throws PollError where another reply still has the connection. Such a response never learns that its connection is gone:
 * it would count as an open stream for ever.
 */
export function beginEvents(reply: FastifyReply, headers: Record<string, string>): ServerResponse {
  if (!reply.raw.socket)
    throw new PollError('invalid_request', { message: 'A stream of events needs a connection of its own.' });
  const { raw } = reply.hijack();
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    // Proxies that gather output before they pass it on would make a stream of it no more.
    'x-accel-buffering': 'no',
    ...headers,
  });
  raw.on('error', () => {});
  // Who takes nothing is known to those who write, and who is told nothing for long takes all that there is.
  raw.socket?.setTimeout(0);
  return raw;
}

function startStream(raw: ServerResponse): EventStream {
  const write = (text: string) => {
    if (raw.writableLength > BACKLOG_BYTES) raw.destroy();
    else raw.write(text);
  };
  write(`retry: ${RECONNECT_MS}\n\n`);
  /** Since the last one that left this process: where they wait here, nothing is read at the other side, or next to nothing. */
  let missed = 0;
  const heartbeat = setInterval(() => {
    missed += 1;
    if (missed > MAX_MISSED + 1) raw.destroy();
    if (missed > 1) return;
    raw.write(HEARTBEAT, () => {
      missed = 0;
    });
  }, HEARTBEAT_MS).unref();
  raw.on('close', () => clearInterval(heartbeat));
  return {
    send: text => write(`data: ${text}\n\n`),
    close: () => raw.end(),
    onClose: listener => raw.on('close', listener),
  };
}
