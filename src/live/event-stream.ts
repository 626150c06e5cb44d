import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { beginEvents } from '../http/event-stream.ts';
import { writeAllowance } from '../http/rate-limit.ts';
import { traffic } from '../metrics/catalogue.ts';
import { areResultsPublic, type PollKeys, type Reading, SHOW_NAME } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { authorizeRead, type PresentedKey } from '../poll/poll-key.ts';
import { isReadablePollId } from '../poll/rehearsal.ts';
import { type CloseEvent, RelayClosing } from '../protocol/close-event.ts';
import { authorizeShow } from '../show/rewrite-show.ts';
import type { ConnectionRegistry } from './connection.ts';
import { Connection } from './connection.ts';
import type { Frame } from './frame.ts';
import { PollSession, type SessionOptions, type SessionQuery, ShowSession, showAccess } from './session.ts';
import type { SubscriptionOptions } from './subscription.ts';

const COMMENT = Buffer.from(': keep-alive\n\n');
const NOTHING = Buffer.alloc(0);
/** Random within this range, to spread reconnects. */
const RETRY_MS = { min: 1_000, spread: 4_000 };
/** Shorter, because a draining relay closes its connections one after the other. */
const MOVE_MS = { min: 100, spread: 400 };
/** A client that has not read the last bytes by then is terminated. */
const CLOSE_TIMEOUT_MS = 2_000;
const FULL_RETRY_SECONDS = 5;

export interface StreamRequest {
  readonly key: PresentedKey | undefined;
  readonly query: SessionQuery;
  readonly heartbeatMs: number;
  readonly address: string;
}

export interface StreamOptions extends Omit<SessionOptions, 'key' | 'query'> {
  readonly registry: ConnectionRegistry;
  /** Returns the current keys of a poll, its show's included. */
  readonly keysOf: (reading: Reading) => Promise<PollKeys>;
}

/** Server-Sent Events on a response whose headers are sent. The body is not chunked, so all clients get the same bytes. */
export class EventStreamConnection extends Connection {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    super(traffic.sse);
    this.#response = response;
    this.#writeBytes(Buffer.from(retryWithin(RETRY_MS)));
  }

  override terminate(): void {
    this.#response.destroy();
  }

  protected override write(frame: Frame): boolean {
    return this.#writeBytes(frame.sse);
  }

  protected override onceDrained(callback: () => void): void {
    this.#response.socket?.write(NOTHING, callback);
  }

  /** A comment has no reply: a client counts as alive if the kernel accepted it. */
  protected override ping(): void {
    if (this.#writeBytes(COMMENT)) this.markAlive();
  }

  protected override sendClose(event: CloseEvent): void {
    if (this.#response.writableEnded) return;
    this.#response.end(retryWithin(event === RelayClosing ? MOVE_MS : RETRY_MS));
    // The end would wait forever behind unread bytes.
    setTimeout(() => this.terminate(), CLOSE_TIMEOUT_MS).unref();
  }

  #writeBytes(bytes: Buffer): boolean {
    const { socket } = this.#response;
    if (!socket?.writable) return true;
    socket.write(bytes);
    return socket.writableLength === 0;
  }
}

/** Serves a poll as an event stream. Reads the poll first, so that a refusal has a status. @throws PollError */
export async function servePollEvents(
  id: string,
  since: SubscriptionOptions['since'],
  request: StreamRequest,
  reply: FastifyReply,
  options: StreamOptions,
): Promise<void> {
  const { hub, isOperatorKey, keysOf } = options;
  const { key, query } = request;
  await withRoom(request, reply, options.registry, async () => {
    if (!isReadablePollId(id)) throw new PollError('poll_not_found');
    const reading = await hub.readForStream(id);
    if (!reading) throw await hub.notFound(id);
    const keys = key ? await keysOf(reading) : reading.keys;
    if (authorizeRead(key, keys, isOperatorKey) === 'rejected') throw new PollError('api_key_rejected');
    return () => {
      const connection = open(request, reply, options.registry, !areResultsPublic(reading.results));
      connection.session = new PollSession(hub, id, { ...query, key, since }, connection);
    };
  });
}

/** Serves a show as an event stream: the poll on air and its results. @throws PollError */
export async function serveShowEvents(
  name: string,
  request: StreamRequest,
  reply: FastifyReply,
  options: StreamOptions,
): Promise<void> {
  const { shows, isOperatorKey } = options;
  const { key } = request;
  await withRoom(request, reply, options.registry, async () => {
    if (!SHOW_NAME.test(name)) throw new PollError('show_not_found');
    const access = showAccess({ key, isOperatorKey });
    if (access) {
      // Without a key, an unknown show has nothing on air. With a key it is an error.
      const found = await shows.find(name);
      if (!found) throw new PollError('show_not_found');
      authorizeShow(found, access, 'read');
    }
    return () => {
      const connection = open(request, reply, options.registry, key !== undefined);
      const session = new ShowSession(name, { ...options, ...request }, connection);
      connection.session = session;
      session.begin();
    };
  });
}

/**
 * Reserves a connection of the address while `authorize` runs.
 *
 * @param authorize resolves to a function that opens the stream
 * @throws PollError `rate_limited`, and errors of `authorize`
 */
async function withRoom(
  { address }: StreamRequest,
  reply: FastifyReply,
  registry: ConnectionRegistry,
  authorize: () => Promise<() => void>,
): Promise<void> {
  const release = registry.hold(address);
  if (!release) {
    reply.header('retry-after', FULL_RETRY_SECONDS);
    writeAllowance(reply, { name: 'connections', max: registry.maxPerAddress }, 0, FULL_RETRY_SECONDS);
    throw new PollError('rate_limited', { message: 'Too many live connections from this address.' });
  }
  try {
    const openStream = await authorize();
    // A response that is already destroyed emits no event that would remove it from the registry.
    if (!reply.raw.destroyed) openStream();
  } finally {
    release();
  }
}

function open(
  { address, heartbeatMs }: StreamRequest,
  reply: FastifyReply,
  registry: ConnectionRegistry,
  isPrivate: boolean,
): EventStreamConnection {
  reply.raw.useChunkedEncodingByDefault = false;
  const response = beginEvents(reply, {
    'cache-control': isPrivate ? 'private, no-store' : 'no-store',
    connection: 'close',
  });
  response.flushHeaders();
  const connection = new EventStreamConnection(response);
  connection.heartbeatMs = heartbeatMs;
  connection.register(registry, address);
  response.on('close', () => connection.onClosed());
  return connection;
}

/** An `EventSource` waits that long before it reconnects. */
function retryWithin({ min, spread }: typeof RETRY_MS): string {
  return `retry: ${Math.round(min + Math.random() * spread)}\n\n`;
}
