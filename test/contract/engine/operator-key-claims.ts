import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { hashKey } from '../../../src/poll/poll-key.ts';
import { KeyRing } from '../../../src/show/key-ring.ts';
import {
  createOperatorKey,
  listOperatorKeys,
  type NewOperatorKey,
  OPERATOR_KEYS,
  revokeOperatorKey,
} from '../../../src/show/operator-keys.ts';
import { type EngineSubject, eventually } from './engine-subject.ts';

const MINUTE_MS = 60_000;

/** Keys that are made and revoked in one process and used in another. */
export function operatorKeyClaims(subject: EngineSubject): void {
  const make = (wishes: Partial<NewOperatorKey> = {}) =>
    createOperatorKey(
      subject.engine,
      { name: `desk ${randomUUID()}`, scopes: ['manage'], expiresAtMs: null, ...wishes },
      Date.now(),
    );
  const openRing = async (clock = Date.now) => {
    const ring = new KeyRing({ engine: subject.other, configured: ['a key of the settings'], clock });
    await ring.ready;
    return ring;
  };

  it('opens its scopes until it is revoked, in every process', async () => {
    const ring = await openRing();
    const { key, created } = await make({ scopes: ['create', 'read'] });
    const hash = hashKey(key);
    await eventually(() => expect(ring.isOperatorKey(hash, 'read')).toBe(true));
    expect([ring.isOperatorKey(hash, 'create'), ring.isOperatorKey(hash, 'manage')]).toEqual([true, false]);
    const late = await openRing();
    expect(late.isOperatorKey(hash, 'read')).toBe(true);
    expect(await revokeOperatorKey(subject.engine, created.id)).toEqual(created);
    await eventually(() => expect(ring.isOperatorKey(hash, 'read')).toBe(false));
    expect(ring.isOperatorKey(hashKey('a key of the settings'), 'manage')).toBe(true);
    for (const opened of [ring, late]) opened.close();
  });

  it('expires by itself, and announces it', async () => {
    let nowMs = Date.now();
    const { key } = await make({ expiresAtMs: nowMs + 1_500 });
    const ring = await openRing(() => nowMs);
    let changes = 0;
    ring.onChange(() => {
      changes += 1;
    });
    expect(ring.isOperatorKey(hashKey(key), 'manage')).toBe(true);
    nowMs += MINUTE_MS;
    expect(ring.isOperatorKey(hashKey(key), 'manage')).toBe(false);
    await eventually(() => expect(changes).toBeGreaterThan(0));
    ring.close();
  });

  it('is stored as a digest only', async () => {
    const { key, created } = await make();
    const text = await subject.other.records.find(OPERATOR_KEYS);
    expect(text).toContain(hashKey(key));
    expect(text).not.toContain(key);
    expect(key).toMatch(/^operator_[\w-]{43}$/);
    expect(await listOperatorKeys(subject.other)).toContainEqual(created);
  });

  it('has a unique name, and none is lost if many are made and revoked at once', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => make()));
    const [gone, kept] = [made.slice(0, 5), made.slice(5)];
    const newcomers = Promise.all(Array.from({ length: 5 }, () => make()));
    await Promise.all(gone.map(({ created }) => revokeOperatorKey(subject.other, created.name)));
    const expected = [...kept, ...(await newcomers)].map(({ created }) => created.hash);
    const hashes = (await listOperatorKeys(subject.engine)).map(({ hash }) => hash);
    expect(hashes).toEqual(expect.arrayContaining(expected));
    for (const { created } of gone) expect(hashes).not.toContain(created.hash);
    await expect(make({ name: kept[0]!.created.name })).rejects.toThrow('There is already a key called');
    await expect(make({ name: 'two\nlines' })).rejects.toThrow('control characters');
    expect(await revokeOperatorKey(subject.engine, randomUUID())).toBeUndefined();
  });
}
