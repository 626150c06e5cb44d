import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { KeyedHash, VotingSecret } from '../../src/voting/voter/voting-secret.ts';

const KEYS = [Buffer.alloc(0), Buffer.from('secret'), Buffer.alloc(32, 0xa5), Buffer.alloc(64, 0xff)];
/** Around the block size and the size of the scratch buffer, in characters of one and of three bytes. */
const TEXTS = [
  ...['', 'a', 'x'.repeat(63), 'x'.repeat(64), 'ü€😀', '\ud800 alone', '\0"\\\n'],
  ...['x'.repeat(1_024), '€'.repeat(1_024), 'x'.repeat(1_025), '€'.repeat(20_000)],
];

it('hashes every text as HMAC-SHA256 does, with interleaved keys', () => {
  const hashes = KEYS.map(key => ({ key, hash: new KeyedHash(key) }));
  for (const text of TEXTS)
    for (const { key, hash } of hashes)
      expect(hash.digest(text)).toBe(createHmac('sha256', key).update(text).digest('base64url'));
});

it('rejects keys of more than one block', () => {
  expect(() => new KeyedHash(Buffer.alloc(65))).toThrow(RangeError);
});

it('opens a seal only if every character is unchanged', () => {
  const secret = new VotingSecret(KEYS[2]!);
  const sealed = secret.seal('voter', 'id');
  expect(secret.unseal('voter', sealed)).toBe('id');
  const last = sealed.charCodeAt(sealed.length - 1);
  for (const other of [String.fromCharCode(last + 0x100), '\0', '', '€'])
    expect(secret.unseal('voter', sealed.slice(0, -1) + other)).toBeUndefined();
  // The right number of characters or of bytes, but not of both.
  for (const wrong of ['€'.repeat(32), `${'x'.repeat(30)}€x`, `${'x'.repeat(29)}€`])
    expect(secret.unseal('voter', `id.${wrong}`)).toBeUndefined();
});
