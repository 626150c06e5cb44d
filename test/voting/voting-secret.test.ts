import { expect, it } from 'vitest';
import { VotingSecret } from '../../src/pages/voter/voting-secret.ts';

it('keeps the bytes of what is stored: hashes of voters and addresses, secrets of polls', () => {
  const secret = new VotingSecret(Buffer.alloc(32, 7));
  expect(secret.hash('voter', 'id')).toBe('EPk1IDXjlZJyw6QLB9EjMVIOJkvZ4TYK');
  expect(secret.bytes('poll', 'abcdefabcdef').toString('base64url')).toBe(
    'LX4qY3XH9Ida37ZsGpvulkz10PnOr5FWopqC6XJfGs8',
  );
  expect(secret.forPoll('abcdefabcdef').hash('address', 'ü€😀')).toBe('EPHWS0sHqENIuGD_lnqJbFTAWOU28zvT');
});

it('opens a seal only if every character is unchanged', () => {
  const secret = new VotingSecret(Buffer.alloc(32, 0xa5));
  const sealed = secret.seal('voter', 'id');
  expect(secret.unseal('voter', sealed)).toBe('id');
  const last = sealed.charCodeAt(sealed.length - 1);
  for (const other of [String.fromCharCode(last + 0x100), '\0', '', '€'])
    expect(secret.unseal('voter', sealed.slice(0, -1) + other)).toBeUndefined();
  // The right number of characters or of bytes, but not of both.
  for (const wrong of ['€'.repeat(32), `${'x'.repeat(30)}€x`, `${'x'.repeat(29)}€`])
    expect(secret.unseal('voter', `id.${wrong}`)).toBeUndefined();
});
