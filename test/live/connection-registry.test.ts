import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection } from '../../src/live/connection.ts';
import { Roster } from '../../src/live/connection-registry.ts';
import { Frame } from '../../src/live/frame.ts';
import { RelayClosing, SlowSubscriber } from '../../src/protocol/close-event.ts';
import { WireStub } from './wire-stub.ts';

describe('the roster', () => {
  let roster: Roster;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    vi.advanceTimersByTime(1_000);
    roster = new Roster(2);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const enter = (address = 'a') => {
    const wire = new WireStub();
    const connection = new Connection(wire, performance.now());
    roster.add(connection, address);
    return { wire, connection };
  };

  it('has room for so many of an address, and again when one of them has left', () => {
    const { connection } = enter();
    expect(roster.hasRoomFor('a')).toBe(true);
    enter();
    expect([roster.hasRoomFor('a'), roster.hasRoomFor('b')]).toEqual([false, true]);
    roster.remove(connection);
    roster.remove(connection);
    expect([roster.size, roster.hasRoomFor('a')]).toEqual([1, true]);
    enter();
    expect(roster.hasRoomFor('a')).toBe(false);
  });

  it('counts who is only held as one that is there, until the room is given back', () => {
    const giveBack = roster.hold('a');
    enter();
    expect([roster.hasRoomFor('a'), roster.hold('a'), roster.size]).toEqual([false, undefined, 1]);
    giveBack?.();
    expect(roster.hasRoomFor('a')).toBe(true);
  });

  it('costs one timer however many there are, and none when all have left', () => {
    const all = Array.from({ length: 50 }, (_, index) => enter(`address ${index}`));
    expect(vi.getTimerCount()).toBe(1);
    for (const { connection } of all) roster.remove(connection);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('closes whoever takes nothing for 30 s, and leaves the others alone', async () => {
    const [slow, good] = [enter(), enter()];
    slow.wire.isFull = true;
    slow.connection.tell('a', new Frame('{}'));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(slow.wire.farewells).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(slow.wire.farewells).toContain(SlowSubscriber);
    expect(good.wire.farewells).toEqual([]);
  });

  it('gives one and the same heartbeat to all who asked', async () => {
    const frames: Frame[] = [];
    for (const { wire, connection } of [enter(), enter()]) {
      connection.heartbeatMs = 1_000;
      wire.write = frame => frames.push(frame) > 0;
    }
    await vi.advanceTimersByTimeAsync(1_000);
    expect(frames).toHaveLength(2);
    expect(frames[1]).toBe(frames[0]);
  });

  it('P30: tells one after the other to leave, a thousand a second, and within three seconds however many', async () => {
    for (const [count, afterMs] of [
      [500, 500],
      [9_000, 3_000],
    ] as const) {
      const all = Array.from({ length: count }, (_, index) => enter(`address ${index}`));
      for (const { wire, connection } of all)
        wire.farewell = event => {
          wire.farewells.push(event);
          roster.remove(connection);
        };
      const told = () => all.filter(({ wire }) => wire.farewells.length === 1).length;
      const closing = roster.close();
      await vi.advanceTimersByTimeAsync(afterMs / 2);
      expect(Math.abs(told() - count / 2)).toBeLessThan(count / 10);
      await vi.advanceTimersByTimeAsync(afterMs / 2 + 100);
      expect(told()).toBe(count);
      await closing;
    }
  });

  it('tells also who comes while it takes its leave', async () => {
    const all = Array.from({ length: 200 }, (_, index) => enter(`address ${index}`));
    const closing = roster.close();
    await vi.advanceTimersByTimeAsync(100);
    const late = enter('late');
    await vi.advanceTimersByTimeAsync(4_000);
    await closing;
    for (const { wire } of [...all, late]) expect(wire.farewells).toEqual([RelayClosing]);
  });

  it('says farewell to all when it closes, and cuts who does not go', async () => {
    const [polite, stubborn] = [enter(), enter()];
    polite.wire.farewell = () => roster.remove(polite.connection);
    const closing = roster.close();
    await vi.advanceTimersByTimeAsync(3_000);
    await closing;
    expect(stubborn.wire.farewells).toEqual([RelayClosing]);
    expect([polite.wire.terminated, stubborn.wire.terminated]).toEqual([false, true]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
