import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EmbeddedHints } from '../../src/engine/embedded/embedded-hints.ts';
import { FollowedTopics, FollowedValues } from '../../src/engine/followed-topics.ts';

const SWEEP_MS = 2_000;

/** Records its calls. */
class TopicStub {
  isEmpty = false;
  refreshes = 0;
  readonly marks: number[] = [];
  closed = false;

  requestRefresh(): void {
    this.refreshes += 1;
  }

  sweep(mark: number): void {
    this.marks.push(mark);
  }

  close(): void {
    this.closed = true;
  }
}

describe('followed topics', () => {
  let hints: EmbeddedHints;
  let announce: (available: boolean) => void;
  let batches: number[];
  let inFlight: number;
  let mostInFlight: number;
  let fails: boolean;
  let topics: FollowedTopics<TopicStub, number>;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    hints = new EmbeddedHints();
    hints.onAvailability = (listener?: (available: boolean) => void) => {
      if (listener) announce = listener;
    };
    [batches, inFlight, mostInFlight, fails] = [[], 0, 0, false];
    const findMarks = async (names: readonly string[]) => {
      batches.push(names.length);
      inFlight += names.length;
      mostInFlight = Math.max(mostInFlight, inFlight);
      await new Promise(done => setTimeout(done, 1));
      inFlight -= names.length;
      if (fails) throw new Error('away');
      return names.map(Number);
    };
    topics = new FollowedTopics({ hints, topicOf: name => `topic:${name}`, findMarks });
  });
  afterEach(() => {
    topics.close();
    vi.useRealTimers();
  });

  const follow = (name: string) => topics.follow(name, () => new TopicStub());

  it('are swept in batches, one after the other, each with its own mark', async () => {
    const all = Array.from({ length: 1_200 }, (_, index) => follow(`${index}`));
    await vi.advanceTimersByTimeAsync(SWEEP_MS + 10);
    expect(batches.slice(0, 3)).toEqual([500, 500, 200]);
    expect(mostInFlight).toBe(500);
    expect(all.every(({ marks }, index) => marks[0] === index)).toBe(true);
  });

  it('are all refreshed if a sweep fails, and the sweep continues', async () => {
    const one = follow('1');
    fails = true;
    await vi.advanceTimersByTimeAsync(SWEEP_MS);
    expect([one.refreshes, one.marks]).toEqual([1, []]);
    fails = false;
    await vi.advanceTimersByTimeAsync(SWEEP_MS);
    expect(one.marks).toEqual([1]);
  });

  it('are all refreshed when the engine is lost and when it is back', () => {
    const all = [follow('1'), follow('2')];
    announce(false);
    announce(true);
    expect(all.map(({ refreshes }) => refreshes)).toEqual([2, 2]);
  });

  it('end at the second sweep without followers, not at the first', async () => {
    const left = follow('1');
    left.isEmpty = true;
    await vi.advanceTimersByTimeAsync(SWEEP_MS);
    left.isEmpty = false;
    expect(follow('1')).toBe(left);
    await vi.advanceTimersByTimeAsync(SWEEP_MS);
    expect(left.closed).toBe(false);
    left.isEmpty = true;
    await vi.advanceTimersByTimeAsync(2 * SWEEP_MS);
    expect(left.closed).toBe(true);
    hints.send('topic:1');
    expect(left.refreshes).toBe(0);
    expect(follow('1')).not.toBe(left);
  });

  it('cost one timer together, and none if there are none', async () => {
    expect(vi.getTimerCount()).toBe(0);
    const all = Array.from({ length: 100 }, (_, index) => follow(`${index}`));
    expect(vi.getTimerCount()).toBe(1);
    for (const topic of all) topic.isEmpty = true;
    await vi.advanceTimersByTimeAsync(3 * SWEEP_MS);
    expect(vi.getTimerCount()).toBe(0);
  });
});

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
      pauseMs,
    });
  const follow = (name: string, from = values) => {
    const heard: (string | undefined)[] = [];
    return { heard, unfollow: from.follow(name, value => heard.push(value)) };
  };
  const settle = () => vi.advanceTimersByTimeAsync(5 * READ_MS);
  const change = (name: string, value: string) => {
    stored.set(name, value);
    hints.send(name);
  };

  it('reach a follower at the beginning, also if undefined, and after each change', async () => {
    const { heard } = follow('a');
    await settle();
    change('a', 'one');
    await settle();
    hints.send('a');
    await settle();
    expect(heard).toEqual([undefined, 'one']);
  });

  it('are read together for a turn, with one read in progress at a time', async () => {
    const followers = Array.from({ length: 1_200 }, (_, index) => follow(`${index}`));
    await settle();
    expect(reads.map(({ length }) => length)).toEqual([500, 500, 200]);
    for (const { heard } of followers) expect(heard).toHaveLength(1);
  });

  it('miss no change during a read', async () => {
    const { heard } = follow('a');
    await vi.advanceTimersByTimeAsync(READ_MS / 2);
    change('a', 'one');
    await settle();
    expect(heard).toEqual([undefined, 'one']);
  });

  it('are found by the sweep if every hint is lost, and read only if they changed', async () => {
    const { heard } = follow('a');
    await vi.advanceTimersByTimeAsync(2 * SWEEP_MS);
    const before = reads.length;
    await vi.advanceTimersByTimeAsync(3 * SWEEP_MS);
    expect(reads).toHaveLength(before);
    stored.set('a', 'unhinted');
    await vi.advanceTimersByTimeAsync(SWEEP_MS + READ_MS);
    expect(heard).toEqual([undefined, 'unhinted']);
  });

  it('are read again by the sweep if the first read failed', async () => {
    fails = true;
    const { heard } = follow('a');
    await settle();
    fails = false;
    await vi.advanceTimersByTimeAsync(SWEEP_MS + READ_MS);
    expect(heard).toEqual([undefined]);
  });

  it('reach a second follower at once, and are read again for it', async () => {
    change('a', 'one');
    follow('a');
    await settle();
    stored.set('a', 'two');
    const { heard } = follow('a');
    expect(heard).toEqual(['one']);
    await settle();
    expect(heard).toEqual(['one', 'two']);
  });

  it('are not served from memory after a time without followers', async () => {
    change('a', 'one');
    const left = follow('a');
    await settle();
    left.unfollow();
    change('a', 'two');
    const { heard } = follow('a');
    await settle();
    expect([left.heard, heard]).toEqual([['one'], ['two']]);
  });

  it('are read as often as the pause allows, and the last change is not lost', async () => {
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
