import { hash } from 'node:crypto';
import type { Engine } from '../engine/engine.ts';
import { SHOW_NAME } from '../poll/name-rules.ts';
import { PollError } from '../poll/poll-error.ts';
import {
  type Access,
  type IsOperatorKey,
  judgeMissing,
  type PresentedKey,
  sameDigest,
} from '../poll/poll-key.ts';
import { type Press, parseShow, type StoredShow, showTopic } from './stored-show.ts';

/** The one way to change a show: every other leads through the judgement of its key here. */

/** What somebody shows who wants to read or change a show. */
export interface ShowAccess {
  readonly key: PresentedKey | undefined;
  readonly isOperatorKey: IsOperatorKey;
  /** Asked before anything is written. @throws PollError where the request has come too late */
  readonly refuseLate?: (() => void) | undefined;
}

export interface ShowRequest extends ShowAccess {
  /** The version that whoever asks has seen. Where the show is at another one, nothing is changed. */
  readonly version?: number | undefined;
  readonly press?: Press | undefined;
  /** True where an earlier try of the same request has been made: there is nothing to judge any more. */
  readonly isMade?: ((stored: StoredShow) => boolean) | undefined;
}

type Ports = Pick<Engine, 'hints' | 'records'>;

/** A retry comes within seconds. That many requests may have come in between. */
const MAX_PRESSES = 50;
const DIGEST_CHARACTERS = 22;

/** @param what all that the request asks for */
export function pressOf(idempotencyKey: string, what: unknown): Press {
  return { key: digest(idempotencyKey), what: digest(JSON.stringify(what)) };
}

/**
 * @param access of a caller that needs a key
 * @throws PollError `show_not_found`, with `access` also `api_key_required`, `api_key_rejected`
 */
export async function readShow(
  { records }: Pick<Ports, 'records'>,
  name: string,
  access?: ShowAccess,
): Promise<StoredShow> {
  return parseShow(await readText(records, name, access));
}

/**
 * Reads, judges and writes until nobody else wrote in between: somebody gets ahead each time, so it ends. Followers hear of it.
 *
 * @param next undefined removes the show; what it was handed changes nothing
 * @throws PollError `show_not_found`, `api_key_required`, `api_key_rejected`, `show_changed`, `idempotency_key_reused`
 */
export function rewriteShow<Next extends StoredShow | undefined>(
  ports: Ports,
  name: string,
  request: ShowRequest,
  next: (stored: StoredShow) => Promise<Next>,
): Promise<Next | StoredShow> {
  return inTurn(ports.records, name, () => rewrite(ports, name, request, next));
}

async function rewrite<Next extends StoredShow | undefined>(
  { records, hints }: Ports,
  name: string,
  request: ShowRequest,
  next: (stored: StoredShow) => Promise<Next>,
): Promise<Next | StoredShow> {
  for (;;) {
    const text = await readText(records, name, request);
    const stored = parseShow(text);
    if (request.isMade?.(stored)) return stored;
    judgeShow(stored, request);
    if (wasMade(stored, request.press)) return stored;
    if (request.version !== undefined && request.version !== stored.version)
      throw new PollError('show_changed');
    request.refuseLate?.();
    const wanted = await next(stored);
    if (wanted === stored && !request.press) return stored;
    // What it took to find out may have lasted.
    request.refuseLate?.();
    const written = wanted && { ...wanted, ...historyOf(stored, request) };
    if (await records.replace(showTopic(name), text, written && JSON.stringify(written))) {
      // Done is done: where the hint is lost, the followers' sweep finds it.
      await hints.publish(showTopic(name)).catch(() => {});
      return written as Next;
    }
  }
}

const turns = new WeakMap<object, Map<string, Promise<unknown>>>();

/**
 * Of many in this process who change one show, each waits for the one before: at the same time all tries but one would be in vain.
 * Where the engine is away, those who wait hear it with the first, and nothing of theirs is done later.
 */
async function inTurn<T>(records: object, name: string, act: () => Promise<T>): Promise<T> {
  const queue = turns.get(records) ?? new Map<string, Promise<unknown>>();
  turns.set(records, queue);
  const mine = (queue.get(name) ?? Promise.resolve()).then(act, (error: unknown) => {
    if (error instanceof PollError && error.code === 'engine_unavailable') throw error;
    return act();
  });
  queue.set(name, mine);
  try {
    return await mine;
  } finally {
    if (queue.get(name) === mine) queue.delete(name);
  }
}

/** @throws PollError `api_key_required`, `api_key_rejected` */
export function judgeShow(stored: StoredShow, access: ShowAccess, scope: 'manage' | 'read' = 'manage'): void {
  if (!access.key) refuse('absent');
  else if (!opensShow(stored, access, scope)) refuse('rejected');
}

function refuse(access: Access): void {
  if (access === 'absent')
    throw new PollError('api_key_required', {
      message: 'Changing a show needs its show_key, or an operator’s API key.',
    });
  if (access === 'rejected')
    throw new PollError('api_key_rejected', {
      message:
        'This key does not open this show. Its show_key does, in a header; where the show has a new one, ask whoever made it.',
    });
}

/** @param scope what an operator's key has to be good for */
export function opensShow(
  { keyHash }: StoredShow,
  { key, isOperatorKey }: ShowAccess,
  scope: 'manage' | 'read' = 'manage',
): boolean {
  if (!key) return false;
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

async function readText(records: Ports['records'], name: string, access?: ShowAccess): Promise<string> {
  const text = SHOW_NAME.test(name) ? await records.find(showTopic(name)) : undefined;
  if (text !== undefined) return text;
  if (access) refuse(judgeMissing(access.key, access.isOperatorKey));
  throw new PollError('show_not_found');
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, DIGEST_CHARACTERS);
}
