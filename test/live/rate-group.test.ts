import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HINT_WINDOW_MS } from '../../src/engine/hints.ts';
import { BroadcastMeter } from '../../src/live/broadcast-meter.ts';
import { Frame } from '../../src/live/frame.ts';
import { Lane } from '../../src/live/rate-group.ts';
import { Seat } from '../../src/live/subscription.ts';
import { interest, SubscriberStub } from './subscriber-stub.ts';

const HZ = 10;
const SECOND_MS = 1_000;

function news(): Frame {
  return Frame.of({ type: 'heartbeat', timestamp: 0 });
}

describe('a lane', () => {
  let refreshMs: number;
  let refreshes: number;
  let deliveries: number[];
  /** What a reading finds. */
  let found: Frame;
  let shown: Frame;
  /** What another reading does in the turn in which this one ends. */
  let betweenReadingAndShowing: () => unknown;
  let lane: Lane;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    vi.advanceTimersByTime(10_000);
    refreshMs = 0;
    refreshes = 0;
    deliveries = [];
    found = news();
    betweenReadingAndShowing = () => {};
    lane = new Lane({
      hz: HZ,
      refresh: async () => {
        refreshes += 1;
        const reading = found;
        if (refreshMs > 0) await new Promise(done => setTimeout(done, refreshMs));
        shown = reading;
        await betweenReadingAndShowing();
      },
      shown: () => shown,
      newest: () => undefined,
      show: () => deliveries.push(performance.now()),
      meter: new BroadcastMeter(),
      onError: fault => {
        throw fault;
      },
    });
  });
  afterEach(() => {
    lane.close();
    vi.useRealTimers();
  });

  const owner = { leave: () => {}, catchUp: () => {}, judge: () => undefined };
  const join = (count = 1): Seat[] => {
    const take = () => new Seat('stubbedPoll1', owner, interest(), new SubscriberStub());
    const joining = Array.from({ length: count }, take);
    for (const seat of joining) lane.add(seat, found);
    return joining;
  };
  /** Wakes the lane every millisecond, as a storm of ballots does. */
  const storm = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1) {
      lane.wake();
      await vi.advanceTimersByTimeAsync(1);
    }
  };

  it('looks once more after news, once the window of hints has passed, and no more where there is none', async () => {
    join();
    found = news();
    lane.wake();
    await vi.advanceTimersByTimeAsync(SECOND_MS);
    expect(refreshes).toBe(2);
    expect(deliveries).toHaveLength(1);
    // Cast right after the ballot that was hinted at, so that nothing says so.
    found = news();
    lane.wake();
    await vi.advanceTimersByTimeAsync(2 * HINT_WINDOW_MS);
    found = news();
    await vi.advanceTimersByTimeAsync(SECOND_MS);
    expect(deliveries).toHaveLength(3);
    expect(refreshes).toBe(5);
  });

  it('passes at once after a look that found nothing', async () => {
    join();
    found = news();
    lane.wake();
    await vi.advanceTimersByTimeAsync(1.5 * (SECOND_MS / HZ));
    found = news();
    lane.wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(deliveries).toHaveLength(2);
  });

  it('passes at once after a look in the middle of which a change came', async () => {
    join();
    refreshMs = 20;
    found = news();
    lane.wake();
    await vi.advanceTimersByTimeAsync(refreshMs + SECOND_MS / HZ + 10);
    expect(refreshes).toBe(2);
    found = news();
    lane.wake();
    await vi.advanceTimersByTimeAsync(3 * refreshMs);
    expect(refreshes).toBe(3);
    expect(deliveries).toHaveLength(2);
  });

  it('rests after hints that bring no news, however many there are', async () => {
    join();
    await storm(SECOND_MS);
    expect(refreshes).toBeLessThanOrEqual(HZ);
  });

  it('passes at once after a quiet moment', async () => {
    join();
    lane.wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(deliveries).toEqual([performance.now()]);
  });

  it('passes at most hz times in any second, however often it is woken', async () => {
    join();
    await storm(5 * SECOND_MS);
    for (const [index, time] of deliveries.entries()) {
      const inTheSecond = deliveries.slice(index).filter(other => other < time + SECOND_MS);
      expect(inTheSecond.length).toBeLessThanOrEqual(HZ);
    }
    expect(deliveries.length).toBeGreaterThan(5 * (HZ - 1));
  });

  it('never drops the last change', async () => {
    join();
    await storm(250);
    const before = deliveries.length;
    lane.wake();
    await vi.advanceTimersByTimeAsync(SECOND_MS);
    expect(deliveries).toHaveLength(before + 1);
  });

  it('remembers a change that comes while it reads, however many there are, as one', async () => {
    join();
    refreshMs = 50;
    lane.wake();
    await vi.advanceTimersByTimeAsync(20);
    for (let change = 0; change < 5; change += 1) lane.wake();
    await vi.advanceTimersByTimeAsync(SECOND_MS);
    expect(refreshes).toBe(2);
  });

  it('stretches its interval where a pass takes longer, and passes never overlap', async () => {
    join();
    refreshMs = 400;
    await storm(2 * SECOND_MS);
    expect(refreshes).toBeLessThanOrEqual(5);
    for (const [index, time] of deliveries.slice(1).entries())
      expect(time - (deliveries[index] as number)).toBeGreaterThanOrEqual(refreshMs + SECOND_MS / HZ);
  });

  it('shows a newcomer the first change at once, and counts its first message towards its rate', async () => {
    const [newcomer] = join() as [Seat];
    newcomer.greetedAtMs = performance.now();
    await storm(3 * SECOND_MS);
    expect((deliveries[0] as number) - newcomer.greetedAtMs).toBeLessThanOrEqual(1);
    const all = [newcomer.greetedAtMs, ...deliveries];
    for (const time of all)
      expect(all.filter(other => other >= time && other < time + SECOND_MS).length).toBeLessThanOrEqual(HZ);
  });

  it('makes up for what a newcomer sits out: the last change reaches it', async () => {
    const [newcomer] = join() as [Seat];
    newcomer.greetedAtMs = performance.now();
    lane.wake();
    await vi.advanceTimersByTimeAsync(SECOND_MS / HZ + 10);
    lane.wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(deliveries).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(SECOND_MS);
    expect(deliveries).toHaveLength(2);
  });

  it('skips whoever leaves while it hands out, because others run between two slices', async () => {
    vi.useRealTimers();
    const subscribers = join(1_200);
    const wholePass = vi.waitFor(() => expect(deliveries.length).toBeGreaterThanOrEqual(1_199), 20_000);
    lane.wake();
    await new Promise(setImmediate);
    expect(deliveries.length).toBeLessThan(1_200);
    lane.remove(subscribers.at(-1) as Seat);
    await wholePass;
    lane.close();
    expect(deliveries).toHaveLength(1_199);
  });

  it('costs no timer while nothing changes', async () => {
    join();
    await storm(300);
    await vi.advanceTimersByTimeAsync(SECOND_MS);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is quiet after its end', async () => {
    join();
    await storm(50);
    const before = deliveries.length;
    lane.close();
    await vi.advanceTimersByTimeAsync(SECOND_MS);
    expect(deliveries).toHaveLength(before);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('hands out what another reading found in the turn in which its own ended without news', async () => {
    join();
    shown = found;
    betweenReadingAndShowing = () => {
      shown = news();
      found = shown;
      lane.renew();
      betweenReadingAndShowing = () => {};
    };
    lane.look();
    await vi.advanceTimersByTimeAsync(0);
    expect(deliveries).toHaveLength(1);
  });
});
