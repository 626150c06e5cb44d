import { expect, it } from 'vitest';
import { DefinitionCache, LruMap } from '../../src/engine/lru-map.ts';
import type { Poll } from '../../src/poll/poll.ts';
import { readingOf } from '../support/one-poll.ts';

it('evicts the least recently used entry beyond its bound', () => {
  const map = new LruMap<string, number>({ entries: 2 });
  map.set('a', 1);
  map.set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
  map.set('a', 4);
  map.delete('c');
  expect([map.get('a'), map.get('c')]).toEqual([4, undefined]);
});

it('evicts entries beyond its weight', () => {
  const map = new LruMap<string, string>({ entries: 100, weight: 10, weigh: text => text.length });
  for (const key of ['a', 'b', 'c']) map.set(key, 'xxxx');
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([undefined, 'xxxx', 'xxxx']);
  // In place of what weighed four, so that it and the other fit.
  map.set('b', 'xxxxxx');
  expect([map.get('b'), map.get('c')]).toEqual(['xxxxxx', 'xxxx']);
  map.delete('b');
  map.set('d', 'xxxxxx');
  expect([map.get('c'), map.get('d')]).toEqual(['xxxx', 'xxxxxx']);
  map.set('e', 'x'.repeat(11));
  expect([map.get('c'), map.get('d'), map.get('e')]).toEqual([undefined, undefined, undefined]);
  map.set('f', 'x'.repeat(10));
  expect(map.get('f')).toHaveLength(10);
});

const { poll: SMALL } = readingOf({});

function heldOf(polls: readonly Poll[]): number {
  const cache = new DefinitionCache<{ poll: Poll }>();
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
