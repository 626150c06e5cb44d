import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BulkWriter } from '../../src/live/bulk-writer.ts';
import type { Frame } from '../../src/live/frame.ts';
import type { Hub } from '../../src/live/hub.ts';
import type { Interest } from '../../src/live/subscription.ts';
import { PollHistory, step, VIEW_KEY } from './poll-history.ts';
import { Screen } from './screen.ts';
import { interest } from './subscriber-stub.ts';

const RUNS = 500;
/** Bytes that a wire takes of a frame before it is full. */
const PART = 7;

/** Writes to many screens in one go, past their connections, as far as their wires are free. */
class BulkStub implements BulkWriter {
  readonly screens: BulkScreen[] = [];
  written = 0;
  short = 0;

  write(
    frame: Frame,
    slots: Int32Array,
    start: number,
    end: number,
    onShort: (index: number, taken: number) => void,
  ) {
    for (let index = start; index < end; index += 1) {
      const screen = this.screens[(slots[index] as number) - 1];
      if (!screen || screen.isBlocked || screen.wire.isFull) {
        this.short += 1;
        onShort(index, screen && !screen.isBlocked ? PART : 0);
      } else {
        this.written += 1;
        screen.wire.written.push(frame.json);
      }
    }
  }
}

class BulkScreen extends Screen {
  readonly bulk: BulkWriter;
  readonly #slot: number;

  constructor(hub: Hub, asked: Interest, bulk: BulkStub) {
    super(hub, asked);
    this.bulk = bulk;
    this.#slot = bulk.screens.push(this);
  }

  override get slot(): number {
    return this.#slot;
  }
}

describe('screens that are written to in one go', () => {
  let bulk: BulkStub;
  let history: PollHistory;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    vi.advanceTimersByTime(10_000);
    bulk = new BulkStub();
    history = new PollHistory();
  });
  afterEach(() => {
    history.hub.close();
    vi.useRealTimers();
  });

  it('get what they would get one by one, message by message, in any history', async () => {
    let [written, short] = [0, 0];
    const anyHistory = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async steps => {
      history = new PollHistory();
      bulk = new BulkStub();
      const pairs: [Screen, BulkScreen][] = [];
      const joinBoth = async (asked: Partial<Interest>) => {
        for (const compact of [true, false]) {
          const wish = interest({ ...asked, compact });
          pairs.push([new Screen(history.hub, wish), new BulkScreen(history.hub, wish, bulk)]);
        }
        await vi.advanceTimersByTimeAsync(0);
      };
      await joinBoth({ hz: 20 });
      await joinBoth({ hz: 20, key: VIEW_KEY });
      const wires = () => pairs.map(pair => pair.map(({ wire }) => wire));
      for (const taken of steps)
        if (taken.act === 'join') await joinBoth(taken.wishes);
        else await history.take(taken, wires());
      history.engine.giveBack();
      for (const wire of wires().flat()) wire.free();
      await vi.advanceTimersByTimeAsync(10_000);
      for (const [alone, oneOfMany] of pairs) expect(oneOfMany.messages).toEqual(alone.messages);
      written += bulk.written;
      short += bulk.short;
      history.hub.close();
    });
    await fc.assert(anyHistory, { numRuns: RUNS });
    expect(Math.min(written, short)).toBeGreaterThan(RUNS / 2);
  });

  it('get nothing once they have left, and whoever comes then gets what is its own', async () => {
    const watch = (asked: Partial<Interest> = {}) => new BulkScreen(history.hub, interest(asked), bulk);
    const vote = async () => {
      await history.take({ act: 'vote', answer: 0 }, []);
      await vi.advanceTimersByTimeAsync(500);
    };
    const [leaver, stayer] = [watch(), watch()];
    await vi.advanceTimersByTimeAsync(500);
    await vote();
    await vote();
    expect(bulk.written).toBe(2);
    leaver.seat.leave();
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
