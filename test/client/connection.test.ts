import { describe, expect, it } from 'vitest';
import { heartbeatMs } from '../../src/client/connect-options.ts';
import { backoffMs } from '../../src/client/connection.ts';
import { pollingTransport, type Transport } from '../../src/client/transports.ts';
import { ManualClock } from './manual-clock.ts';
import { HEARTBEAT_MS, scriptedConnection } from './scripted-transport.ts';

const OPEN_TIMEOUT_MS = 10_000;
const SILENCE_MS = 2.5 * HEARTBEAT_MS;

describe('falling back', () => {
  it('tries each transport as soon as the one before fails, then pauses', () => {
    const { clock, socket, stream, read, calls } = scriptedConnection();
    socket.fail();
    stream.fail();
    expect([socket.opened, stream.opened, read.opened]).toEqual([1, 1, 1]);
    read.fail();
    expect(calls).toEqual(['lost']);
    expect(socket.opened).toBe(1);
    clock.advance(backoffMs(1));
    expect(socket.opened).toBe(2);
  });

  it('gives up a transport that delivers nothing within 10 s', () => {
    const { clock, socket, stream } = scriptedConnection();
    clock.advance(OPEN_TIMEOUT_MS - 1);
    expect(stream.opened).toBe(0);
    clock.advance(1);
    expect([socket.closed, stream.opened]).toEqual([1, 1]);
  });

  it('retries the transport that worked four times before it tries others', () => {
    const { clock, socket, stream } = scriptedConnection();
    socket.deliver();
    for (let failure = 1; failure <= 4; failure += 1) {
      socket.fail();
      expect(stream.opened).toBe(0);
      clock.advance(backoffMs(failure));
    }
    expect(socket.opened).toBe(5);
    socket.fail();
    expect(stream.opened).toBe(1);
  });

  it('returns to the stream that worked without trying the socket that failed', () => {
    const { clock, socket, stream } = scriptedConnection();
    socket.fail();
    stream.deliver();
    stream.fail();
    clock.advance(backoffMs(1));
    expect([socket.opened, stream.opened]).toEqual([1, 2]);
  });

  it('tries the better transports when polling asks for it, and keeps polling if they fail', () => {
    const { socket, stream, read, calls } = scriptedConnection();
    socket.fail();
    stream.fail();
    read.deliver();
    read.events.onEnd({ tryBetter: true });
    socket.fail();
    stream.fail();
    read.deliver(2);
    expect([socket.opened, stream.opened, read.opened]).toEqual([2, 2, 2]);
    expect(calls).toEqual(['read', 'read']);
  });

  it('falls back at once where the address has no room for another connection, even after one that worked', () => {
    const { clock, socket, stream, read, calls } = scriptedConnection();
    const refuse = () => {
      socket.events.onMessage({ type: 'error', code: 'rate_limited', message: 'too many' });
      socket.events.onEnd({ isFull: true });
      stream.events.onEnd({ isFull: true });
    };
    refuse();
    read.deliver();
    read.events.onEnd({ tryBetter: true });
    socket.deliver(2);
    socket.fail();
    clock.advance(backoffMs(1));
    refuse();
    expect([socket.opened, stream.opened, read.opened]).toEqual([3, 2, 2]);
    expect(calls).not.toContain('rejected 4429');
  });
});

describe('polling', () => {
  /** Polls until the better transports are to be tried again. @returns for how long */
  async function pollUntilEnd(clock: ManualClock, transport: Transport): Promise<number> {
    const beganMs = clock.now();
    let hasEnded = false;
    transport.open({
      onMessage: () => {},
      onEnd: ({ tryBetter }) => {
        hasEnded = tryBetter === true;
      },
    });
    for (;;) {
      // The round before is over once no promise of it is pending.
      await new Promise(setImmediate);
      if (hasEnded) return clock.now() - beganMs;
      clock.advance(3_000);
    }
  }

  it('tries the better transports after 15 s, later after up to 2 min, and soon again once one has worked', async () => {
    const clock = new ManualClock();
    const transport = pollingTransport(fetch, clock, () => []);
    const pausesMs: number[] = [];
    for (let time = 0; time < 5; time += 1) pausesMs.push(await pollUntilEnd(clock, transport));
    expect(pausesMs).toEqual([12_000, 27_000, 57_000, 117_000, 117_000]);
    clock.advance(60_000);
    expect(await pollUntilEnd(clock, transport)).toBe(12_000);
  });
});

