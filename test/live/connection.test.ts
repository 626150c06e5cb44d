import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection } from '../../src/live/connection.ts';
import { Frame } from '../../src/live/frame.ts';
import type { Seat } from '../../src/live/subscription.ts';
import { closedConnections, traffic } from '../../src/metrics/catalogue.ts';
import { SlowSubscriber } from '../../src/protocol/close-event.ts';
import { WireStub } from './wire-stub.ts';

const SLOW_MS = 30_000;
const frame = (text: string) => new Frame(JSON.stringify(text));
const heartbeat = () => frame('beat');

/** What the hub has for one subscriber: the newest, for as long as it was not taken. */
class SeatStub {
  readonly #connection: Connection;
  #newest: Frame | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  show(text: string): void {
    this.showFrame(frame(text));
  }

  showFrame(newest: Frame): void {
    this.#newest = newest;
    this.catchUp();
  }

  catchUp(): void {
    if (this.#newest && this.#connection.deliver(this as unknown as Seat, this.#newest))
      this.#newest = undefined;
  }
}

describe('a connection', () => {
  let wire: WireStub;
  let connection: Connection;
  let a: SeatStub;
  let b: SeatStub;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    vi.advanceTimersByTime(1_000);
    wire = new WireStub();
    connection = new Connection(wire, performance.now());
    a = new SeatStub(connection);
    b = new SeatStub(connection);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const said = () => wire.written.map(json => JSON.parse(json));
  const tick = (ms: number) => {
    vi.advanceTimersByTime(ms);
    return connection.tick(performance.now(), SLOW_MS, heartbeat);
  };

  it('is counted once where it is ended, however often it is told so', () => {
    const ended = closedConnections.of({ reason: SlowSubscriber.reason });
    const before = ended.value;
    connection.close(SlowSubscriber);
    connection.close(SlowSubscriber);
    expect(ended.value - before).toBe(1);
  });

  it('counts what it writes, and what is conflated away', () => {
    const counts = { ...traffic.sse, frames: { value: 0 }, bytes: { value: 0 }, conflated: { value: 0 } };
    const counted = new Connection(wire, performance.now(), counts);
    const seat = {} as Seat;
    const [open, hidden] = [frame('one'), new Frame('"secret"', '1-digest', false)];
    counted.deliver(seat, open);
    wire.isFull = true;
    counted.deliver(seat, hidden);
    counted.deliver(seat, open);
    expect(counts).toMatchObject({
      frames: { value: 2 },
      conflated: { value: 1 },
      bytes: { value: open.sse.length },
    });
  });

  it('writes at once while the wire is free', () => {
    a.show('one');
    a.show('two');
    expect(said()).toEqual(['one', 'two']);
    expect(connection.isBlocked).toBe(false);
  });

  it('keeps no results while the wire is blocked, and has each seat catch up once it is free', () => {
    wire.isFull = true;
    a.show('a0');
    expect(connection.isBlocked).toBe(true);
    for (let index = 1; index <= 100; index += 1) {
      a.show(`a${index}`);
      b.show(`b${index}`);
    }
    expect(said()).toEqual(['a0']);
    wire.free();
    expect(said()).toEqual(['a0', 'a100', 'b100']);
    expect(connection.isBlocked).toBe(false);
  });

  it('holds the very frames that all share, never a copy', () => {
    const shared = frame('shared');
    const bytes = shared.websocket;
    wire.isFull = true;
    a.show('first');
    a.showFrame(shared);
    wire.free();
    expect(shared.websocket).toBe(bytes);
    expect(said().at(-1)).toBe('shared');
  });

  it('keeps the rest where the wire is blocked again by the first of them', () => {
    wire.isFull = true;
    a.show('a0');
    a.show('a1');
    b.show('b1');
    wire.free();
    wire.isFull = true;
    a.show('a2');
    a.show('a3');
    b.show('b3');
    expect(said()).toEqual(['a0', 'a1', 'b1', 'a2']);
    wire.free();
    expect(said()).toEqual(['a0', 'a1', 'b1', 'a2', 'a3', 'b3']);
  });

  it('keeps the newest of what no seat repeats, in the order in which it came', () => {
    wire.isFull = true;
    a.show('a0');
    connection.tell('show', frame('first'));
    a.show('a1');
    connection.tell('error', frame('gone'));
    connection.tell('show', frame('second'));
    expect(said()).toEqual(['a0']);
    wire.free();
    expect(said()).toEqual(['a0', 'second', 'a1', 'gone']);
  });

  it('forgets what waits for a poll that is left', () => {
    wire.isFull = true;
    a.show('a0');
    a.show('a1');
    connection.forget(a as unknown as Seat);
    wire.free();
    expect(said()).toEqual(['a0']);
  });

  it('drops a heartbeat while blocked: late it says nothing', () => {
    connection.heartbeatMs = 1_000;
    wire.isFull = true;
    a.show('a0');
    tick(1_000);
    wire.free();
    expect(said()).toEqual(['a0']);
    tick(1_000);
    expect(said()).toEqual(['a0', 'beat']);
  });

  it('beats as often as was asked for, and never unasked', () => {
    for (let second = 0; second < 6; second += 1) tick(1_000);
    expect(said()).toEqual([]);
    connection.heartbeatMs = 2_000;
    for (let second = 0; second < 6; second += 1) tick(1_000);
    expect(said()).toEqual(['beat', 'beat', 'beat']);
  });

  it('is slow once it has taken nothing for 30 s, and not before', () => {
    wire.isFull = true;
    a.show('a0');
    expect(tick(SLOW_MS)).toBeUndefined();
    expect(tick(1)).toBe('slow');
  });

  it('is not slow where it takes something now and then', () => {
    for (let round = 0; round < 5; round += 1) {
      wire.isFull = true;
      a.show('a');
      expect(tick(20_000)).toBeUndefined();
      connection.heard();
      wire.free();
    }
  });

  it('P28: asks for a sign of life after 25 s of silence, and is slow after 75 s', () => {
    expect(tick(25_000)).toBeUndefined();
    expect(wire.probes).toBe(0);
    tick(1);
    expect(wire.probes).toBe(1);
    tick(25_001);
    expect(wire.probes).toBe(2);
    expect(tick(24_998)).toBeUndefined();
    expect(tick(1)).toBe('slow');
    connection.heard();
    expect(tick(1_000)).toBeUndefined();
    expect(wire.probes).toBe(2);
  });
});
