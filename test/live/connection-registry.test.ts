import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionRegistry } from '../../src/live/connection-registry.ts';
import { Frame } from '../../src/live/frame.ts';
import { RelayClosing, SlowSubscriber } from '../../src/protocol/close-event.ts';
import { ConnectionStub } from './connection-stub.ts';

describe('the registry of connections', () => {
  let registry: ConnectionRegistry;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    vi.advanceTimersByTime(1_000);
    registry = new ConnectionRegistry(2);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const enter = (address = 'a') => {
    const connection = new ConnectionStub();
    registry.add(connection, address);
    return connection;
  };

  it('limits connections of an address, and frees room on close', () => {
    const connection = enter();
    expect(registry.hasRoomFor('a')).toBe(true);
    enter();
    expect([registry.hasRoomFor('a'), registry.hasRoomFor('b')]).toEqual([false, true]);
    registry.remove(connection);
    registry.remove(connection);
    expect([registry.size, registry.hasRoomFor('a')]).toEqual([1, true]);
    enter();
    expect(registry.hasRoomFor('a')).toBe(false);
  });

  it('counts reserved room as taken until it is released', () => {
    const release = registry.hold('a');
    enter();
    expect([registry.hasRoomFor('a'), registry.hold('a'), registry.size]).toEqual([false, undefined, 1]);
    release?.();
    expect(registry.hasRoomFor('a')).toBe(true);
  });

  it('needs one timer for any number of connections, and none without', () => {
    const all = Array.from({ length: 50 }, (_, index) => enter(`address ${index}`));
    expect(vi.getTimerCount()).toBe(1);
    for (const connection of all) registry.remove(connection);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('closes a connection that is blocked for 30 s, and no other', async () => {
    const [slow, good] = [enter(), enter()];
    slow.isFull = true;
    slow.queue('a', new Frame('{}'));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(slow.closes).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(slow.closes).toContain(SlowSubscriber);
    expect(good.closes).toEqual([]);
  });

  it('sends the same heartbeat frame to all that requested one', async () => {
    const frames: Frame[] = [];
    for (const connection of [enter(), enter()]) {
      connection.heartbeatMs = 1_000;
      connection.write = frame => frames.push(frame) > 0;
    }
    await vi.advanceTimersByTimeAsync(1_000);
    expect(frames).toHaveLength(2);
    expect(frames[1]).toBe(frames[0]);
  });

  it('P30: closes a thousand connections a second, and all of them within three seconds', async () => {
    for (const [count, afterMs] of [
      [500, 500],
      [9_000, 3_000],
    ] as const) {
      const all = Array.from({ length: count }, (_, index) => enter(`address ${index}`));
      for (const connection of all)
        connection.sendClose = event => {
          connection.closes.push(event);
          registry.remove(connection);
        };
      const closed = () => all.filter(({ closes }) => closes.length === 1).length;
      const closing = registry.close();
      await vi.advanceTimersByTimeAsync(afterMs / 2);
      expect(Math.abs(closed() - count / 2)).toBeLessThan(count / 10);
      await vi.advanceTimersByTimeAsync(afterMs / 2 + 100);
      expect(closed()).toBe(count);
      await closing;
    }
  });

  it('also closes a connection that opens during the drain', async () => {
    const all = Array.from({ length: 200 }, (_, index) => enter(`address ${index}`));
    const closing = registry.close();
    await vi.advanceTimersByTimeAsync(100);
    const late = enter('late');
    await vi.advanceTimersByTimeAsync(4_000);
    await closing;
    for (const { closes } of [...all, late]) expect(closes).toEqual([RelayClosing]);
  });

  it('closes all connections, and terminates those that do not answer', async () => {
    const [polite, stubborn] = [enter(), enter()];
    polite.sendClose = () => registry.remove(polite);
    const closing = registry.close();
    await vi.advanceTimersByTimeAsync(3_000);
    await closing;
    expect(stubborn.closes).toEqual([RelayClosing]);
    expect([polite.isTerminated, stubborn.isTerminated]).toEqual([false, true]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
