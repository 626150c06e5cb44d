import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BatchWriter } from '../../src/live/connection.ts';
import type { Hub } from '../../src/live/hub.ts';
import type { SubscriptionOptions } from '../../src/live/subscription.ts';
import { Screen, subscriptionOptions } from './connection-stub.ts';
import { PollHistory, step, VIEW_KEY } from './poll-history.ts';

const RUNS = 500;
/** Bytes of a frame that a blocked socket takes. */
const PART = 7;

/** Writes to many screens at once, past their connections, as far as their sockets are free. */
class BatchStub {
  readonly screens: BatchScreen[] = [];
  written = 0;
  short = 0;

  readonly writer: BatchWriter = (frame, slots, start, end, onShort) => {
    for (let index = start; index < end; index += 1) {
      const screen = this.screens[(slots[index] as number) - 1];
      if (!screen || screen.isBlocked || screen.isFull) {
        this.short += 1;
        onShort(index, screen && !screen.isBlocked ? PART : 0);
      } else {
        this.written += 1;
        screen.frames.push(frame);
      }
    }
  };
}

class BatchScreen extends Screen {
  readonly #batch: BatchStub;
  readonly #slot: number;

  constructor(hub: Hub, options: SubscriptionOptions, batch: BatchStub) {
    super(hub, options);
    this.#batch = batch;
    this.#slot = batch.screens.push(this);
  }

  override get batchWriter(): BatchWriter {
    return this.#batch.writer;
  }

  override get slot(): number {
    return this.#slot;
  }
}

describe('screens that are written to in a batch', () => {
  let batch: BatchStub;
  let history: PollHistory;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    vi.advanceTimersByTime(10_000);
    batch = new BatchStub();
    history = new PollHistory();
  });
  afterEach(() => {
    history.hub.close();
    vi.useRealTimers();
  });

  it('get the same messages as one by one, in any history', async () => {
    let [written, short] = [0, 0];
    const anyHistory = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async steps => {
      history = new PollHistory();
      batch = new BatchStub();
      const pairs: [Screen, BatchScreen][] = [];
      const joinBoth = async (asked: Partial<SubscriptionOptions>) => {
        for (const compact of [true, false]) {
          const wish = subscriptionOptions({ ...asked, compact });
          pairs.push([new Screen(history.hub, wish), new BatchScreen(history.hub, wish, batch)]);
        }
        await vi.advanceTimersByTimeAsync(0);
      };
      await joinBoth({ hz: 20 });
      await joinBoth({ hz: 20, key: VIEW_KEY });
      for (const taken of steps)
        if (taken.act === 'join') await joinBoth(taken.wishes);
        else await history.take(taken, pairs);
      history.engine.giveBack();
      for (const screen of pairs.flat()) screen.drain();
      await vi.advanceTimersByTimeAsync(10_000);
      for (const [alone, oneOfMany] of pairs) expect(oneOfMany.messages).toEqual(alone.messages);
      written += batch.written;
      short += batch.short;
      history.hub.close();
    });
    await fc.assert(anyHistory, { numRuns: RUNS });
    expect(Math.min(written, short)).toBeGreaterThan(RUNS / 2);
  });

  it('get nothing once they have left, and a new one gets its own results', async () => {
    const watch = (asked: Partial<SubscriptionOptions> = {}) =>
      new BatchScreen(history.hub, subscriptionOptions(asked), batch);
    const vote = async () => {
      await history.take({ act: 'vote', answer: 0 }, []);
      await vi.advanceTimersByTimeAsync(500);
    };
    const [leaver, stayer] = [watch(), watch()];
    await vi.advanceTimersByTimeAsync(500);
    await vote();
    await vote();
    expect(batch.written).toBe(2);
    leaver.subscription.leave();
    await vote();
    const newcomer = watch();
    await vi.advanceTimersByTimeAsync(500);
    await vote();
    await vote();
    expect(leaver.messages).toHaveLength(3);
    expect(stayer.messages).toMatchObject([1, 2, 3, 4, 5, 6].map(version => ({ version })));
    expect(newcomer.messages).toMatchObject([4, 5, 6].map(version => ({ version })));
  });
});
