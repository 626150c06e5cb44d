import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { beginEvents } from '../http/event-stream.ts';
import { writeAllowance } from '../http/rate-limit.ts';
import { traffic } from '../metrics/catalogue.ts';
import { PollError } from '../poll/poll-error.ts';
import { Connection } from './connection.ts';
import type { Roster } from './connection-registry.ts';
import { SseWire } from './sse-wire.ts';

/** When one of the others ends is anybody's guess; this keeps the guesses cheap. */
const FULL_RETRY_SECONDS = 5;

/** What every stream of events has in common. */
export class EventsConnection extends Connection {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    super(new SseWire(response, () => this.heard()), performance.now(), traffic.sse);
    this.#response = response;
  }

  /** Is on the roster for as long as it lives. @param onEnd called once, when it is gone */
  serve(roster: Roster, address: string, onEnd: () => void): void {
    roster.add(this, address);
    this.#response.on('close', () => {
      roster.remove(this);
      onEnd();
    });
  }
}

/**
 * Judges while a place is held, as of a burst no more get in than there is room for, and opens then.
 *
 * @param judge resolves to what opens the stream
 * @throws PollError `rate_limited`, and what `judge` throws: unlike a WebSocket, a stream can be refused with a status
 */
export async function withPlace(
  { address }: { readonly address: string },
  reply: FastifyReply,
  roster: Roster,
  judge: () => Promise<() => void>,
): Promise<void> {
  const giveBack = roster.hold(address);
  if (!giveBack) {
    reply.header('retry-after', FULL_RETRY_SECONDS);
    writeAllowance(reply, { name: 'connections', max: roster.maxPerAddress }, 0, FULL_RETRY_SECONDS);
    throw new PollError('rate_limited', { message: 'Too many live connections from this address.' });
  }
  try {
    const open = await judge();
    // It left meanwhile: no further event would ever take it off the roster.
    if (!reply.raw.destroyed) open();
  } finally {
    giveBack();
  }
}

/** @param isPrivate nobody on the way may keep what is sent */
export function beginStream(reply: FastifyReply, isPrivate: boolean): ServerResponse {
  reply.raw.useChunkedEncodingByDefault = false;
  const response = beginEvents(reply, {
    'cache-control': isPrivate ? 'private, no-store' : 'no-store',
    connection: 'close',
  });
  response.flushHeaders();
  return response;
}
