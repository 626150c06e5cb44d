import { expect, it } from 'vitest';
import { LruMap } from '../../src/engine/lru-map.ts';

it('forgets what was not asked for the longest, and never holds more than its bound', () => {
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

it('never holds more weight than its bound, however few the entries are', () => {
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

it('holds what was asked for last however often that is, and lets it go when it is removed', () => {
  const map = new LruMap<string, number>({ entries: 2 });
  map.set('a', 1);
  map.set('b', 2);
  for (let time = 0; time < 3; time += 1) expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect([map.get('b'), map.get('a')]).toEqual([undefined, 1]);
  map.delete('a');
  expect(map.get('a')).toBeUndefined();
  map.set('d', 4);
  expect([map.get('c'), map.get('d'), map.get('c')]).toEqual([3, 4, 3]);
  map.set('e', 5);
  expect([map.get('d'), map.get('c')]).toEqual([undefined, 3]);
});
