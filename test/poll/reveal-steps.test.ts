import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Results } from '../../src/poll/poll.ts';
import { placesOf } from '../../src/poll/ranking.ts';
import { nextReveal, type RevealOptions, revealedAnswers } from '../../src/poll/reveal-steps.ts';
import { readingOf } from '../support/one-poll.ts';

const PUBLIC = 'public';

const closed = (votes: readonly number[], revealedFrom?: number): Results =>
  readingOf({ status: 'closed', resultsVisibility: 'hidden', votes, revealedFrom }).results;

/** The best place after each step, until everything is public. */
function stepsOf(votes: readonly number[], finalTwo = false): (number | typeof PUBLIC)[] {
  const steps: (number | typeof PUBLIC)[] = [];
  for (let results = closed(votes); ; ) {
    const change = nextReveal(results, { finalTwo });
    if (!change) throw new Error('The reveal has stopped');
    if (change.resultsVisibility === 'always') return [...steps, PUBLIC];
    steps.push(change.revealedFrom!);
    results = closed(votes, change.revealedFrom!);
  }
}

const step = (votes: readonly number[], revealedFrom: number | undefined, options: Partial<RevealOptions>) =>
  nextReveal(closed(votes, revealedFrom), { finalTwo: false, ...options });

it('reveals the lowest place first and ties together', () => {
  expect(stepsOf([5, 9, 1, 7])).toEqual([4, 3, 2, PUBLIC]);
  expect(stepsOf([9, 5, 5, 1])).toEqual([4, 2, PUBLIC]);
  expect(stepsOf([9, 9, 1])).toEqual([3, PUBLIC]);
});

it('has one step where all answers tie, also without a vote', () => {
  expect(stepsOf([4, 4, 4])).toEqual([PUBLIC]);
  expect(stepsOf([0, 0])).toEqual([PUBLIC]);
});

it('shows the last two places together where asked to', () => {
  expect(stepsOf([5, 9, 1, 7], true)).toEqual([4, 3, PUBLIC]);
  expect(stepsOf([9, 5, 5, 1], true)).toEqual([4, PUBLIC]);
  expect(stepsOf([2, 1], true)).toEqual([PUBLIC]);
  // Turned on once only the winner is left.
  expect(step([5, 9, 1], 2, { finalTwo: true })).toEqual({ resultsVisibility: 'always' });
});

it('jumps down to a place and never shows a better one', () => {
  const votes = [9, 5, 5, 3, 1];
  expect(step(votes, undefined, { to: 4 })).toEqual({ revealedFrom: 4 });
  expect(step(votes, undefined, { to: 2 })).toEqual({ revealedFrom: 2 });
  expect(step(votes, undefined, { to: 3 })).toEqual({ revealedFrom: 4 });
  expect(step(votes, undefined, { to: 1 })).toEqual({ resultsVisibility: 'always' });
  expect(step(votes, undefined, { to: 6 })).toBeUndefined();
  expect(step(votes, 4, { to: 4 })).toBeUndefined();
  expect(step(votes, undefined, { to: 2, finalTwo: true })).toEqual({ revealedFrom: 4 });
});

it('steps only where the results are closed and hidden', () => {
  const results = closed([2, 1]);
  for (const change of [
    { status: 'open' },
    { resultsVisibility: 'always' },
    { resultsVisibility: 'after_deadline', deadlineMs: Number.MAX_SAFE_INTEGER },
  ] as const)
    expect(nextReveal({ ...results, ...change }, { finalTwo: false })).toBeUndefined();
});

it('ends after as many steps as there are places, and each shows exactly the places that it names', () => {
  const counts = fc.array(fc.nat({ max: 6 }), { minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(counts, fc.boolean(), (votes, finalTwo) => {
      const places = new Set(placesOf(votes)).size;
      const steps = stepsOf(votes, finalTwo);
      expect(steps).toHaveLength(finalTwo ? Math.max(1, places - 1) : places);
      for (const from of steps) {
        const shown = revealedAnswers(closed(votes, from === PUBLIC ? 1 : from));
        const wanted = placesOf(votes).map((place, index) =>
          from === PUBLIC || place >= from ? { votes: votes[index], place } : undefined,
        );
        expect(shown).toEqual(wanted);
      }
    }),
  );
});
