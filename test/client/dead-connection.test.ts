import { describe, expect, it } from 'vitest';
import { heartbeatMs } from '../../src/client/connect-options.ts';
import { backoffMs } from '../../src/client/connection.ts';
import { readWay } from '../../src/client/read-way.ts';
import { resultsMessage } from './results-message.ts';
import { connected, HEARTBEAT_MS } from './scripted-way.ts';

describe('a dead connection', () => {
  it('is noticed after two and a half heartbeats without a word', () => {
    const { clock, socket, told } = connected();
    socket.deliver(1);
    clock.advance(2.5 * HEARTBEAT_MS - 1);
    socket.events.onMessage({ type: 'heartbeat', timestamp: 1 });
    clock.advance(2.5 * HEARTBEAT_MS - 1);
    expect(told).not.toContain('lost');
    clock.advance(1);
    expect(told.at(-1)).toBe('lost');
    expect(socket.closed).toBe(1);
    clock.advance(backoffMs(1));
    expect(socket.opened).toBe(2);
  });

  it('is noticed within 10 s by the heartbeat that is asked for, and the same way is tried again', () => {
    const { clock, socket, told } = connected(heartbeatMs({}));
    socket.deliver(1);
    clock.advance(10_000 - 1);
    expect(told.at(-1)).toBe('lost');
    clock.advance(backoffMs(1));
    expect([socket.closed, socket.opened]).toEqual([1, 2]);
    socket.deliver(2);
    expect(told).toEqual(['websocket', 'lost', 'websocket']);
  });

  it('is noticed within 10 s by reading, too', () => {
    const { clock, socket, told } = connected();
    socket.silenceMs = readWay({ fetch, clock, targets: () => [] }).silenceMs;
    socket.deliver(1);
    clock.advance(10_000 - 1);
    expect(told.at(-1)).toBe('lost');
  });

  it('is none while heartbeats come four seconds late, however long', () => {
    const { clock, socket, told } = connected(heartbeatMs({}));
    for (let beat = 0; beat < 100; beat += 1) {
      socket.events.onMessage({ type: 'heartbeat', timestamp: beat });
      clock.advance(heartbeatMs({}) + 4_000);
    }
    expect(told).not.toContain('lost');
  });

  it('is none after a sleep, as long as what came meanwhile is still to be read', () => {
    const { clock, socket, told } = connected();
    socket.deliver(1);
    for (const sleptMs of [2.5 * HEARTBEAT_MS - 1, 60_000, 3_600_000]) {
      clock.skip(sleptMs);
      // Timers are called back first.
      clock.advance(0);
      socket.events.onMessage({ type: 'heartbeat', timestamp: 1 });
      clock.advance(2.5 * HEARTBEAT_MS - 1);
      socket.events.onMessage({ type: 'heartbeat', timestamp: 1 });
    }
    expect(told).not.toContain('lost');
  });

  it('is noticed a second after a sleep in which nothing came', () => {
    const { clock, socket, told } = connected();
    socket.deliver(1);
    clock.skip(3_600_000);
    clock.advance(0);
    expect(told).not.toContain('lost');
    clock.advance(1_000);
    expect(told.at(-1)).toBe('lost');
  });

  it('is one by the measure of its way, where that has one of its own', () => {
    const { clock, read, socket, stream, told } = connected();
    read.silenceMs = 4 * HEARTBEAT_MS;
    socket.fail();
    stream.fail();
    read.deliver(1);
    clock.advance(4 * HEARTBEAT_MS - 1);
    expect(told).not.toContain('lost');
    clock.advance(1);
    expect(told.at(-1)).toBe('lost');
  });

  it('is not listened to any more', () => {
    const { clock, socket, told } = connected();
    socket.deliver(1);
    const dead = socket.events;
    clock.advance(2.5 * HEARTBEAT_MS);
    dead.onMessage(resultsMessage(2));
    dead.onEnd({ refusal: { code: 4403, error: 'api_key_rejected', message: '' } });
    expect(told).toEqual(['websocket', 'lost']);
  });
});
