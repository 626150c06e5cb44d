import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { KeyedHash } from '../../src/voting/voter/keyed-hash.ts';
import { VotingSecret } from '../../src/voting/voter/voting-secret.ts';

const KEYS = [Buffer.alloc(0), Buffer.from('secret'), Buffer.alloc(32, 0xa5), Buffer.alloc(64, 0xff)];
const TEXTS = [
  '',
  'a',
  'x'.repeat(63),
  'x'.repeat(64),
  'ü€😀',
  '\ud800 alone',
  '\0"\\\n',
  // The longest that goes the short way, in bytes of one and of three a character, and the shortest that does not.
  'x'.repeat(1_024),
  '€'.repeat(1_024),
  'x'.repeat(1_025),
  '€'.repeat(20_000),
];

it('is HMAC-SHA256, whatever the text and whoever was asked before', () => {
  const hashes = KEYS.map(key => ({ key, hash: new KeyedHash(key) }));
  for (const text of TEXTS)
    for (const { key, hash } of hashes)
      expect(hash.digest(text)).toBe(createHmac('sha256', key).update(text).digest('base64url'));
});

it('takes no key that would have to be shortened', () => {
  expect(() => new KeyedHash(Buffer.alloc(65))).toThrow(RangeError);
});

it('opens a seal in its very characters alone', () => {
  const secret = new VotingSecret(KEYS[2]!);
  const sealed = secret.seal('voter', 'somebody');
  expect(secret.unseal('voter', sealed)).toBe('somebody');
  const last = sealed.charCodeAt(sealed.length - 1);
  for (const other of [String.fromCharCode(last + 0x100), '\0', '', '€'])
    expect(secret.unseal('voter', sealed.slice(0, -1) + other)).toBeUndefined();
  // As many characters, and fewer or more bytes.
  for (const wrong of ['€'.repeat(32), `${'x'.repeat(30)}€x`, `${'x'.repeat(31)}ü`])
    expect(secret.unseal('voter', `somebody.${wrong}`)).toBeUndefined();
});
