import { expect, it } from 'vitest';
import { LruMap } from '../../src/engine/lru-map.ts';

it('forgets what was not asked for the longest, and never holds more than its bound', () => {
  const map = new LruMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
  map.set('a', 4);
  map.delete('c');
  expect([map.get('a'), map.get('c')]).toEqual([4, undefined]);
});
