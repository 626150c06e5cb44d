import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PollError } from '../poll/poll-error.ts';
import { callerAddress, emitsClose } from './caller.ts';

/** A client with more unread bytes is disconnected. It reconnects and gets everything again. */
const BACKLOG_BYTES = 64 * 1024;
/** So that a page notices within 10 s that its server hangs. */
const HEARTBEAT_MS = 3_000;
const HEARTBEAT = 'event: heartbeat\ndata: {"type":"heartbeat"}\n\n';
/** Unread heartbeats before a client is disconnected: about 20 s. */
const MAX_MISSED = 6;
const RECONNECT_MS = 3_000;
const FULL_RETRY_SECONDS = 60;

export interface EventStream {
  /** @param text one line, without line feeds @param id with which the client continues after a reconnect */
  send(text: string, id?: string): void;
  /** Sets that id without an event. */
  skipTo(id: string): void;
  /** Resolves once the client has taken nearly everything, to false if the stream has ended. */
  drained(): Promise<boolean>;
  close(): void;
  readonly onClose: (listener: () => void) => void;
}

/** The event streams of pages: limited for each reader, closed with the server. */
export class EventStreams {
  readonly #limit: number;
  readonly #open = new Set<EventStream>();
  readonly #held = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * @param reader default: the address
   * @throws PollError `rate_limited` at the limit of the reader, `invalid_request` for a pipelined request
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
 * Hijacks the reply and sends the head of an event stream.
 *
 * @throws PollError for a response that never emits `close`, and would count as an open stream forever
 */
export function beginEvents(reply: FastifyReply, headers: Record<string, string>): ServerResponse {
  if (!emitsClose(reply))
    throw new PollError('invalid_request', { message: 'An event stream needs a connection of its own.' });
  const { raw } = reply.hijack();
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    // Disables buffering in nginx.
    'x-accel-buffering': 'no',
    ...headers,
  });
  raw.on('error', () => {});
  // Slow readers are detected on write.
  raw.socket?.setTimeout(0);
  return raw;
}

function startStream(raw: ServerResponse): EventStream {
  const write = (text: string) => {
    if (raw.writableLength > BACKLOG_BYTES) raw.destroy();
    else raw.write(text);
  };
  write(`retry: ${RECONNECT_MS}\n\n`);
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
    send: (text, id) => write(`${id === undefined ? '' : `id: ${id}\n`}data: ${text}\n\n`),
    skipTo: id => write(`id: ${id}\n\n`),
    async drained() {
      if (!raw.destroyed && raw.writableNeedDrain)
        await new Promise<void>(resolve => {
          raw.once('drain', resolve);
          raw.once('close', resolve);
        });
      return !raw.destroyed;
    },
    close: () => raw.end(),
    onClose: listener => raw.on('close', listener),
  };
}
