import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  packBallots,
  packTexts,
  type UnpackedBallot,
  unpackBlock,
} from '../../../src/engine/redis/packed-ballots.ts';

const CAST_AT_MS = 1_795_314_825_123;

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 128 });
const ballot = fc.record({
  ballotId: fc.oneof(
    text,
    fc.uuid(),
    fc.uuid().map(id => id.toUpperCase()),
    fc.constant('\u0001'),
  ),
  voter: text,
  address: text,
  proof: fc.oneof(text, fc.constant('')),
  answers: fc
    .array(fc.stringMatching(/^[\w-]{1,40}$/), { minLength: 1, maxLength: 100 })
    .map(ids => ids.join()),
  name: fc.oneof(text, fc.constant(''), fc.constant('n'.repeat(60_000))),
});

/** One call of a block, as cast-ballots writes it. */
function keep(ballots: readonly UnpackedBallot[]): Buffer {
  const head = Buffer.alloc(7);
  head.writeUIntBE(CAST_AT_MS, 0, 6);
  head.writeUInt8(ballots.length, 6);
  return Buffer.concat([head, packTexts(ballots)]);
}

it('gives back what it packed, whatever the texts are', () => {
  fc.assert(
    fc.property(fc.array(fc.array(ballot, { minLength: 1, maxLength: 5 }), { maxLength: 3 }), calls => {
      const kept = [...unpackBlock(Buffer.concat(calls.map(keep)))];
      expect(kept).toEqual(
        calls.flat().map(({ ballotId, answers, name }) => ({
          ballotId,
          answers: answers.split(','),
          name: name === '' ? null : name,
          castAtMs: CAST_AT_MS,
        })),
      );
    }),
    { numRuns: 200 },
  );
});

it('packs many ballots like each alone, and a UUID in its 16 bytes', () => {
  const ballots = fc.sample(ballot, 100);
  const alone = ballots.map(each => packBallots([each]));
  // Byte by byte, a matcher takes seconds for megabytes of long names.
  for (const [place, column] of packBallots(ballots).entries())
    expect(column.equals(Buffer.concat(alone.map(packed => packed[place]!)))).toBe(true);
  const one = { ...ballots[0]!, answers: 'a', name: '' };
  const bytes = (ballotId: string) => packTexts([{ ...one, ballotId }]).length;
  expect(bytes('00000000-0000-4000-8000-000000000000')).toBe(bytes('x'.repeat(16)));
});

it('has nothing of an empty block', () => {
  expect([...unpackBlock(Buffer.alloc(0))]).toEqual([]);
});
