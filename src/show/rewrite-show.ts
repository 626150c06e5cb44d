import { hash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../engine/engine.ts';
import { notFound } from '../engine/not-found.ts';
import { takeTurn } from '../engine/turns.ts';
import { type PollId, SHOW_NAME } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import {
  type Access,
  authorizeMissing,
  type IsOperatorKey,
  type PresentedKey,
  sameDigest,
} from '../poll/poll-key.ts';
import type { GuardedPress } from './press-guard.ts';
import { type Press, parseShow, type StoredShow, showTopic } from './show.ts';

/** The only way to change a show: every change is authorized here. */

export interface ShowAccess {
  readonly key: PresentedKey | undefined;
  readonly isOperatorKey: IsOperatorKey;
  /** Called before a write. @throws PollError `request_expired` */
  readonly rejectExpired?: (() => void) | undefined;
  /** Called with the ETag of the show before a write. @throws PollError `precondition_failed` */
  readonly requireMatch?: ((etag: string) => void) | undefined;
}

export interface ShowRequest extends ShowAccess, GuardedPress {
  /** The version that the caller knows. If the show has another one, nothing is changed. */
  readonly version?: number | undefined;
  /** What the caller saw on air. If something else is by now, nothing is changed. */
  readonly ifOnAir?: PollId | null | undefined;
  readonly press?: Press | undefined;
  /** True if an earlier try of the same request was carried out: the key may be a new one since. */
  readonly isMade?: ((stored: StoredShow) => boolean) | undefined;
}

type Ports = Pick<Engine, 'hints' | 'records' | 'events'>;

/** Retries arrive within seconds, so this many are enough. */
const MAX_PRESSES = 50;
const DIGEST_CHARACTERS = 22;

/** @param what the whole change */
export function pressOf(idempotencyKey: string, what: unknown): Press {
  return { key: digest(idempotencyKey), what: digest(JSON.stringify(what)) };
}

/**
 * @param access if the caller needs a key
 * @throws PollError `show_not_found`, with `access` also `api_key_required`, `api_key_rejected`
 */
export async function readShow(
  ports: Pick<Ports, 'records' | 'events'>,
  name: string,
  access?: ShowAccess,
): Promise<StoredShow> {
  return parseShow(await readText(ports, name, access));
}

/**
 * Reads, authorizes and writes, and retries if another process wrote in between. Publishes a hint for followers.
 *
 * @param next undefined removes the show, the same object leaves it unchanged
 * @throws PollError `show_not_found`, `api_key_required`, `api_key_rejected`, `on_air_changed`, `show_changed`,
 *   `precondition_failed`, `idempotency_key_reused`
 */
export function rewriteShow<Next extends StoredShow | undefined>(
  ports: Ports,
  name: string,
  request: ShowRequest,
  next: (stored: StoredShow) => Promise<Next>,
): Promise<Next | StoredShow> {
  const { records, hints, events } = ports;
  return takeTurn(records, name, async () => {
    for (;;) {
      const text = await readText(ports, name, request);
      const stored = parseShow(text);
      if (request.isMade?.(stored)) return stored;
      authorizeShow(stored, request);
      if (wasMade(stored, request.press)) return stored;
      if (request.ifOnAir !== undefined && request.ifOnAir !== stored.onAir)
        throw new PollError('on_air_changed');
      request.requireMatch?.(etagOfShow(stored));
      if (request.version !== undefined && request.version !== stored.version)
        throw new PollError('show_changed');
      request.rejectExpired?.();
      const wanted = await next(stored);
      if (wanted === stored && !request.press) return stored;
      // `next` may have taken long.
      request.rejectExpired?.();
      const written = wanted && { ...wanted, ...historyOf(stored, request) };
      if (!written) await events.markDeleted(showTopic(name));
      if (await records.replace(showTopic(name), text, written && JSON.stringify(written))) {
        // If the hint is lost, the followers' sweep finds the change.
        await hints.publish(showTopic(name)).catch(() => {});
        return written as Next;
      }
    }
  });
}

/** A press takes some milliseconds. A relay that died within one holds up the next for so long. */
const LEASE_MS = 2_000;
const LEASE_RETRY_MS = 10;

/**
 * Runs all that enters or leaves the history of a show one after the other over all relays, because a press reads and
 * writes the show and a poll.
 *
 * @throws PollError `show_not_found`, `api_key_required`, `api_key_rejected`, before it waits
 */
export async function pressInTurn<T>(
  ports: Ports,
  name: string,
  access: ShowAccess,
  act: () => Promise<T>,
): Promise<T> {
  const { records } = ports;
  const stored = parseShow(await readText(ports, name, access));
  authorizeShow(stored, access);
  const lease = `press:${name}` as const;
  const id = randomUUID();
  return takeTurn(records, lease, async () => {
    while ((await records.putIfAbsent(lease, id, LEASE_MS)) !== id) await pause(LEASE_RETRY_MS);
    try {
      const done = await act();
      // Followers of the buttons read the poll, too, which has changed after the show.
      await ports.hints.publish(showTopic(name)).catch(() => {});
      return done;
    } finally {
      // If the engine is unavailable, it expires.
      await records.replace(lease, id, undefined).catch(() => {});
    }
  });
}

/** Weak: replies with the same version may differ in what is counted, such as `screens`. */
export function etagOfShow({ version }: Pick<StoredShow, 'version'>): string {
  return `W/"${version}"`;
}

/** @throws PollError `api_key_required`, `api_key_rejected` */
export function authorizeShow(
  stored: StoredShow,
  access: ShowAccess,
  scope: 'manage' | 'read' = 'manage',
): void {
  if (!access.key) requireGranted('absent');
  else if (opensShow(stored, access, scope)) return;
  else if (!opensShow(stored, access, 'read')) requireGranted('rejected');
  throw new PollError('api_key_rejected', {
    message: 'This key only reads the show: it presses and changes nothing. Send the show_key in a header.',
  });
}

function requireGranted(access: Access): void {
  if (access === 'absent')
    throw new PollError('api_key_required', {
      message: 'Changing a show needs its show_key or an operator’s API key.',
    });
  if (access === 'rejected')
    throw new PollError('api_key_rejected', {
      message:
        'This key can’t change or read this show. Send its current show_key in a header; it may have been replaced.',
    });
}

/** @param scope that an operator key needs */
export function opensShow(
  { keyHash, viewKey }: StoredShow,
  { key, isOperatorKey }: ShowAccess,
  scope: 'manage' | 'read' = 'manage',
): boolean {
  if (!key) return false;
  if (scope === 'read' && sameDigest(key.hash, viewKey?.hash ?? '')) return true;
  const owner = sameDigest(key.hash, keyHash);
  const operator = isOperatorKey(key.hash, 'manage') || isOperatorKey(key.hash, scope);
  return (owner || operator) && key.carrier !== 'query';
}

function wasMade({ presses }: StoredShow, press: Press | undefined): boolean {
  const made = press && presses.find(({ key }) => key === press.key);
  if (made && made.what !== press.what)
    throw new PollError('idempotency_key_reused', {
      message: 'This Idempotency-Key was used for another change of this show.',
    });
  return made !== undefined;
}

function historyOf({ version, presses }: StoredShow, { press }: ShowRequest) {
  return {
    version: version + 1,
    changedAtMs: Date.now(),
    presses: press ? [...presses, press].slice(-MAX_PRESSES) : presses,
  };
}

export async function findText(records: Ports['records'], name: string): Promise<string | undefined> {
  return SHOW_NAME.test(name) ? records.find(showTopic(name)) : undefined;
}

async function readText(
  ports: Pick<Ports, 'records' | 'events'>,
  name: string,
  access?: ShowAccess,
): Promise<string> {
  const text = await findText(ports.records, name);
  if (text !== undefined) return text;
  if (access) requireGranted(authorizeMissing(access.key, access.isOperatorKey));
  if (!SHOW_NAME.test(name)) throw new PollError('show_not_found');
  throw await notFound(ports, 'show_not_found', showTopic(name));
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, DIGEST_CHARACTERS);
}