describe('reconnecting', () => {
  it('pauses for a random part of 0.5 s, growing by 1.7 up to 20 s, without end', () => {
    const bounds = Array.from({ length: 20 }, (_, index) => Math.round(backoffMs(index + 1)));
    expect(bounds.slice(0, 3)).toEqual([500, 850, 1_445]);
    expect(bounds.slice(8)).toEqual(bounds.slice(8).map(() => 20_000));
  });

  it.each([
    [0, undefined],
    [0.25, undefined],
    [0.999, undefined],
    [0.999, 3_000],
  ])('pauses for %d of the bound, with a longest pause of %s ms', (chance, longestPauseMs) => {
    const { clock, socket, failAll } = scriptedConnection(HEARTBEAT_MS, longestPauseMs);
    clock.chance = chance;
    for (let round = 1; round <= 30; round += 1) {
      failAll();
      const bound = Math.min(longestPauseMs ?? 20_000, backoffMs(round));
      expect(clock.pauses.at(-1)).toBeCloseTo(chance * bound, 6);
      clock.advance(clock.pauses.at(-1)!);
      expect(socket.opened).toBe(round + 1);
    }
  });

  it('resets the backoff after a connection that lasted 5 s', () => {
    const { clock, socket } = scriptedConnection();
    socket.deliver();
    socket.fail();
    clock.advance(backoffMs(1));
    socket.deliver();
    socket.fail();
    expect(clock.pauses.at(-1)).toBeCloseTo(0.5 * backoffMs(2), 6);
    clock.advance(backoffMs(2));
    socket.deliver();
    clock.advance(5_000);
    socket.fail();
    expect(clock.pauses.at(-1)).toBeCloseTo(0.5 * backoffMs(1), 6);
  });

  it('reports the number of failed rounds and the reason of the last failure', () => {
    const { clock, socket, stream, read, failures } = scriptedConnection();
    for (const round of [1, 2]) {
      socket.fail();
      stream.fail();
      read.events.onEnd({ reason: 'status 404' });
      expect(failures).toHaveLength(round);
      clock.advance(clock.pauses.at(-1)!);
    }
    socket.deliver();
    socket.events.onEnd({ reason: 'WebSocket 1006' });
    clock.advance(clock.pauses.at(-1)!);
    clock.advance(OPEN_TIMEOUT_MS);
    expect(failures).toEqual([
      '1: status 404',
      '2: status 404',
      '1: WebSocket 1006',
      '2: no message for 10 s',
    ]);
  });

  it('waits as long as the server asks after a graceful close, and reports no loss', () => {
    const { clock, socket, calls } = scriptedConnection();
    socket.deliver();
    socket.events.onEnd({ retryMs: 2_345 });
    clock.advance(999);
    expect(calls).toEqual(['websocket']);
    clock.advance(2_344 - 999);
    expect(socket.opened).toBe(1);
    clock.advance(1);
    expect(socket.opened).toBe(2);
  });

  it('reports a loss if no relay takes over within a second of a graceful close', () => {
    const { clock, socket, failures } = scriptedConnection();
    socket.deliver();
    socket.events.onEnd({ retryMs: 100, reason: 'WebSocket 1001' });
    clock.advance(1_000);
    expect(failures).toEqual(['1: WebSocket 1001']);
    socket.deliver();
    socket.events.onEnd({ retryMs: 100 });
    clock.advance(200);
    socket.fail();
    clock.advance(60_000);
    expect(failures.slice(0, 2)).toEqual(['1: WebSocket 1001', '2: the connection ended']);
  });

  it('pauses longer after each graceful close in a row, until a connection lasts', () => {
    const { clock, socket } = scriptedConnection();
    for (const ms of [100, 170, 289]) {
      socket.deliver();
      socket.events.onEnd({ retryMs: 100 });
      expect(clock.pauses.at(-1)).toBeCloseTo(ms, 6);
      clock.advance(ms + 1);
    }
    socket.deliver();
    clock.advance(5_000);
    socket.events.onEnd({ retryMs: 100 });
    expect(clock.pauses.at(-1)).toBe(100);
  });

  it('treats a graceful close before the first message as a failure', () => {
    const { clock, socket, calls } = scriptedConnection();
    socket.deliver();
    socket.fail();
    for (const failure of [1, 2, 3]) {
      expect(clock.pauses.at(-1)).toBeCloseTo(0.5 * backoffMs(failure), 6);
      clock.advance(backoffMs(failure));
      socket.events.onEnd({ retryMs: 1 });
    }
    expect(calls).toEqual(['websocket', 'lost', 'lost', 'lost', 'lost']);
  });

  it('never reconnects after a rejection', () => {
    const { clock, socket, stream, calls } = scriptedConnection();
    socket.events.onEnd({ rejection: { code: 4403, error: 'api_key_rejected', message: '' } });
    clock.advance(3_600_000);
    expect(calls).toEqual(['rejected 4403']);
    expect([socket.opened, stream.opened, clock.pending]).toEqual([1, 0, 0]);
  });
});

