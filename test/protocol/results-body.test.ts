import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Reading } from '../../src/poll/poll.ts';
import { positionOf, resultsBody, resultsText } from '../../src/protocol/results-body.ts';
import { readingOf } from '../support/one-poll.ts';

const titled = (title: string, version: number, votes: number[]): Reading => {
  const { poll, ...rest } = readingOf({ version, votes });
  return { ...rest, poll: { ...poll, title } };
};
const later = ({ results, ...rest }: Reading, changes: Partial<Reading['results']> = {}): Reading => ({
  ...rest,
  results: { ...results, readAtMs: results.readAtMs + 61_500, ...changes },
});
const expectExact = (reading: Reading) =>
  expect(resultsText(reading)).toBe(JSON.stringify(resultsBody(reading)));

it('is the body in JSON for any title, for the first read and later ones', () => {
  const votes = fc.tuple(fc.nat(), fc.nat()).map(counts => [...counts]);
  const titles = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('"timestamp":1,', ',"timestamp":', '\\"timestamp":7', '"timestamp\\":'),
  );
  fc.assert(
    fc.property(titles, fc.nat(), votes, (title, version, counts) => {
      const reading = titled(title, version, counts);
      expectExact(reading);
      expectExact(later(reading));
    }),
  );
});

it('is encoded again if anything has changed', () => {
  const reading = titled('Which?', 5, [3, 1]);
  expectExact(reading);
  expectExact(later(reading, { version: 6, votes: [3, 2] }));
  expectExact(later(reading, { version: 6, totalVoters: 5 }));
  expectExact(later(reading, { version: 6, status: 'closed' }));
});

it('has the counts of the engine after it lost some and counted as many others', () => {
  const reading = titled('Which?', 5, [3, 1]);
  expectExact(reading);
  expectExact(later(reading, { votes: [2, 2] }));
});

it('has a position that depends on everything but the timestamp', () => {
  const reading = titled('Which?', 5, [3, 1]);
  const position = positionOf(reading);
  expect(position).toMatch(/^5-[\w-]{12}$/);
  expect(positionOf(later(titled('Which?', 5, [3, 1])))).toBe(position);
  const { poll } = reading;
  const others: Reading[] = [
    titled('What?', 5, [3, 1]),
    { ...reading, poll: { ...poll, id: 'anotherPoll1' } },
    { ...reading, poll: { ...poll, answers: [poll.answers[0]!, { id: 'two', text: 'Zwei' }] } },
    { ...reading, poll: { ...poll, answers: [poll.answers[0]!, { id: 'zwei', text: 'Two' }] } },
    { ...reading, poll: { ...poll, answers: poll.answers.toReversed() } },
    ...[
      { version: 6 },
      { votes: [2, 2] },
      { totalVoters: 9 },
      { voidedVotes: 1 },
      { voidedVotes: 2 },
      { status: 'closed' } as const,
      { deadlineMs: 2_000_000_000_000 },
      { resultsVisibility: 'hidden' } as const,
    ].map(changes => later(reading, changes)),
  ];
  expect(new Set([position, ...others.map(positionOf)]).size).toBe(others.length + 1);
});
