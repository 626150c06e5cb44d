import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HINT_WINDOW_MS } from '../../src/engine/engine.ts';
import { Frame } from '../../src/live/frame.ts';
import { RateGroup, type RateGroupOptions } from '../../src/live/rate-group.ts';
import { Subscription } from '../../src/live/subscription.ts';
import { ConnectionStub, subscriptionOptions } from './connection-stub.ts';

const HZ = 10;
const SECOND_MS = 1_000;

function news(): Frame {
  return Frame.of({ type: 'heartbeat', timestamp: 0 });
}

describe('a rate group', () => {
  let refreshMs: number;
  let refreshes: number;
  let deliveries: number[];
  /** What a reading finds. */
  let found: Frame;
  let current: Frame;
  /** What another read does in the turn in which this one ends. */
  let afterRead: () => unknown;
  let options: RateGroupOptions;
  let group: RateGroup;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    vi.advanceTimersByTime(10_000);
    refreshMs = 0;
    refreshes = 0;
    deliveries = [];
    found = news();
    afterRead = () => {};
    options = {
      hz: HZ,
      refresh: async () => {
        refreshes += 1;
        const reading = found;
        if (refreshMs > 0) await new Promise(done => setTimeout(done, refreshMs));
        current = reading;
        await afterRead();
      },
      current: () => current,
      latest: () => undefined,
      onBroadcast: () => {},
      onError: fault => {
        throw fault;
      },
    };
    group = new RateGroup(options);
  });
  afterEach(() => {
    group.close();
    vi.useRealTimers();
  });

  const source = {
    snapshot: undefined,
    stale: undefined,
    authorize: () => undefined,
    unsubscribe: () => {},
    reject: () => {},
    onError: () => {},
  };
  class Watched extends Subscription {
    override sendLatest(): void {
      deliveries.push(performance.now());
    }
  }
  const join = (count = 1): Subscription[] => {
    const open = () => new Watched('stubbedPoll1', source, subscriptionOptions(), new ConnectionStub());
    const joining = Array.from({ length: count }, open);
    for (const subscription of joining) {
      group.add(subscription, found);
      // It got its first message long ago.
      subscription.restsUntilMs = 0;
    }
    return joining;
  };
  /** Requests a refresh every millisecond, as a storm of ballots does. */
  const storm = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1) {
      group.requestRefresh();
      await vi.advanceTimersByTimeAsync(1);
    }
  };

  it('reads once more after a change', async () => {
    join();
    found = news();
    group.requestRefresh();
    await vi.advanceTimersByTimeAsync(SECOND_MS);
    expect(refreshes).toBe(2);
    expect(deliveries).toHaveLength(1);
    // Cast right after the ballot that was hinted at, so that nothing says so.
    found = news();
    group.requestRefresh();
    await vi.advanceTimersByTimeAsync(2 * HINT_WINDOW_MS);
    found = news();
    await vi.advanceTimersByTimeAsync(SECOND_MS);
    expect(deliveries).toHaveLength(3);
    expect(refreshes).toBe(5);
  });

  it('broadcasts at once after a read that found nothing', async () => {
    join();
    found = news();
    group.requestRefresh();
    await vi.advanceTimersByTimeAsync(1.5 * (SECOND_MS / HZ));
    found = news();
    group.requestRefresh();
    await vi.advanceTimersByTimeAsync(0);
    expect(deliveries).toHaveLength(2);
  });

  it('broadcasts what another read found in the turn in which its own ended without a change', async () => {
    join();
    current = found;
    afterRead = () => {
      current = news();
      found = current;
      group.onNewSnapshot();
      afterRead = () => {};
    };
    group.requestRefresh('check');
    await vi.advanceTimersByTimeAsync(0);
    expect(deliveries).toHaveLength(1);
  });

  it('broadcasts at once after a read during which a change came', async () => {
    join();
    refreshMs = 20;
    found = news();
    group.requestRefresh();
    await vi.advanceTimersByTimeAsync(refreshMs + SECOND_MS / HZ + 10);
    expect(refreshes).toBe(2);
    found = news();
    group.requestRefresh();
    await vi.advanceTimersByTimeAsync(3 * refreshMs);
    expect(refreshes).toBe(3);
    expect(deliveries).toHaveLength(2);
  });

  it('rests after hints without a change', async () => {
    join();
    await storm(SECOND_MS);
    expect(refreshes).toBeLessThanOrEqual(HZ);
  });

  it('merges changes during a read into one', async () => {
    join();
    refreshMs = 50;
    group.requestRefresh();
    await vi.advanceTimersByTimeAsync(20);
    for (let change = 0; change < 5; change += 1) group.requestRefresh();
    await vi.advanceTimersByTimeAsync(SECOND_MS);
    expect(refreshes).toBe(2);
  });

  it('stretches its interval if a broadcast takes longer, and broadcasts never overlap', async () => {
    join();
    refreshMs = 400;
    await storm(2 * SECOND_MS);
    expect(refreshes).toBeLessThanOrEqual(5);
    for (const [index, time] of deliveries.slice(1).entries())
      expect(time - (deliveries[index] as number)).toBeGreaterThanOrEqual(refreshMs + SECOND_MS / HZ);
  });

  it('sends each subscription at most one message an interval, and the last change within one interval, at any rate', async () => {
    const times = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 30 });
    const histories = fc.record({
      hz: fc.double({ min: 0.1, max: 60, noNaN: true }),
      changes: times,
      joins: times,
    });
    await fc.assert(
      fc.asyncProperty(histories, async ({ hz, changes, joins }) => {
        const intervalMs = 1_000 / hz;
        // In percent of three intervals.
        const at = (percent: number) => Math.round((percent / 100) * 3 * intervalMs);
        const timeline = [
          ...changes.map(percent => ({ ms: at(percent), isChange: true })),
          ...joins.map(percent => ({ ms: at(percent), isChange: false })),
        ].sort((one, other) => one.ms - other.ms);
        group = new RateGroup({ ...options, hz });
        const received: { times: number[]; held: Frame | undefined }[] = [];
        const startMs = performance.now();
        let lastChangeMs = startMs;
        for (const { ms, isChange } of timeline) {
          await vi.advanceTimersByTimeAsync(Math.max(0, startMs + ms - performance.now()));
          if (isChange) {
            lastChangeMs = performance.now();
            found = news();
            group.requestRefresh();
          } else {
            // A new subscription reads the poll.
            current = found;
            const client = { times: [] as number[], held: undefined as Frame | undefined };
            received.push(client);
            const subscription = new Subscription(
              'stubbedPoll1',
              source,
              subscriptionOptions(),
              new ConnectionStub(),
            );
            subscription.sendLatest = () => {
              if (client.held === current) return;
              client.held = current;
              client.times.push(performance.now());
            };
            group.add(subscription, current);
            subscription.activate();
          }
        }
        await vi.advanceTimersByTimeAsync(Math.max(0, lastChangeMs + intervalMs + 50 - performance.now()));
        for (const client of received) {
          expect(client.held).toBe(found);
          for (const [index, time] of client.times.slice(1).entries())
            expect(time - (client.times[index] as number)).toBeGreaterThan(intervalMs - 0.01);
        }
        group.close();
      }),
    );
  });

  it('skips a subscription that leaves between two slices', async () => {
    vi.useRealTimers();
    const subscribers = join(1_200);
    const wholePass = vi.waitFor(() => expect(deliveries.length).toBeGreaterThanOrEqual(1_199), 20_000);
    group.requestRefresh();
    await new Promise(setImmediate);
    expect(deliveries.length).toBeLessThan(1_200);
    group.remove(subscribers.at(-1) as Subscription);
    await wholePass;
    group.close();
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
    group.close();
    await vi.advanceTimersByTimeAsync(SECOND_MS);
    expect(deliveries).toHaveLength(before);
    expect(vi.getTimerCount()).toBe(0);
  });
});
