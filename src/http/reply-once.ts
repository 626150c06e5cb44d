import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { PollError } from '../poll/poll-error.ts';

/**
 * A request that is safe to send again: the same key gives the first reply, and creates nothing. The REST API and the form of
 * the voting front end both create this way.
 */

const TTL_MS = 24 * 3_600_000;
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Where replies are kept. The engine's records are one. */
export interface ReplyRecords {
  find(name: string): Promise<string | undefined>;
  putIfAbsent(name: string, text: string, ttlMs?: number): Promise<string>;
  put(name: string, text: string, ttlMs?: number): Promise<void>;
  remove(name: string): Promise<void>;
}

export interface RepeatableRequest {
  /** The caller's `Idempotency-Key`, or what stands for one: nobody else may guess it. */
  readonly key: string;
  /** Who calls: the same key of somebody else is another key. */
  readonly caller: string;
  readonly body: unknown;
}

interface Kept {
  readonly bodyHash: string;
  readonly sealed: string;
  /** What the reply promises has been done. */
  readonly done?: true;
}

/**
 * Does what a reply promises once, and gives that same reply each time, for 24 hours. The reply is kept first, so that a crash
 * in between is healed by the caller's next try. It holds keys, so it is sealed: who reads the engine alone cannot open it.
 *
 * @param act must be safe to do again with the same reply. Where it refuses, nothing is kept, and the key is free again
 * @throws PollError `idempotency_key_reused` where the key came with another body
 */
export async function replyOnce<T>(
  records: ReplyRecords,
  request: RepeatableRequest,
  fresh: T,
  act: (reply: T) => Promise<void>,
): Promise<T> {
  const name = nameOf(request);
  const mine: Kept = { bodyHash: hashBody(request), sealed: seal(JSON.stringify(fresh), request.key) };
  const { kept, reply } = open<T>(await records.putIfAbsent(name, JSON.stringify(mine), TTL_MS), request);
  if (kept.done) return reply;
  await act(reply).catch(async (error: unknown) => {
    if (error instanceof PollError && error.status < 500) await records.remove(name);
    throw error;
  });
  await records.put(name, JSON.stringify({ ...kept, done: true }), TTL_MS);
  return reply;
}

/**
 * The reply that this request has had, if its promise was kept. Asked before the body is judged: what was accepted once
 * stays accepted, even where its deadline has passed since.
 *
 * @throws PollError `idempotency_key_reused`
 */
export async function findReply<T>(
  records: ReplyRecords,
  request: RepeatableRequest,
): Promise<T | undefined> {
  const text = await records.find(nameOf(request));
  if (text === undefined) return undefined;
  const { kept, reply } = open<T>(text, request);
  return kept.done ? reply : undefined;
}

function open<T>(text: string, request: RepeatableRequest): { kept: Kept; reply: T } {
  const kept: Kept = JSON.parse(text);
  if (kept.bodyHash !== hashBody(request)) throw new PollError('idempotency_key_reused');
  return { kept, reply: JSON.parse(unseal(kept.sealed, request.key)) };
}

function nameOf({ caller, key }: RepeatableRequest): string {
  return `kept-reply:${digest(JSON.stringify([caller, key]))}`;
}

function hashBody({ body }: RepeatableRequest): string {
  try {
    // No body at all is written as nothing.
    return digest(JSON.stringify(body) ?? '');
  } catch (cause) {
    // Parsing takes any depth, writing recurses.
    throw new PollError('invalid_request', { message: 'The body is nested too deeply.', cause });
  }
}

function seal(text: string, key: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, sealingKey(key), iv);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

function unseal(text: string, key: string): string {
  const bytes = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv(CIPHER, sealingKey(key), bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}

function sealingKey(key: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, '', 'tallycast idempotent reply', 32));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
