import { describe, expect, it } from 'vitest';
import { scriptCrypto } from '../../src/audience/check/browser/script-crypto.ts';
import { CheckpointSigner, createLogKey } from '../../src/audit/checkpoint-signer.ts';
import { nodeCrypto } from '../../src/audit/node-crypto.ts';
import { openCheckpoint } from '../../src/audit/note.ts';

const origin = 'vote.example.org/api/poll/abcdefghijk/log';
const root = new Uint8Array(32).fill(7);
const signer = new CheckpointSigner(createLogKey());
const key = signer.verifierKey(origin);

describe.each([
  ['Node.js', nodeCrypto],
  ['a page', scriptCrypto],
])('a checkpoint in %s', (_, crypto) => {
  it('is opened with the key of its log', () => {
    expect(openCheckpoint(crypto, signer.sign({ origin, size: 20, root }), key)).toEqual({
      origin,
      size: 20,
      root,
    });
  });

  it('is opened with the signatures of witnesses beside that of the log', () => {
    const note = `${signer.sign({ origin, size: 0, root })}— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcr\n`;
    expect(openCheckpoint(crypto, note, key).size).toBe(0);
  });

  it.each([
    ['another size', (note: string) => note.replace('\n20\n', '\n21\n'), 'signature'],
    ['another root', (note: string) => note.replace('\nBwc', '\nCwc'), 'signature'],
    ['another origin', (note: string) => note.replaceAll('vote.', 'note.'), 'not of vote.example.org'],
    ['no signature', (note: string) => note.slice(0, note.indexOf('—')), 'signature'],
    ['no text', () => '', 'not a signed note'],
  ])('with %s is rejected', (_, change, words) => {
    expect(() => openCheckpoint(crypto, change(signer.sign({ origin, size: 20, root })), key)).toThrow(words);
  });

  it('is rejected with the key of another server', () => {
    const other = new CheckpointSigner(createLogKey()).verifierKey(origin);
    expect(() => openCheckpoint(crypto, signer.sign({ origin, size: 20, root }), other)).toThrow('signature');
  });

  it.each([key.slice(0, -4), key.replace('vote.', 'note.'), 'x', ''])(
    'is rejected with the broken key %j',
    broken => {
      expect(() => openCheckpoint(crypto, signer.sign({ origin, size: 20, root }), broken)).toThrow(
        'verifier key',
      );
    },
  );
});
