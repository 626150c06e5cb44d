import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EmbeddedHints } from '../../src/engine/embedded/embedded-hints.ts';
import { FollowedTopics } from '../../src/engine/followed-topics.ts';

const SWEEP_MS = 2_000;

/** Notes what it is asked for. */
class TopicStub {
  isEmpty = false;
  wakes = 0;
  readonly marks: number[] = [];
  closed = false;

  requestRefresh(): void {
    this.wakes += 1;
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

  it('wake on a hint of their own and on no other', () => {
    const [one, two] = [follow('1'), follow('2')];
    hints.tell('topic:1');
    hints.tell('topic:3');
    expect([one.wakes, two.wakes]).toEqual([1, 0]);
  });

  it('are kept once for all who follow', () => {
    expect(follow('1')).toBe(follow('1'));
  });

  it('are swept in batches, one after the other, each with where it stands', async () => {
    const all = Array.from({ length: 1_200 }, (_, index) => follow(`${index}`));
    await vi.advanceTimersByTimeAsync(SWEEP_MS + 10);
    expect(batches.slice(0, 3)).toEqual([500, 500, 200]);
    expect(mostInFlight).toBe(500);
    expect(all.every(({ marks }, index) => marks[0] === index)).toBe(true);
  });

  it('are all woken where the sweep finds no answer, and the sweep goes on', async () => {
    const one = follow('1');
    fails = true;
    await vi.advanceTimersByTimeAsync(SWEEP_MS);
    expect([one.wakes, one.marks]).toEqual([1, []]);
    fails = false;
    await vi.advanceTimersByTimeAsync(SWEEP_MS);
    expect(one.marks).toEqual([1]);
  });

  it('are all woken when the engine is lost, and when it is back', () => {
    const all = [follow('1'), follow('2')];
    announce(false);
    announce(true);
    expect(all.map(({ wakes }) => wakes)).toEqual([2, 2]);
  });

  it('are let go by the second sweep that finds nobody, not by the first', async () => {
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
    hints.tell('topic:1');
    expect(left.wakes).toBe(0);
    expect(follow('1')).not.toBe(left);
  });

  it('cost one timer however many there are, and none where there are none', async () => {
    expect(vi.getTimerCount()).toBe(0);
    const all = Array.from({ length: 100 }, (_, index) => follow(`${index}`));
    expect(vi.getTimerCount()).toBe(1);
    for (const topic of all) topic.isEmpty = true;
    await vi.advanceTimersByTimeAsync(3 * SWEEP_MS);
    expect(vi.getTimerCount()).toBe(0);
  });
});
