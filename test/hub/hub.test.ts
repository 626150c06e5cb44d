import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Hub } from '../../src/hub/hub.ts';
import { EngineStub, POLL_ID } from './engine-stub.ts';
import { SubscriberStub } from './subscriber-stub.ts';

const SWEEP_MS = 2_000;

describe('the hub', () => {
  let stub: EngineStub;
  let hub: Hub;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    vi.advanceTimersByTime(10_000);
    stub = new EngineStub();
    hub = new Hub({ engine: stub.engine, isOperatorKey: () => false });
  });
  afterEach(() => {
    hub.close();
    vi.useRealTimers();
  });

  const subscribe = async () => {
    const subscriber = new SubscriberStub();
    hub.subscribe(POLL_ID, subscriber);
    await vi.advanceTimersByTimeAsync(200);
    return subscriber;
  };

  test('reads once for all who ask in the same turn, and not before they asked', async () => {
    const reads = Array.from({ length: 1_000 }, () => hub.read(POLL_ID));
    expect(stub.reads).toBe(0);
    stub.vote();
    await vi.advanceTimersByTimeAsync(1);
    expect((await Promise.all(reads)).every(reading => reading?.results.version === 2)).toBe(true);
    expect(stub.reads).toBe(1);
  });

  test('follows a poll once for all, and lets go of it when nobody has come back by the sweep after next', async () => {
    const subscribers = [await subscribe(), await subscribe()];
    expect(stub.followed).toEqual([POLL_ID]);
    for (const subscriber of subscribers) hub.unsubscribe(POLL_ID, subscriber);
    await vi.advanceTimersByTimeAsync(SWEEP_MS);
    await subscribe();
    await vi.advanceTimersByTimeAsync(3 * SWEEP_MS);
    expect([stub.followed, stub.unfollowed]).toEqual([[POLL_ID], []]);
  });

  test('costs no timer while nobody watches', async () => {
    expect(vi.getTimerCount()).toBe(0);
    const subscriber = await subscribe();
    expect(vi.getTimerCount()).toBe(1);
    hub.unsubscribe(POLL_ID, subscriber);
    await vi.advanceTimersByTimeAsync(3 * SWEEP_MS);
    expect(vi.getTimerCount()).toBe(0);
    expect(stub.unfollowed).toEqual([POLL_ID]);
  });

  test('an idle poll costs no timer: a hundred polls share the one of the sweep', async () => {
    for (let index = 0; index < 100; index += 1)
      hub.subscribe(`idlePoll${index}`.padEnd(12, 'x'), new SubscriberStub());
    await vi.advanceTimersByTimeAsync(200);
    expect(vi.getTimerCount()).toBe(1);
  });

  test('finds in its sweep what a lost hint left behind', async () => {
    const subscriber = await subscribe();
    stub.vote();
    await vi.advanceTimersByTimeAsync(SWEEP_MS + 200);
    expect(subscriber.messages.at(-1)).toMatchObject({ total_votes: 1 });
    const reads = stub.reads;
    await vi.advanceTimersByTimeAsync(5 * SWEEP_MS);
    expect(stub.reads).toBe(reads);
  });

  test('reads at once on a hint, and passes over hints about what nobody watches', async () => {
    const subscriber = await subscribe();
    stub.vote();
    stub.hint(POLL_ID);
    stub.hint('someOtherOne');
    stub.hint('');
    await vi.advanceTimersByTimeAsync(5);
    expect(subscriber.messages.at(-1)).toMatchObject({ total_votes: 1 });
  });

  test('reads all when the engine is lost, and again when it is back', async () => {
    const subscriber = await subscribe();
    stub.lost = true;
    stub.announce(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(subscriber.messages.at(-1)).toMatchObject({ type: 'stale' });
    stub.lost = false;
    stub.vote();
    stub.announce(true);
    await vi.advanceTimersByTimeAsync(200);
    expect(subscriber.messages.at(-1)).toMatchObject({ type: 'results', total_votes: 1 });
  });

  test('says stale by its sweep alone, where the engine never said that it is lost', async () => {
    const subscriber = await subscribe();
    stub.lost = true;
    await vi.advanceTimersByTimeAsync(SWEEP_MS + 200);
    stub.lost = false;
    await vi.advanceTimersByTimeAsync(SWEEP_MS + 200);
    expect(subscriber.messages.map(({ type }) => type)).toEqual(['results', 'stale', 'results']);
  });
});
