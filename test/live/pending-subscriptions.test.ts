import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Hub } from '../../src/live/hub.ts';
import { CROWD, READ_INTERVAL_MS } from '../../src/live/subscription.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { OnePoll, POLL_ID } from '../support/one-poll.ts';
import { ConnectionStub, subscriptionOptions } from './connection-stub.ts';

/** A few turns of the event loop, and much less than a tick. */
const SOON_MS = 5;

describe('a crowd that comes to a poll', () => {
  let one: OnePoll;
  let engine: EngineDouble;
  let hub: Hub;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    vi.advanceTimersByTime(10_000);
    one = new OnePoll();
    engine = new EngineDouble(one.engine);
    hub = new Hub({ engine: engine.engine, isOperatorKey: () => false });
  });
  afterEach(() => {
    hub.close();
    vi.useRealTimers();
  });

  const come = () => {
    const subscriber = new ConnectionStub();
    hub.subscribe(POLL_ID, subscriptionOptions(), subscriber);
    return subscriber;
  };

  it('costs one reading a tick, and nobody waits for longer than a tick', async () => {
    const first = come();
    await vi.advanceTimersByTimeAsync(1);
    expect(first.frames).toHaveLength(1);
    const ticks = 20;
    const before = engine.reads;
    const crowd: ConnectionStub[] = [];
    for (let ms = 0; ms < ticks * READ_INTERVAL_MS; ms += 1) {
      crowd.push(come());
      await vi.advanceTimersByTimeAsync(1);
      expect(crowd.at(-1 - READ_INTERVAL_MS)?.frames.length).not.toBe(0);
    }
    // And one look at what was missed before the poll was followed.
    expect(engine.reads - before).toBeLessThanOrEqual(ticks + 1);
  });

  it(`is not kept waiting once it is ${CROWD}, and costs one reading for so many`, async () => {
    come();
    await vi.advanceTimersByTimeAsync(1);
    const before = engine.reads;
    const few = Array.from({ length: CROWD - 1 }, come);
    await vi.advanceTimersByTimeAsync(SOON_MS);
    expect(few.every(({ frames }) => frames.length === 0)).toBe(true);
    const many = [...few, ...Array.from({ length: CROWD }, come)];
    await vi.advanceTimersByTimeAsync(SOON_MS);
    expect(many.every(({ frames }) => frames.length === 1)).toBe(true);
    expect(engine.reads - before).toBe(1);
  });

  it('is read for again as soon as a reading ends that took longer than a tick, with what it could not show', async () => {
    engine.held = [];
    const first = come();
    await vi.advanceTimersByTimeAsync(2 * READ_INTERVAL_MS);
    const second = come();
    one.vote();
    const answers = engine.held.splice(0);
    engine.held = undefined;
    for (const answer of answers) answer();
    await vi.advanceTimersByTimeAsync(SOON_MS);
    expect(first.messages[0]).toMatchObject({ total_votes: 0 });
    expect(second.messages).toMatchObject([{ total_votes: 1 }]);
  });
});
