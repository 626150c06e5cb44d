import { describe, expect, it } from 'vitest';
import { CheckpointSigner, createLogKey, openCheckpoint } from '../../src/audit/note.ts';

const origin = 'vote.example.org/api/poll/abcdefghijk/log';
const root = Buffer.alloc(32, 7);
const signer = new CheckpointSigner(createLogKey());
const key = signer.verifierKey(origin);

describe('a checkpoint', () => {
  it('is opened with the key of its log', () => {
    expect(openCheckpoint(signer.sign({ origin, size: 20, root }), key)).toEqual({ origin, size: 20, root });
  });

  it('is opened with the signatures of witnesses beside that of the log', () => {
    const note = `${signer.sign({ origin, size: 0, root })}— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcr\n`;
    expect(openCheckpoint(note, key).size).toBe(0);
  });

  it.each([
    ['another size', (note: string) => note.replace('\n20\n', '\n21\n'), 'signature'],
    ['another root', (note: string) => note.replace('\nBwc', '\nCwc'), 'signature'],
    ['another origin', (note: string) => note.replaceAll('vote.', 'note.'), 'not of vote.example.org'],
    ['no signature', (note: string) => note.slice(0, note.indexOf('—')), 'signature'],
    ['no text', () => '', 'not a signed note'],
  ])('with %s is rejected', (_, change, words) => {
    expect(() => openCheckpoint(change(signer.sign({ origin, size: 20, root })), key)).toThrow(words);
  });

  it('is rejected with the key of another server', () => {
    const other = new CheckpointSigner(createLogKey()).verifierKey(origin);
    expect(() => openCheckpoint(signer.sign({ origin, size: 20, root }), other)).toThrow('signature');
  });

  it.each([key.slice(0, -4), key.replace('vote.', 'note.'), 'x', ''])(
    'is rejected with the broken key %j',
    broken => {
      expect(() => openCheckpoint(signer.sign({ origin, size: 20, root }), broken)).toThrow('verifier key');
    },
  );
});
