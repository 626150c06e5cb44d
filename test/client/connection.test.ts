import { describe, expect, it } from 'vitest';
import { backoffMs, Connection } from '../../src/client/connection.ts';
import { ManualClock } from './manual-clock.ts';
import { connected, HEARTBEAT_MS, ScriptedWay } from './scripted-way.ts';

const OPEN_TIMEOUT_MS = 10_000;

describe('falling back', () => {
  it('tries each way at once after the one before could not be opened, then pauses', () => {
    const { clock, socket, stream, read, told } = connected();
    socket.fail();
    stream.fail();
    expect([socket.opened, stream.opened, read.opened]).toEqual([1, 1, 1]);
    read.fail();
    expect(told).toEqual(['lost']);
    expect(socket.opened).toBe(1);
    clock.advance(backoffMs(1));
    expect(socket.opened).toBe(2);
  });

  it('takes a way that says nothing for blocked', () => {
    const { clock, socket, stream } = connected();
    clock.advance(OPEN_TIMEOUT_MS - 1);
    expect(stream.opened).toBe(0);
    clock.advance(1);
    expect([socket.closed, stream.opened]).toEqual([1, 1]);
  });

  it('stays with the way that worked while the relay is away, and looks around only later', () => {
    const { clock, socket, stream } = connected();
    socket.deliver(1);
    for (let failure = 1; failure <= 4; failure += 1) {
      socket.fail();
      expect(stream.opened).toBe(0);
      clock.advance(backoffMs(failure));
    }
    expect(socket.opened).toBe(5);
    socket.fail();
    expect(stream.opened).toBe(1);
  });

  it('returns to the stream that worked without waiting for the socket that does not', () => {
    const { clock, socket, stream } = connected();
    socket.fail();
    stream.deliver(1);
    stream.fail();
    clock.advance(backoffMs(1));
    expect([socket.opened, stream.opened]).toEqual([1, 2]);
  });

  it('looks for a better way when reading asks for it, and goes on reading where there is none', () => {
    const { socket, stream, read, told } = connected();
    socket.fail();
    stream.fail();
    read.deliver(1);
    read.events.onEnd({ renew: true });
    socket.fail();
    stream.fail();
    read.deliver(2);
    expect([socket.opened, stream.opened, read.opened]).toEqual([2, 2, 2]);
    expect(told).toEqual(['read', 'read']);
  });
});

