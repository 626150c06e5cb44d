import { createHash } from 'node:crypto';
import { PollError } from '../poll/poll-error.ts';
import { decrypt, encrypt } from './encrypted-text.ts';

const TTL_MS = 24 * 3_600_000;
const PURPOSE = 'tallycast idempotent reply';

type ReplyName = `kept-reply:${string}`;
export interface ReplyRecords {
  find(name: ReplyName): Promise<string | undefined>;
  putIfAbsent(name: ReplyName, text: string, ttlMs?: number): Promise<string>;
  put(name: ReplyName, text: string, ttlMs?: number): Promise<void>;
  remove(name: ReplyName): Promise<void>;
}

export interface RepeatableRequest {
  /** The caller's `Idempotency-Key`, or another secret of the caller. */
  readonly key: string;
  /** Keys of different callers never match. */
  readonly caller: string;
  readonly body: unknown;
}

interface Kept {
  readonly bodyHash: string;
  readonly sealed: string;
  readonly done?: true;
}

/**
 * Runs `act` once and returns the same reply for 24 hours. The reply is stored first, so that a
 * retry after a crash completes it. It contains keys, so it is encrypted with the caller's key.
 *
 * @param act must be idempotent for the same reply. If it throws a client error, the stored reply is removed
 * @throws PollError `idempotency_key_reused` if the key was used with another body
 */
export async function replyOnce<T>(
  records: ReplyRecords,
  request: RepeatableRequest,
  fresh: T,
  act: (reply: T) => Promise<void>,
): Promise<T> {
  const name = nameOf(request);
  const mine: Kept = {
    bodyHash: hashBody(request),
    sealed: encrypt(JSON.stringify(fresh), request.key, PURPOSE),
  };
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
 * Finds the reply of a completed request. Call it before validation: an accepted body stays
 * accepted after its deadline.
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
  return { kept, reply: JSON.parse(decrypt(kept.sealed, request.key, PURPOSE)) };
}

function nameOf({ caller, key }: RepeatableRequest): ReplyName {
  return `kept-reply:${digest(JSON.stringify([caller, key]))}`;
}

function hashBody({ body }: RepeatableRequest): string {
  try {
    return digest(JSON.stringify(body) ?? '');
  } catch (cause) {
    // Unlike parsing, writing is recursive.
    throw new PollError('invalid_request', { message: 'The body is nested too deeply.', cause });
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
