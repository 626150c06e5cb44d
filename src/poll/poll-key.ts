import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PollKeys } from './poll.ts';

/** Keys give access to hidden results. Only digests are stored, and they are compared in constant time. */

/** Query strings end up in logs and browser histories, so less is allowed there. */
export type KeyCarrier = 'header' | 'message' | 'query';

export interface PresentedKey {
  /** SHA-256, hex. */
  readonly hash: string;
  readonly carrier: KeyCarrier;
  /** Has the form of a key created by a relay. */
  readonly isWellFormed?: boolean;
  /** Has the form of a show's view key. */
  readonly viewsShow?: boolean;
}

/** `absent`: no key was presented. `rejected`: the key gives no access here. */
export type Access = 'granted' | 'absent' | 'rejected';

/** What an operator key allows: creating, changing any poll and show, reading hidden results. */
export const SCOPES = ['create', 'manage', 'read'] as const;
export type Scope = (typeof SCOPES)[number];

/** Whether the digest belongs to a currently valid operator key with this scope. */
export type IsOperatorKey = (hash: string, scope: Scope) => boolean;

const FORM = /^(admin|view|show|show_view|operator)_[\w-]{43}$/;
const SHOW_VIEW = 'show_view';

export function createKey(kind: 'admin' | 'view' | 'show' | typeof SHOW_VIEW | 'operator'): string {
  return `${kind}_${randomBytes(32).toString('base64url')}`;
}

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

export function presentKey(key: string | undefined, carrier: KeyCarrier): PresentedKey | undefined {
  return key === undefined || key === ''
    ? undefined
    : {
        hash: hashKey(key),
        carrier,
        isWellFormed: FORM.test(key),
        viewsShow: key.startsWith(`${SHOW_VIEW}_`),
      };
}

/** Whether a key may see the counts. */
export function authorizeRead(
  key: PresentedKey | undefined,
  keys: PollKeys,
  isOperatorKey: IsOperatorKey,
): Access {
  if (!key) return 'absent';
  const view =
    sameDigest(key.hash, keys.viewKeyHash) || sameDigest(key.hash, keys.showKeys?.viewKey?.hash ?? '');
  const reads = isOperatorKey(key.hash, 'read') && key.carrier !== 'query';
  const managing = authorizeManage(key, keys, isOperatorKey);
  return view || reads ? 'granted' : managing;
}

/** Whether a key may change the poll: its admin key, the key of the show that owns it, or an operator key. */
export function authorizeManage(
  key: PresentedKey | undefined,
  keys: PollKeys,
  isOperatorKey: IsOperatorKey,
): Access {
  if (!key) return 'absent';
  const admin = sameDigest(key.hash, keys.adminKeyHash);
  const show = sameDigest(key.hash, keys.showKeys?.keyHash ?? '');
  const operator = isOperatorKey(key.hash, 'manage');
  return (admin || show || operator) && key.carrier !== 'query' ? 'granted' : 'rejected';
}

/**
 * Access to change something that does not exist. A well-formed key may have been valid before a
 * deletion, so it is `granted` and the reply is 404; other callers learn nothing.
 */
export function authorizeMissing(key: PresentedKey | undefined, isOperatorKey: IsOperatorKey): Access {
  if (!key) return 'absent';
  return key.isWellFormed || isOperatorKey(key.hash, 'manage') ? 'granted' : 'rejected';
}

/** Compares the poll's own keys, not that of its show. */
export function areSameKeys(a: PollKeys, b: PollKeys): boolean {
  return a.adminKeyHash === b.adminKeyHash && a.viewKeyHash === b.viewKeyHash;
}

export function sameDigest(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