describe('coming back', () => {
  it('pauses for a random part of 0.5 s, growing by 1.7 up to 20 s, for ever', () => {
    const bounds = Array.from({ length: 20 }, (_, index) => Math.round(backoffMs(index + 1)));
    expect(bounds.slice(0, 3)).toEqual([500, 850, 1_445]);
    expect(bounds.slice(8)).toEqual(bounds.slice(8).map(() => 20_000));
    for (const chance of [0, 0.25, 0.999]) {
      const { clock, socket, stream, read } = connected();
      clock.chance = chance;
      for (let round = 1; round <= 30; round += 1) {
        socket.fail();
        stream.fail();
        read.fail();
        expect(clock.pauses.at(-1)).toBeCloseTo(chance * backoffMs(round), 6);
        clock.advance(clock.pauses.at(-1)!);
        expect(socket.opened).toBe(round + 1);
      }
    }
  });

  it('never pauses for longer than a screen on air may be away', () => {
    const { clock, socket, stream, read } = connected(HEARTBEAT_MS, 3_000);
    clock.chance = 0.999;
    for (let round = 1; round <= 12; round += 1) {
      for (const way of [socket, stream, read]) way.fail();
      expect(clock.pauses.at(-1)).toBeCloseTo(0.999 * Math.min(3_000, backoffMs(round)), 6);
      clock.advance(clock.pauses.at(-1)!);
    }
  });

  it('begins anew with short pauses after a connection that held', () => {
    const { clock, socket } = connected();
    socket.deliver(1);
    socket.fail();
    clock.advance(backoffMs(1));
    socket.deliver(2);
    socket.fail();
    expect(clock.pauses.at(-1)).toBeCloseTo(0.5 * backoffMs(2), 6);
    clock.advance(backoffMs(2));
    socket.deliver(3);
    clock.advance(5_000);
    socket.fail();
    expect(clock.pauses.at(-1)).toBeCloseTo(0.5 * backoffMs(1), 6);
  });

  it('tells how many rounds failed in a row, and why the last way did', () => {
    const { clock, socket, stream, read, failures } = connected();
    for (const round of [1, 2]) {
      socket.fail();
      stream.fail();
      read.events.onEnd({ reason: 'status 404' });
      expect(failures).toHaveLength(round);
      clock.advance(clock.pauses.at(-1)!);
    }
    socket.deliver(1);
    socket.events.onEnd({ reason: 'WebSocket closed with 1006' });
    clock.advance(clock.pauses.at(-1)!);
    clock.advance(OPEN_TIMEOUT_MS);
    expect(failures).toEqual([
      '1: status 404',
      '2: status 404',
      '1: WebSocket closed with 1006',
      '2: nothing came within 10 s',
    ]);
  });

  it('waits as long as a relay says that takes its leave, which is no loss', () => {
    const { clock, socket, told } = connected();
    socket.deliver(1);
    socket.events.onEnd({ pauseMs: 2_345 });
    clock.advance(999);
    expect(told).toEqual(['websocket']);
    clock.advance(2_344 - 999);
    expect(socket.opened).toBe(1);
    clock.advance(1);
    expect(socket.opened).toBe(2);
  });

  it('is told as a loss where no other relay takes over within a second', () => {
    const { clock, socket, failures } = connected();
    socket.deliver(1);
    socket.events.onEnd({ pauseMs: 100, reason: 'WebSocket closed with 1001' });
    clock.advance(1_000);
    expect(failures).toEqual(['1: WebSocket closed with 1001']);
    socket.deliver(2);
    socket.events.onEnd({ pauseMs: 100 });
    clock.advance(200);
    socket.fail();
    clock.advance(60_000);
    expect(failures.slice(0, 2)).toEqual(['1: WebSocket closed with 1001', '2: the connection ended']);
  });

  it('pauses longer each time that relays take their leave in a row, until one of them held', () => {
    const { clock, socket } = connected();
    for (const ms of [100, 170, 289]) {
      socket.deliver(1);
      socket.events.onEnd({ pauseMs: 100 });
      expect(clock.pauses.at(-1)).toBeCloseTo(ms, 6);
      clock.advance(ms + 1);
    }
    socket.deliver(1);
    clock.advance(5_000);
    socket.events.onEnd({ pauseMs: 100 });
    expect(clock.pauses.at(-1)).toBe(100);
  });

  it('takes a farewell before the first message for a failure like any other', () => {
    const { clock, socket, told } = connected();
    socket.deliver(1);
    socket.fail();
    for (const failure of [1, 2, 3]) {
      expect(clock.pauses.at(-1)).toBeCloseTo(0.5 * backoffMs(failure), 6);
      clock.advance(backoffMs(failure));
      socket.events.onEnd({ pauseMs: 1 });
    }
    expect(told).toEqual(['websocket', 'lost', 'lost', 'lost', 'lost']);
  });

  it('never comes back after a refusal', () => {
    const { clock, socket, stream, told } = connected();
    socket.events.onEnd({ refusal: { code: 4404, error: 'poll_not_found', message: '' } });
    clock.advance(3_600_000);
    expect(told).toEqual(['refused 4404']);
    expect([socket.opened, stream.opened, clock.pending]).toEqual([1, 0, 0]);
  });
});

describe('closing', () => {
  it.each(['opening', 'open', 'waiting'])('leaves nothing behind while %s', state => {
    const { clock, socket, stream, read, told, connection } = connected();
    if (state === 'open') socket.deliver(1);
    if (state === 'waiting') for (const way of [socket, stream, read]) way.fail();
    const before = told.length;
    connection.close();
    socket.deliver(2);
    socket.fail();
    clock.advance(3_600_000);
    expect(clock.pending).toBe(0);
    expect(told).toHaveLength(before);
    expect(socket.opened).toBe(1);
  });

  it('may happen from inside of any callback', () => {
    const clock = new ManualClock();
    const way = new ScriptedWay('websocket');
    const connection: Connection = new Connection({
      ways: [way],
      heartbeatMs: HEARTBEAT_MS,
      clock,
      onMessage: () => {},
      onLost: () => connection.close(),
      onRefused: () => {},
    });
    way.fail();
    clock.advance(3_600_000);
    expect([way.opened, clock.pending]).toEqual([1, 0]);
  });
});
