import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Frame } from '../../src/frame/frame.ts';
import { Connection } from '../../src/transport/connection.ts';
import { WireStub } from './wire-stub.ts';

const SLOW_MS = 30_000;
const frame = (text: string) => new Frame(JSON.stringify(text));
const heartbeat = () => frame('beat');

describe('a connection', () => {
  let wire: WireStub;
  let connection: Connection;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    vi.advanceTimersByTime(1_000);
    wire = new WireStub();
    connection = new Connection(wire, performance.now());
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const said = () => wire.written.map(json => JSON.parse(json));
  const tick = (ms: number) => {
    vi.advanceTimersByTime(ms);
    return connection.tick(performance.now(), SLOW_MS, heartbeat);
  };

  it('writes at once while the wire is free', () => {
    connection.deliver('poll', frame('one'));
    connection.deliver('poll', frame('two'));
    expect(said()).toEqual(['one', 'two']);
    expect(connection.isBlocked).toBe(false);
  });

  it('keeps the newest frame of each poll while the wire is blocked, and nothing behind it', () => {
    wire.isFull = true;
    connection.deliver('a', frame('a0'));
    expect(connection.isBlocked).toBe(true);
    for (let index = 1; index <= 100; index += 1) {
      connection.deliver('a', frame(`a${index}`));
      connection.deliver('b', frame(`b${index}`));
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
    connection.deliver('a', frame('first'));
    connection.deliver('a', shared);
    wire.free();
    expect(shared.websocket).toBe(bytes);
    expect(said().at(-1)).toBe('shared');
  });

  it('keeps the rest where the wire is blocked again by the first of them', () => {
    wire.isFull = true;
    connection.deliver('a', frame('a0'));
    connection.deliver('a', frame('a1'));
    connection.deliver('b', frame('b1'));
    wire.free();
    wire.isFull = true;
    connection.deliver('a', frame('a2'));
    connection.deliver('a', frame('a3'));
    connection.deliver('b', frame('b3'));
    expect(said()).toEqual(['a0', 'a1', 'b1', 'a2']);
    wire.free();
    expect(said()).toEqual(['a0', 'a1', 'b1', 'a2', 'a3', 'b3']);
  });

  it('forgets what waits for a poll that is left', () => {
    wire.isFull = true;
    connection.deliver('a', frame('a0'));
    connection.deliver('a', frame('a1'));
    connection.forget('a');
    wire.free();
    expect(said()).toEqual(['a0']);
  });

  it('drops a heartbeat while blocked: late it says nothing', () => {
    connection.heartbeatMs = 1_000;
    wire.isFull = true;
    connection.deliver('a', frame('a0'));
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
    connection.deliver('a', frame('a0'));
    expect(tick(SLOW_MS)).toBeUndefined();
    expect(tick(1)).toBe('slow');
  });

  it('is not slow where it takes something now and then', () => {
    for (let round = 0; round < 5; round += 1) {
      wire.isFull = true;
      connection.deliver('a', frame('a'));
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
