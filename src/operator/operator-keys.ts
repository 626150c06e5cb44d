import { randomBytes } from 'node:crypto';
import type { Engine } from '../engine/engine.ts';
import { createKey, hashKey, type Scope } from '../poll/poll-key.ts';

/**
 * Keys of the operator that are made and revoked while the servers run. They lie in one record of the engine, so that a process
 * reads them all at once, and of each only its digest.
 */

/** Name of the record, and topic of hints about it. */
export const OPERATOR_KEYS = 'operator-keys';

/** Each request that shows a key compares it with all of them. */
export const MAX_KEYS = 1_000;
/** Of no use in a name, and of much to one who forges a line of a listing. */
export const KEY_NAME = /^[^\p{C}\p{Z}]([^\p{C}]{0,62}[^\p{C}\p{Z}])?$/u;

export interface OperatorKey {
  /** 8 characters that name the key to people and open nothing. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** SHA-256, hex. */
  readonly hash: string;
  /** UNIX time in milliseconds. */
  readonly createdAtMs: number;
  /** UNIX time in milliseconds from which the key opens nothing; null for never. */
  readonly expiresAtMs: number | null;
}

/** Of the one who asked. */
export interface NewOperatorKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAtMs: number | null;
}

type Ports = Pick<Engine, 'hints' | 'records'>;

export function parseOperatorKeys(text: string | undefined): readonly OperatorKey[] {
  return text === undefined ? [] : (JSON.parse(text) as { keys: OperatorKey[] }).keys;
}

/** In the order in which they were made, those that have expired included. */
export async function listOperatorKeys({ records }: Pick<Ports, 'records'>): Promise<readonly OperatorKey[]> {
  return parseOperatorKeys(await records.find(OPERATOR_KEYS));
}

/**
 * Makes a key. Servers know it within a second.
 *
 * @returns the key itself, which is stored nowhere
 * @throws RangeError where the name is none, or taken, or there are too many
 */
export async function createOperatorKey(
  engine: Ports,
  { name, scopes, expiresAtMs }: NewOperatorKey,
  nowMs: number,
): Promise<{ readonly key: string; readonly created: OperatorKey }> {
  if (!KEY_NAME.test(name))
    throw new RangeError('A key’s name has 1 to 64 characters, no control characters');
  const key = createKey('operator');
  const id = randomBytes(4).toString('hex');
  const created = { id, name, scopes, hash: hashKey(key), createdAtMs: nowMs, expiresAtMs };
  await rewrite(engine, keys => {
    if (findKey(keys, name))
      throw new RangeError(`There is a key called ${name}: revoke it, or choose another name`);
    if (keys.length >= MAX_KEYS) throw new RangeError(`There are ${MAX_KEYS} keys: revoke some`);
    return [...keys, created];
  });
  return { key, created };
}

/**
 * Ends a key: requests with it are refused within a second, and streams that were opened with it are closed.
 *
 * @param name or id
 * @returns undefined where there is none
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

/** Reads and writes until nobody else wrote in between: somebody gets ahead each time, so it ends. */
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
    // Done is done: where the hint is lost, the sweep of the servers finds it.
    await hints.publish(OPERATOR_KEYS).catch(() => {});
    return;
  }
}
