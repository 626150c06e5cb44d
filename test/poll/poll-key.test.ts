import { describe, expect, it } from 'vitest';
import {
  authorizeManage,
  authorizeRead,
  createKey,
  hashKey,
  presentKey,
  type Scope,
  sameDigest,
} from '../../src/poll/poll-key.ts';

const [admin, view, other] = [createKey('admin'), createKey('view'), createKey('view')];
const KEYS = { adminKeyHash: hashKey(admin), viewKeyHash: hashKey(view) };
const OPERATOR = 'operator-key-of-the-tests';
const SCOPES: Record<string, readonly Scope[]> = {
  [OPERATOR]: ['create', 'manage', 'read'],
  'reading operator': ['read'],
  'managing operator': ['manage'],
  'creating operator': ['create'],
};
const isOperator = (hash: string, scope: Scope) =>
  Object.entries(SCOPES).some(([key, scopes]) => hashKey(key) === hash && scopes.includes(scope));

describe('access', () => {
  it.each([
    [admin, 'header', 'granted'],
    [admin, 'message', 'granted'],
    [admin, 'query', 'rejected'],
    [view, 'header', 'granted'],
    [view, 'query', 'granted'],
    [OPERATOR, 'header', 'granted'],
    [OPERATOR, 'query', 'rejected'],
    ['reading operator', 'header', 'granted'],
    ['reading operator', 'query', 'rejected'],
    ['managing operator', 'header', 'granted'],
    ['creating operator', 'header', 'rejected'],
    [other, 'header', 'rejected'],
    [view.slice(0, -1), 'header', 'rejected'],
    [KEYS.viewKeyHash, 'header', 'rejected'],
    [undefined, 'header', 'absent'],
    ['', 'query', 'absent'],
  ] as const)('%s in a %s is %s', (key, carrier, access) => {
    expect(authorizeRead(presentKey(key, carrier), KEYS, isOperator)).toBe(access);
  });

  it.each([
    [admin, 'granted'],
    [view, 'rejected'],
    [OPERATOR, 'granted'],
    ['reading operator', 'rejected'],
    ['managing operator', 'granted'],
    ['creating operator', 'rejected'],
    ['', 'absent'],
  ] as const)('to manage, with %s, is %s', (key, access) => {
    expect(authorizeManage(presentKey(key, 'header'), KEYS, isOperator)).toBe(access);
  });
});

describe('keys', () => {
  it('are 256 random bits each, and say what they are for', () => {
    const keys = Array.from({ length: 100 }, () => createKey('view'));
    expect(new Set(keys).size).toBe(100);
    for (const key of keys) expect(key).toMatch(/^view_[\w-]{43}$/);
  });

  it('digests of different lengths are different, and no reason to throw', () => {
    expect(sameDigest('', 'a'.repeat(64))).toBe(false);
    expect(sameDigest('a'.repeat(64), 'a'.repeat(64))).toBe(true);
  });
});
