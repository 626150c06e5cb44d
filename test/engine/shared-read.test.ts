import { expect, it, onTestFinished, vi } from 'vitest';
import { coalesceReads } from '../../src/engine/shared-read.ts';
import type { Reading } from '../../src/poll/poll.ts';

/** A read that the test ends, and a list of those that began. */
function controlledRead(restMs?: number) {
  const begun: { id: string; end: (reading?: Reading) => void; fail: (error: Error) => void }[] = [];
  const read = (id: string) =>
    new Promise<Reading | undefined>((resolve, reject) => begun.push({ id, end: resolve, fail: reject }));
  return { begun, read: coalesceReads(read, restMs) };
}

const turn = () => new Promise<void>(setImmediate);

it('begins one read for all calls of a turn', async () => {
  const { begun, read } = controlledRead();
  const asked = Promise.all([read('a'), read('a'), read('a'), read('b')]);
  await turn();
  expect(begun.map(({ id }) => id)).toEqual(['a', 'b']);
  for (const { end } of begun) end();
  expect(await asked).toHaveLength(4);
});

it('begins no read for later calls before the read in progress has ended', async () => {
  const { begun, read } = controlledRead();
  const first = read('a');
  await turn();
  const later = [read('a'), read('a')];
  await turn();
  expect(begun).toHaveLength(1);
  begun[0]?.end();
  await first;
  await turn();
  expect(begun).toHaveLength(2);
  begun[1]?.end();
  await Promise.all(later);
});

it('begins the next read after a failed one', async () => {
  const { begun, read } = controlledRead();
  const first = read('a');
  await turn();
  const later = read('a');
  begun[0]?.fail(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await turn();
  begun[1]?.end();
  expect(await later).toBeUndefined();
});

it('has at most a thousand reads in progress, and begins the others as those end', async () => {
  const { begun, read } = controlledRead();
  const asked = Promise.allSettled(Array.from({ length: 2_500 }, (_, index) => read(`poll-${index}`)));
  await turn();
  expect(begun).toHaveLength(1_000);
  for (const { end } of begun.slice(0, 10)) end();
  await turn();
  expect(begun).toHaveLength(1_010);
  begun[10]?.fail(new Error('away'));
  await turn();
  expect(begun).toHaveLength(1_011);
  const ended = new Set(begun.slice(0, 11));
  const endAll = async () => {
    for (const one of begun) {
      if (!ended.has(one)) one.end();
      ended.add(one);
    }
    await turn();
  };
  while (begun.length < 2_500) await endAll();
  await endAll();
  const failed = (await asked).filter(({ status }) => status === 'rejected');
  expect(failed).toHaveLength(1);
});

it('lets a poll rest between two reads if asked to, and begins the first read at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const { begun, read } = controlledRead(50);
  const first = read('a');
  await turn();
  begun[0]?.end();
  await first;
  const later = [read('a'), read('a')];
  const other = read('b');
  await turn();
  expect(begun.map(({ id }) => id)).toEqual(['a', 'b']);
  vi.advanceTimersByTime(49);
  await turn();
  later.push(read('a'));
  expect(begun).toHaveLength(2);
  vi.advanceTimersByTime(1);
  expect(begun.map(({ id }) => id)).toEqual(['a', 'b', 'a']);
  for (const { end } of begun.slice(1)) end();
  expect(await Promise.all([...later, other])).toHaveLength(4);
});
