import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EmbeddedHints } from '../../src/engine/embedded/embedded-hints.ts';
import { FollowedValues } from '../../src/engine/followed-values.ts';

const SWEEP_MS = 2_000;
const READ_MS = 10;
const PAUSE_MS = 500;

describe('followed values', () => {
  let hints: EmbeddedHints;
  let stored: Map<string, string>;
  let reads: string[][];
  let inFlight: number;
  let fails: boolean;
  let values: FollowedValues<string | undefined>;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    [hints, stored, reads, inFlight, fails] = [new EmbeddedHints(), new Map(), [], 0, false];
    values = open();
  });
  afterEach(() => {
    values.close();
    vi.useRealTimers();
  });

  const find = (names: readonly string[]) => names.map(name => stored.get(name));
  const open = (pauseMs?: number) =>
    new FollowedValues<string | undefined>({
      hints,
      topicOf: name => name,
      read: async names => {
        reads.push([...names]);
        inFlight += 1;
        expect(inFlight).toBe(1);
        const found = find(names);
        await new Promise(done => setTimeout(done, READ_MS));
        inFlight -= 1;
        if (fails) throw new Error('away');
        return found;
      },
      findMarks: async names => find(names),
      isSame: Object.is,
      pauseMs,
    });
  const follow = (name: string, from = values) => {
    const heard: (string | undefined)[] = [];
    return { heard, unfollow: from.follow(name, value => heard.push(value)) };
  };
  const settle = () => vi.advanceTimersByTimeAsync(5 * READ_MS);
  const change = (name: string, value: string) => {
    stored.set(name, value);
    hints.tell(name);
  };

  it('are told on coming, also where there is none, and after each change', async () => {
    const { heard } = follow('a');
    await settle();
    change('a', 'one');
    await settle();
    hints.tell('a');
    await settle();
    expect(heard).toEqual([undefined, 'one']);
  });

  it('are read for all who ask in one turn at once, and never two readings at a time', async () => {
    const followers = Array.from({ length: 1_200 }, (_, index) => follow(`${index}`));
    await settle();
    expect(reads.map(({ length }) => length)).toEqual([500, 500, 200]);
    for (const { heard } of followers) expect(heard).toHaveLength(1);
  });

  it('miss no change that comes while they are read', async () => {
    const { heard } = follow('a');
    await vi.advanceTimersByTimeAsync(READ_MS / 2);
    change('a', 'one');
    await settle();
    expect(heard).toEqual([undefined, 'one']);
  });

  it('are found by the sweep where every hint was lost, and read by it only where they changed', async () => {
    const { heard } = follow('a');
    await vi.advanceTimersByTimeAsync(2 * SWEEP_MS);
    const before = reads.length;
    await vi.advanceTimersByTimeAsync(3 * SWEEP_MS);
    expect(reads).toHaveLength(before);
    stored.set('a', 'unhinted');
    await vi.advanceTimersByTimeAsync(SWEEP_MS + READ_MS);
    expect(heard).toEqual([undefined, 'unhinted']);
  });

  it('are read again by the sweep where the first reading failed', async () => {
    fails = true;
    const { heard } = follow('a');
    await settle();
    fails = false;
    await vi.advanceTimersByTimeAsync(SWEEP_MS + READ_MS);
    expect(heard).toEqual([undefined]);
  });

  it('are handed to a second follower at once, and read anew for it', async () => {
    change('a', 'one');
    follow('a');
    await settle();
    stored.set('a', 'two');
    const { heard } = follow('a');
    expect(heard).toEqual(['one']);
    await settle();
    expect(heard).toEqual(['one', 'two']);
  });

  it('that nobody followed for a while are not handed over from memory', async () => {
    change('a', 'one');
    const left = follow('a');
    await settle();
    left.unfollow();
    change('a', 'two');
    const { heard } = follow('a');
    await settle();
    expect([left.heard, heard]).toEqual([['one'], ['two']]);
  });

  it('are read no more often than the pause allows, and the last change is not lost', async () => {
    values.close();
    const slow = open(PAUSE_MS);
    const { heard } = follow('a', slow);
    await settle();
    for (const value of ['one', 'two', 'three']) change('a', value);
    await vi.advanceTimersByTimeAsync(PAUSE_MS / 2);
    expect(heard).toEqual([undefined]);
    await vi.advanceTimersByTimeAsync(PAUSE_MS);
    expect(heard).toEqual([undefined, 'three']);
    slow.close();
  });
});
