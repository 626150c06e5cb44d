import { describe, expect, it } from 'vitest';
import { Ending } from '../../src/overlay/picture/picture.ts';
import { knownResults } from './poll-snapshots.ts';

describe('Ending', () => {
  const closed = { status: 'closed' } as const;

  it('is nothing while a poll is open', () => {
    expect(new Ending().observe(knownResults([1]), 5000)).toBeUndefined();
  });

  it('is the moment at which a poll was first seen closed', () => {
    const ending = new Ending();
    ending.observe(knownResults([1], closed), 5000);
    expect(ending.observe(knownResults([1], closed), 9000)).toBe(5000);
  });

  it('is the deadline for a page that is loaded later', () => {
    const results = knownResults([1], { ...closed, deadline: new Date(2000).toISOString() });
    expect(new Ending().observe(results, 9000)).toBe(2000);
  });

  it('begins anew when a poll is opened again, and for another poll', () => {
    const ending = new Ending();
    ending.observe(knownResults([1], closed), 1000);
    ending.observe(knownResults([1]), 2000);
    expect(ending.observe(knownResults([1], closed), 3000)).toBe(3000);
    expect(ending.observe(knownResults([1], { ...closed, id: 'p2' }), 4000)).toBe(4000);
  });
});
