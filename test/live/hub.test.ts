import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Hub } from '../../src/live/hub.ts';
import { CROWD, READ_INTERVAL_MS } from '../../src/live/subscription.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { OnePoll, POLL_ID } from '../support/one-poll.ts';
import { ConnectionStub, subscriptionOptions } from './connection-stub.ts';

const SWEEP_MS = 2_000;
/** A few turns of the event loop, and less than an interval between reads. */
const SOON_MS = 5;

describe('the hub', () => {
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

  const subscribe = async () => {
    const connection = new ConnectionStub();
    const subscription = hub.subscribe(POLL_ID, subscriptionOptions(), connection);
    await vi.advanceTimersByTimeAsync(200);
    return { connection, subscription };
  };

  it('follows a poll once for all subscribers, and unfollows it if none has returned by the second sweep', async () => {
    const taken = [await subscribe(), await subscribe()];
    expect(engine.followed).toEqual([POLL_ID]);
    for (const { subscription } of taken) subscription.leave();
    await vi.advanceTimersByTimeAsync(SWEEP_MS);
    await subscribe();
    await vi.advanceTimersByTimeAsync(3 * SWEEP_MS);
    expect([engine.followed, engine.unfollowed]).toEqual([[POLL_ID], []]);
  });

  it('has no timer without subscribers', async () => {
    expect(vi.getTimerCount()).toBe(0);
    const { subscription } = await subscribe();
    expect(vi.getTimerCount()).toBe(1);
    subscription.leave();
    await vi.advanceTimersByTimeAsync(3 * SWEEP_MS);
    expect(vi.getTimerCount()).toBe(0);
    expect(engine.unfollowed).toEqual([POLL_ID]);
  });

  it('reads at once on a hint, and ignores hints about polls without subscribers', async () => {
    const { connection } = await subscribe();
    one.vote();
    one.hints.send(POLL_ID);
    one.hints.send('someOtherOne');
    one.hints.send('');
    await vi.advanceTimersByTimeAsync(5);
    expect(connection.messages.at(-1)).toMatchObject({ total_votes: 1 });
  });

  const subscribeNow = () => {
    const connection = new ConnectionStub();
    hub.subscribe(POLL_ID, subscriptionOptions(), connection);
    return connection;
  };

  it('reads once per interval for a crowd, and no subscriber waits longer than that', async () => {
    const first = subscribeNow();
    await vi.advanceTimersByTimeAsync(1);
    expect(first.frames).toHaveLength(1);
    const intervals = 20;
    const before = engine.reads;
    const crowd: ConnectionStub[] = [];
    for (let ms = 0; ms < intervals * READ_INTERVAL_MS; ms += 1) {
      crowd.push(subscribeNow());
      await vi.advanceTimersByTimeAsync(1);
      expect(crowd.at(-1 - READ_INTERVAL_MS)?.frames.length).not.toBe(0);
    }
    // And one check for a hint before the poll was followed.
    expect(engine.reads - before).toBeLessThanOrEqual(intervals + 1);
  });

  it(`reads at once for a crowd of ${CROWD}`, async () => {
    subscribeNow();
    await vi.advanceTimersByTimeAsync(1);
    const before = engine.reads;
    const few = Array.from({ length: CROWD - 1 }, subscribeNow);
    await vi.advanceTimersByTimeAsync(SOON_MS);
    expect(few.every(({ frames }) => frames.length === 0)).toBe(true);
    const many = [...few, ...Array.from({ length: CROWD }, subscribeNow)];
    await vi.advanceTimersByTimeAsync(SOON_MS);
    expect(many.every(({ frames }) => frames.length === 1)).toBe(true);
    expect(engine.reads - before).toBe(1);
  });

  it('reads again at once after a read that took longer than the interval', async () => {
    engine.held = [];
    const first = subscribeNow();
    await vi.advanceTimersByTimeAsync(2 * READ_INTERVAL_MS);
    const second = subscribeNow();
    one.vote();
    const answers = engine.held.splice(0);
    engine.held = undefined;
    for (const answer of answers) answer();
    await vi.advanceTimersByTimeAsync(SOON_MS);
    expect(first.messages[0]).toMatchObject({ total_votes: 0 });
    expect(second.messages).toMatchObject([{ total_votes: 1 }]);
  });
});
