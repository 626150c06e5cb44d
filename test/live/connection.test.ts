import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Connection } from '../../src/live/connection.ts';
import { Frame } from '../../src/live/frame.ts';
import type { Subscription } from '../../src/live/subscription.ts';
import { closedConnections, traffic } from '../../src/metrics/catalogue.ts';
import { SlowSubscriber } from '../../src/protocol/close-event.ts';
import { ConnectionStub } from './connection-stub.ts';

const SLOW_MS = 30_000;
const frame = (text: string) => new Frame(JSON.stringify(text));
const heartbeat = () => frame('beat');

/** Has the newest results of one poll until they are sent. */
class SubscriptionStub {
  readonly #connection: Connection;
  #newest: Frame | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  offer(text: string): void {
    this.offerFrame(frame(text));
  }

  offerFrame(newest: Frame): void {
    this.#newest = newest;
    this.sendLatest();
  }

  sendLatest(): void {
    if (this.#newest && this.#connection.sendResults(this as unknown as Subscription, this.#newest))
      this.#newest = undefined;
  }
}

describe('a connection', () => {
  let connection: ConnectionStub;
  let a: SubscriptionStub;
  let b: SubscriptionStub;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    vi.advanceTimersByTime(1_000);
    connection = new ConnectionStub();
    a = new SubscriptionStub(connection);
    b = new SubscriptionStub(connection);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const sent = () => connection.written.map(json => JSON.parse(json));
  const tick = (ms: number) => {
    vi.advanceTimersByTime(ms);
    return connection.tick(performance.now(), SLOW_MS, heartbeat);
  };

  it('is counted once, however often it is closed', () => {
    const ended = closedConnections.of({ reason: SlowSubscriber.reason });
    const before = ended.value;
    connection.close(SlowSubscriber);
    connection.close(SlowSubscriber);
    expect(ended.value - before).toBe(1);
  });

  it('counts what it writes, and what it drops', () => {
    const counts = { ...traffic.sse, frames: { value: 0 }, bytes: { value: 0 }, conflated: { value: 0 } };
    const counted = new ConnectionStub(counts);
    const subscription = {} as Subscription;
    const [open, hidden] = [frame('one'), new Frame('"secret"', '1-digest', false)];
    counted.sendResults(subscription, open);
    counted.isFull = true;
    counted.sendResults(subscription, hidden);
    counted.sendResults(subscription, open);
    expect(counts).toMatchObject({
      frames: { value: 2 },
      conflated: { value: 1 },
      bytes: { value: open.sse.length },
    });
  });

  it('keeps no results while blocked, and each subscription sends its latest on drain', () => {
    connection.isFull = true;
    a.offer('a0');
    expect(connection.isBlocked).toBe(true);
    for (let index = 1; index <= 100; index += 1) {
      a.offer(`a${index}`);
      b.offer(`b${index}`);
    }
    expect(sent()).toEqual(['a0']);
    connection.drain();
    expect(sent()).toEqual(['a0', 'a100', 'b100']);
    expect(connection.isBlocked).toBe(false);
  });

  it('keeps the rest if the first frame blocks it again', () => {
    connection.isFull = true;
    a.offer('a0');
    a.offer('a1');
    b.offer('b1');
    connection.drain();
    connection.isFull = true;
    a.offer('a2');
    a.offer('a3');
    b.offer('b3');
    expect(sent()).toEqual(['a0', 'a1', 'b1', 'a2']);
    connection.drain();
    expect(sent()).toEqual(['a0', 'a1', 'b1', 'a2', 'a3', 'b3']);
  });

  it('queues the newest frame of each topic, in order', () => {
    connection.isFull = true;
    a.offer('a0');
    connection.queue('show', frame('first'));
    a.offer('a1');
    connection.queue('error', frame('gone'));
    connection.queue('show', frame('second'));
    expect(sent()).toEqual(['a0']);
    connection.drain();
    expect(sent()).toEqual(['a0', 'second', 'a1', 'gone']);
  });

  it('forgets a subscription that has left', () => {
    connection.isFull = true;
    a.offer('a0');
    a.offer('a1');
    connection.forget(a as unknown as Subscription);
    connection.drain();
    expect(sent()).toEqual(['a0']);
  });

  it('drops a heartbeat while blocked', () => {
    connection.heartbeatMs = 1_000;
    connection.isFull = true;
    a.offer('a0');
    tick(1_000);
    connection.drain();
    expect(sent()).toEqual(['a0']);
    tick(1_000);
    expect(sent()).toEqual(['a0', 'beat']);
  });

  it('is not slow if it drains now and then', () => {
    for (let round = 0; round < 5; round += 1) {
      connection.isFull = true;
      a.offer('a');
      expect(tick(20_000)).toBeUndefined();
      connection.markAlive();
      connection.drain();
    }
  });

  it('P28: pings after 25 s of silence, and is slow after 75 s', () => {
    expect(tick(25_000)).toBeUndefined();
    expect(connection.pings).toBe(0);
    tick(1);
    expect(connection.pings).toBe(1);
    tick(25_001);
    expect(connection.pings).toBe(2);
    expect(tick(24_998)).toBeUndefined();
    expect(tick(1)).toBe('slow');
    connection.markAlive();
    expect(tick(1_000)).toBeUndefined();
    expect(connection.pings).toBe(2);
  });
});
