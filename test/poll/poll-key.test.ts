import { describe, expect, it } from 'vitest';
import {
  createKey,
  hashKey,
  judgeAccess,
  judgeManaging,
  presentKey,
  type Scope,
  sameDigest,
} from '../../src/poll/poll-key.ts';

const [admin, view, other] = [createKey('admin'), createKey('view'), createKey('view')];
const KEYS = { adminKeyHash: hashKey(admin), viewKeyHash: hashKey(view) };
const OPERATOR = 'operator-key-of-the-tests';
const SCOPES: Record<string, readonly Scope[]> = {
  [OPERATOR]: ['create', 'manage', 'read'],
  'operator who reads': ['read'],
  'operator who manages': ['manage'],
  'operator who creates': ['create'],
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
    ['operator who reads', 'header', 'granted'],
    ['operator who reads', 'query', 'rejected'],
    ['operator who manages', 'header', 'granted'],
    ['operator who creates', 'header', 'rejected'],
    [other, 'header', 'rejected'],
    [view.slice(0, -1), 'header', 'rejected'],
    [KEYS.viewKeyHash, 'header', 'rejected'],
    [undefined, 'header', 'absent'],
    ['', 'query', 'absent'],
  ] as const)('%s in a %s is %s', (key, carrier, access) => {
    expect(judgeAccess(presentKey(key, carrier), KEYS, isOperator)).toBe(access);
  });

  it.each([
    [admin, 'granted'],
    [view, 'rejected'],
    [OPERATOR, 'granted'],
    ['operator who reads', 'rejected'],
    ['operator who manages', 'granted'],
    ['operator who creates', 'rejected'],
    ['', 'absent'],
  ] as const)('to manage, with %s, is %s', (key, access) => {
    expect(judgeManaging(presentKey(key, 'header'), KEYS, isOperator)).toBe(access);
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
