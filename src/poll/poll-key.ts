import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PollKeys } from './poll.ts';

/** Keys open hidden results. Only their digests are stored, and they are compared in constant time. */

/** Where a caller put the key: a query string ends up in logs and browser histories. */
export type KeyCarrier = 'header' | 'message' | 'query';

export interface PresentedKey {
  /** SHA-256, hex. */
  readonly hash: string;
  readonly carrier: KeyCarrier;
  /** Has the form of a key that a relay creates. */
  readonly isWellFormed?: boolean;
}

export type Access =
  /** May see the counts. */
  | 'granted'
  /** Showed no key. */
  | 'absent'
  /** Showed a key that opens nothing here. */
  | 'rejected';

/** What an operator's key is good for: creating, changing any poll and show, opening hidden results. */
export const SCOPES = ['create', 'manage', 'read'] as const;
export type Scope = (typeof SCOPES)[number];

/** True where the digest belongs to an operator's key that is valid now, and good for this. */
export type IsOperatorKey = (hash: string, scope: Scope) => boolean;

const FORM = /^(admin|view|show|operator)_[\w-]{43}$/;

export function createKey(kind: 'admin' | 'view' | 'show' | 'operator'): string {
  return `${kind}_${randomBytes(32).toString('base64url')}`;
}

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

export function presentKey(key: string | undefined, carrier: KeyCarrier): PresentedKey | undefined {
  return key === undefined || key === ''
    ? undefined
    : { hash: hashKey(key), carrier, isWellFormed: FORM.test(key) };
}

export function judgeAccess(
  key: PresentedKey | undefined,
  keys: PollKeys,
  isOperatorKey: IsOperatorKey,
): Access {
  if (!key) return 'absent';
  const view = sameDigest(key.hash, keys.viewKeyHash);
  const reads = isOperatorKey(key.hash, 'read') && key.carrier !== 'query';
  const managing = judgeManaging(key, keys, isOperatorKey);
  return view || reads ? 'granted' : managing;
}

/**
 * Whether a key changes the poll, too: the admin key, that of the show that owns the poll, or an operator's. A view key only reads.
 * Who may reveal results may read them.
 */
export function judgeManaging(
  key: PresentedKey | undefined,
  keys: PollKeys,
  isOperatorKey: IsOperatorKey,
): Access {
  if (!key) return 'absent';
  const admin = sameDigest(key.hash, keys.adminKeyHash);
  const show = sameDigest(key.hash, keys.showKeyHash ?? '');
  const operator = isOperatorKey(key.hash, 'manage');
  return (admin || show || operator) && key.carrier !== 'query' ? 'granted' : 'rejected';
}

/**
 * Access to change something that does not exist, so that a caller without any key learns nothing about it. A well-formed key may
 * have been the right one before a deletion: it is `granted`, and the reply is 404.
 */
export function judgeMissing(key: PresentedKey | undefined, isOperatorKey: IsOperatorKey): Access {
  if (!key) return 'absent';
  return key.isWellFormed || isOperatorKey(key.hash, 'manage') ? 'granted' : 'rejected';
}

/** Of the poll's own keys; a show may have another one meanwhile. */
export function areSameKeys(a: PollKeys, b: PollKeys): boolean {
  return a.adminKeyHash === b.adminKeyHash && a.viewKeyHash === b.viewKeyHash;
}

export function sameDigest(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
