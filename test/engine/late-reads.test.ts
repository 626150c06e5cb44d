import { expect, it } from 'vitest';
import { LateReads } from '../../src/engine/late-reads.ts';

/** Each read ends when the test says so. */
function heldReads() {
  const ends: ((value: string) => void)[] = [];
  return { ends, read: () => new Promise<string>(resolve => ends.push(resolve)) };
}

it('a slow read is taken over by the next call, and begins anew after that', async () => {
  const { ends, read } = heldReads();
  const reads = new LateReads(read, 0);
  expect([await reads.find('a'), await reads.find('a')]).toEqual(['late', 'late']);
  expect(ends).toHaveLength(1);
  const next = reads.find('a');
  ends[0]!('first');
  expect(await next).toBe('first');
  void reads.find('a');
  expect(ends).toHaveLength(2);
});

it('a slow read that was forgotten is not taken over, and one that fails is reported to the next call', async () => {
  const { ends, read } = heldReads();
  const reads = new LateReads(read, 0);
  expect(await reads.find('a')).toBe('late');
  reads.forget('a');
  expect(await reads.find('a')).toBe('late');
  expect(ends).toHaveLength(2);

  const failing = heldReads();
  const others = new LateReads(() => failing.read().then(fault => Promise.reject(new Error(fault))), 0);
  expect(await others.find('a')).toBe('late');
  failing.ends[0]!('lost');
  await expect(others.find('a')).rejects.toThrow('lost');
});
