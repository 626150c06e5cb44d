import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Hub } from '../../src/live/hub.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { OnePoll, POLL_ID } from '../support/one-poll.ts';
import { ConnectionStub, subscriptionOptions } from './connection-stub.ts';

const SWEEP_MS = 2_000;

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

  it('reads once for all who ask in the same turn, and not before they asked', async () => {
    const reads = Array.from({ length: 1_000 }, () => hub.read(POLL_ID));
    expect(engine.reads).toBe(0);
    one.vote();
    await vi.advanceTimersByTimeAsync(1);
    expect((await Promise.all(reads)).every(reading => reading?.results.version === 2)).toBe(true);
    expect(engine.reads).toBe(1);
  });

  it('follows a poll once for all, and lets go of it when nobody has come back by the sweep after next', async () => {
    const taken = [await subscribe(), await subscribe()];
    expect(engine.followed).toEqual([POLL_ID]);
    for (const { subscription } of taken) subscription.leave();
    await vi.advanceTimersByTimeAsync(SWEEP_MS);
    await subscribe();
    await vi.advanceTimersByTimeAsync(3 * SWEEP_MS);
    expect([engine.followed, engine.unfollowed]).toEqual([[POLL_ID], []]);
  });

  it('costs no timer while nobody watches', async () => {
    expect(vi.getTimerCount()).toBe(0);
    const { subscription } = await subscribe();
    expect(vi.getTimerCount()).toBe(1);
    subscription.leave();
    await vi.advanceTimersByTimeAsync(3 * SWEEP_MS);
    expect(vi.getTimerCount()).toBe(0);
    expect(engine.unfollowed).toEqual([POLL_ID]);
  });

  it('an idle poll costs no timer: a hundred polls share the one of the sweep', async () => {
    for (let index = 0; index < 100; index += 1)
      hub.subscribe(`idlePoll${index}`.padEnd(12, 'x'), subscriptionOptions(), new ConnectionStub());
    await vi.advanceTimersByTimeAsync(200);
    expect(vi.getTimerCount()).toBe(1);
  });

  it('finds in its sweep what a lost hint left behind', async () => {
    const { connection } = await subscribe();
    one.vote();
    await vi.advanceTimersByTimeAsync(SWEEP_MS + 200);
    expect(connection.messages.at(-1)).toMatchObject({ total_votes: 1 });
    const reads = engine.reads;
    await vi.advanceTimersByTimeAsync(5 * SWEEP_MS);
    expect(engine.reads).toBe(reads);
  });

  it('reads at once on a hint, and passes over hints about what nobody watches', async () => {
    const { connection } = await subscribe();
    one.vote();
    one.hints.tell(POLL_ID);
    one.hints.tell('someOtherOne');
    one.hints.tell('');
    await vi.advanceTimersByTimeAsync(5);
    expect(connection.messages.at(-1)).toMatchObject({ total_votes: 1 });
  });

  it('reads all when the engine is lost, and again when it is back', async () => {
    const { connection } = await subscribe();
    engine.lost = true;
    engine.announce(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(connection.messages.at(-1)).toMatchObject({ type: 'stale' });
    engine.lost = false;
    one.vote();
    engine.announce(true);
    await vi.advanceTimersByTimeAsync(200);
    expect(connection.messages.at(-1)).toMatchObject({ type: 'results', total_votes: 1 });
  });

  it('says stale by its sweep alone, where the engine never said that it is lost', async () => {
    const { connection } = await subscribe();
    engine.lost = true;
    await vi.advanceTimersByTimeAsync(SWEEP_MS + 200);
    engine.lost = false;
    await vi.advanceTimersByTimeAsync(SWEEP_MS + 200);
    expect(connection.messages.map(({ type }) => type)).toEqual(['results', 'stale', 'results']);
  });
});
