import { type KeyObject, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { type ChatListener, type ChatSource, withoutEmotes } from './chat-source.ts';
import { parseJson } from './json-objects.ts';
import { PlatformClock } from './platform-clock.ts';

const FRESH_MS = 5 * 60_000;
/**
 * Ids of webhooks that are kept, so that a repeated one is dropped: some ten megabytes. Beyond it the oldest is
 * forgotten, and each user still counts once.
 */
const MAX_IDS = 100_000;
const MAX_HEADER = 100;
/** A message has 500 characters at most, and the names and pictures of three users. */
const MAX_BODY_BYTES = 16_384;

/** Kick's own emotes, like `[emote:37226:KEKW]`. */
const EMOTE = /\[emote:\d+:([^\]\s]*)\]/g;

const user = z.object({ user_id: z.int() });
const event = z.object({
  broadcaster: z.object({ channel_slug: z.string(), username: z.string() }),
  message_id: z.string().optional(),
  sender: user.optional(),
  content: z.string().optional(),
  created_at: z.string().optional(),
  banned_user: user.optional(),
});

interface KickOptions {
  /** Kick's, RSA or Ed25519. */
  readonly publicKey: KeyObject;
  /** UNIX time in milliseconds. */
  readonly clock: () => number;
  /** Address of Kick's API, whose replies have the time; undefined for none. */
  readonly url?: string | undefined;
}

type Rejected = 'headers' | 'timestamp' | 'signature';

/**
 * Chats of Kick, which sends its messages to `POST /chat/kick`. Another app that gets webhooks of
 * Kick could send them here as well, so only fresh ones of joined channels are told, each once.
 * What kind of event it is, its body alone says: Kick signs no other header.
 */
export class KickSource implements ChatSource {
  readonly platform = 'kick';
  readonly hearsAll = false;
  readonly clock: PlatformClock | undefined;
  readonly #options: KickOptions;
  #listener: ChatListener | undefined;
  readonly #joined = new Set<string>();
  readonly #seen = new LRUCache<string, true>({ max: MAX_IDS });

  constructor(options: KickOptions) {
    this.#options = options;
    this.clock = options.url === undefined ? undefined : new PlatformClock();
  }

  /** Until it is called, webhooks are of no joined channel. */
  open(listener: ChatListener): this {
    this.#listener = listener;
    return this;
  }

  join(channel: string): void {
    this.#joined.add(channel);
    this.clock?.start(`${this.#options.url}/public/v1/public-key`);
  }

  leave(channel: string): void {
    this.#joined.delete(channel);
    if (this.#joined.size === 0) this.clock?.stop();
  }

  async close(): Promise<void> {
    for (const channel of this.#joined) this.leave(channel);
  }

  /** @returns why it is rejected, undefined for whatever Kick has signed, also if nothing comes of it */
  take(headers: IncomingHttpHeaders, body: Buffer): Rejected | undefined {
    const { publicKey, clock } = this.#options;
    const id = headers['kick-event-message-id'];
    const timestamp = headers['kick-event-message-timestamp'];
    const signature = headers['kick-event-signature'];
    if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string')
      return 'headers';
    if (id.length > MAX_HEADER || timestamp.length > MAX_HEADER) return 'headers';
    // Not a number is not fresh either.
    const nowMs = this.clock?.at(performance.now()) ?? clock();
    if (!(Math.abs(nowMs - Date.parse(timestamp)) <= FRESH_MS)) return 'timestamp';
    const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
    const digest = publicKey.asymmetricKeyType === 'rsa' ? 'sha256' : null;
    if (!verify(digest, signed, publicKey, Buffer.from(signature, 'base64'))) return 'signature';
    if (this.#seen.has(id)) return undefined;
    this.#seen.set(id, true);
    this.#tell(body);
    return undefined;
  }

  #tell(body: Buffer): void {
    const listener = this.#listener;
    const { data } = event.safeParse(parseJson(body.toString()));
    if (!data) return;
    const { broadcaster, message_id: messageId, sender, content, created_at, banned_user } = data;
    // A link may have the name of the user, which the address of the channel writes otherwise.
    const names = [broadcaster.channel_slug, broadcaster.username].map(name => name.toLowerCase());
    const channel = names.find(name => this.#joined.has(name));
    if (!listener || channel === undefined) return;
    listener.state(channel, 'connected');
    if (banned_user) {
      listener.banned(channel, `${banned_user.user_id}`);
      return;
    }
    const atMs = Date.parse(created_at ?? '');
    if (messageId === undefined || !sender || content === undefined || Number.isNaN(atMs)) return;
    const userId = `${sender.user_id}`;
    listener.message({ channel, userId, messageId, ...withoutEmotes(content, EMOTE), atMs });
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A signature shows where its requests are from, and no rule of browsers. */
    readonly isSigned?: boolean;
  }
}

/**
 * The one address that takes webhooks. Replies say nothing but 200 for what Kick has signed, and
 * 403: Kick ends a subscription after many errors.
 */
export async function kickRoutes(app: FastifyInstance, { kick }: { kick: KickSource }): Promise<void> {
  app.removeAllContentTypeParsers();
  // The bytes that were signed.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  app.setErrorHandler<{ statusCode?: number }>((error, _, reply) => {
    const { statusCode = 500 } = error;
    if (statusCode >= 500) throw error;
    void reply.code(statusCode).send();
  });
  const options = { bodyLimit: MAX_BODY_BYTES, config: { isSigned: true } };
  app.post('/chat/kick', options, (request, reply) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const wrong = kick.take(request.headers, body);
    if (wrong !== undefined) request.log.warn({ wrong }, 'webhook of Kick rejected');
    void reply.code(wrong === undefined ? 200 : 403).send();
  });
}