describe('a dead connection', () => {
  it('is detected after two and a half heartbeats without a message', () => {
    const { clock, socket, calls } = scriptedConnection();
    socket.deliver();
    clock.advance(SILENCE_MS - 1);
    socket.beat();
    clock.advance(SILENCE_MS - 1);
    expect(calls).not.toContain('lost');
    clock.advance(1);
    expect(calls.at(-1)).toBe('lost');
    expect(socket.closed).toBe(1);
    clock.advance(backoffMs(1));
    expect(socket.opened).toBe(2);
  });

  it('is detected within 10 s by default', () => {
    const { clock, socket, calls } = scriptedConnection(heartbeatMs({}));
    socket.deliver();
    clock.advance(10_000 - 1);
    expect(calls.at(-1)).toBe('lost');
  });

  it('is detected within 10 s while polling, whatever the heartbeat', () => {
    const { clock, socket, calls } = scriptedConnection(4 * HEARTBEAT_MS);
    socket.silenceMs = pollingTransport(fetch, clock, () => []).silenceMs;
    socket.deliver();
    clock.advance(10_000 - 1);
    expect(calls.at(-1)).toBe('lost');
  });

  it('is not assumed while heartbeats arrive four seconds late', () => {
    const { clock, socket, calls } = scriptedConnection(heartbeatMs({}));
    for (let beat = 0; beat < 100; beat += 1) {
      socket.beat();
      clock.advance(heartbeatMs({}) + 4_000);
    }
    expect(calls).not.toContain('lost');
  });

  it('is not assumed after a sleep while messages are waiting to be read', () => {
    const { clock, socket, calls } = scriptedConnection();
    socket.deliver();
    for (const sleptMs of [SILENCE_MS - 1, 60_000, 3_600_000]) {
      clock.skip(sleptMs);
      // Timers run before messages are read.
      clock.advance(0);
      socket.beat();
      clock.advance(SILENCE_MS - 1);
      socket.beat();
    }
    expect(calls).not.toContain('lost');
  });

  it('is detected a second after a sleep in which no message arrived', () => {
    const { clock, socket, calls } = scriptedConnection();
    socket.deliver();
    clock.skip(3_600_000);
    clock.advance(0);
    expect(calls).not.toContain('lost');
    clock.advance(1_000);
    expect(calls.at(-1)).toBe('lost');
  });

  it('delivers no late events', () => {
    const { clock, socket, calls } = scriptedConnection();
    socket.deliver();
    const dead = { ...socket.events };
    clock.advance(SILENCE_MS);
    dead.onMessage({ type: 'heartbeat', timestamp: 1 });
    dead.onEnd({ rejection: { code: 4403, error: 'api_key_rejected', message: '' } });
    expect(calls).toEqual(['websocket', 'lost']);
  });
});

describe('closing', () => {
  it.each(['opening', 'open', 'waiting'])('leaves no timer or call behind while %s', state => {
    const { clock, socket, calls, connection, failAll } = scriptedConnection();
    if (state === 'open') socket.deliver();
    if (state === 'waiting') failAll();
    const before = calls.length;
    connection.close();
    socket.deliver(2);
    socket.fail();
    clock.advance(3_600_000);
    expect(clock.pending).toBe(0);
    expect(calls).toHaveLength(before);
    expect(socket.opened).toBe(1);
  });

  it('is possible from inside a callback', () => {
    const { clock, socket, failAll, closeOnLoss } = scriptedConnection();
    closeOnLoss();
    failAll();
    clock.advance(3_600_000);
    expect([socket.opened, clock.pending]).toEqual([1, 0]);
  });
});
