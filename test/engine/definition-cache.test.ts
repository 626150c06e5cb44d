import { expect, it } from 'vitest';
import { definitionCache } from '../../src/engine/definition-cache.ts';
import type { Poll } from '../../src/poll/poll.ts';
import { readingOf } from '../support/one-poll.ts';

const { poll: SMALL } = readingOf({});

function heldOf(polls: readonly Poll[]): number {
  const cache = definitionCache<{ poll: Poll }>();
  for (const poll of polls) cache.set(poll.id, { poll });
  return polls.filter(({ id }) => cache.get(id)).length;
}

it('holds ten thousand ordinary polls', () => {
  const polls = Array.from({ length: 12_000 }, (_, index) => ({ ...SMALL, id: `small-${index}` }));
  expect(heldOf(polls)).toBe(10_000);
});

it('holds as many of the largest polls as fit in 32 MB', () => {
  const answers = Array.from({ length: 100 }, (_, index) => ({ id: `a${index}`, text: '水'.repeat(200) }));
  const large = { ...SMALL, title: '水'.repeat(300), description: '水'.repeat(5_000), answers };
  const polls = Array.from({ length: 1_200 }, (_, index) => ({ ...large, id: `large-${index}` }));
  const charactersOfOne = 300 + 5_000 + 100 * 200;
  const held = heldOf(polls);
  // Two bytes a character, for the definition and for what is sent of it.
  expect(held * charactersOfOne * 4).toBeLessThan(32 * 1024 * 1024);
  expect(held).toBeGreaterThan(200);
});
