import { randomBytes } from 'node:crypto';
import type { Engine } from '../engine/engine.ts';
import { createKey, hashKey, type Scope } from '../poll/poll-key.ts';
import { hasStackedMarks, visibleText } from '../poll/visible-text.ts';

/** Operator keys that are created and revoked while servers run. One record of the engine holds the digests of all. */

/** Name of the record, and topic of its hints. */
export const OPERATOR_KEYS = 'operator-keys';

/** Each request with a key compares it with all of them. */
export const MAX_KEYS = 1_000;
/** No control characters, which could forge a line of a listing. */
export const KEY_NAME = /^[^\p{C}\p{Z}]([^\p{C}]{0,62}[^\p{C}\p{Z}])?$/u;

export interface OperatorKey {
  /** 8 characters; not secret. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly hash: string;
  readonly createdAtMs: number;
  /** UNIX time in milliseconds; null for never. */
  readonly expiresAtMs: number | null;
}

export type NewOperatorKey = Pick<OperatorKey, 'name' | 'scopes' | 'expiresAtMs'>;

type Ports = Pick<Engine, 'hints' | 'records'>;

export function parseOperatorKeys(text: string | undefined): readonly OperatorKey[] {
  return text === undefined ? [] : (JSON.parse(text) as { keys: OperatorKey[] }).keys;
}

/** Returns all keys in order of creation, including expired ones. */
export async function listOperatorKeys({ records }: Pick<Ports, 'records'>): Promise<readonly OperatorKey[]> {
  return parseOperatorKeys(await records.find(OPERATOR_KEYS));
}

/**
 * Creates a key, which servers accept within a second. Only its digest is stored.
 * @throws RangeError if the name is invalid or taken, or there are too many keys
 */
export async function createOperatorKey(
  engine: Ports,
  { name, scopes, expiresAtMs }: NewOperatorKey,
  nowMs: number,
): Promise<{ readonly key: string; readonly created: OperatorKey }> {
  const visible = visibleText(name);
  if (!KEY_NAME.test(name) || visible === '' || hasStackedMarks(name))
    throw new RangeError(
      'The name of a key has 1 to 64 characters that can be seen, no control characters and at most four marks on a letter',
    );
  const key = createKey('operator');
  const id = randomBytes(4).toString('hex');
  const created = { id, name, scopes, hash: hashKey(key), createdAtMs: nowMs, expiresAtMs };
  await rewrite(engine, keys => {
    if (findKey(keys, name) ?? keys.find(key => visibleText(key.name) === visible))
      throw new RangeError(`There is already a key called ${name}. Revoke it, or choose another name`);
    if (keys.length >= MAX_KEYS)
      throw new RangeError(`There are already ${MAX_KEYS} keys. Revoke some first`);
    return [...keys, created];
  });
  return { key, created };
}

/** Adds keys of an archive. @returns those that were not there */
export async function addOperatorKeys(
  engine: Ports,
  given: readonly OperatorKey[],
): Promise<readonly OperatorKey[]> {
  let added: readonly OperatorKey[] = [];
  await rewrite(engine, keys => {
    added = given.filter(({ id, hash }) => !keys.some(key => key.id === id || key.hash === hash));
    if (keys.length + added.length > MAX_KEYS)
      throw new RangeError(
        `With those of the archive there would be more than ${MAX_KEYS} keys. Revoke some first`,
      );
    return [...keys, ...added];
  });
  return added;
}

/**
 * Revokes a key by name or id; within a second, servers reject it and close its streams. Returns
 * undefined if unknown.
 */
export async function revokeOperatorKey(engine: Ports, name: string): Promise<OperatorKey | undefined> {
  let revoked: OperatorKey | undefined;
  await rewrite(engine, keys => {
    revoked = findKey(keys, name);
    return keys.filter(key => key !== revoked);
  });
  return revoked;
}

function findKey(keys: readonly OperatorKey[], name: string): OperatorKey | undefined {
  return keys.find(key => key.id === name) ?? keys.find(key => key.name === name);
}

/** Repeats until no other process has written in between. Each round lets one process finish, so it ends. */
async function rewrite(
  { records, hints }: Ports,
  next: (keys: readonly OperatorKey[]) => readonly OperatorKey[],
): Promise<void> {
  for (;;) {
    const text = await records.find(OPERATOR_KEYS);
    const wanted = JSON.stringify({ keys: next(parseOperatorKeys(text)) });
    const written =
      text === undefined
        ? (await records.putIfAbsent(OPERATOR_KEYS, wanted)) === wanted
        : await records.replace(OPERATOR_KEYS, text, wanted);
    if (!written) continue;
    // If the hint is lost, the sweep of the servers finds the change.
    await hints.publish(OPERATOR_KEYS).catch(() => {});
    return;
  }
}
