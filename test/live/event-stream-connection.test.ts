import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionRegistry } from '../../src/live/connection-registry.ts';
import { Frame } from '../../src/live/frame.ts';
import { EventStreamConnection } from '../../src/live/live-routes.ts';
import { RelayClosing, SlowSubscriber } from '../../src/protocol/close-event.ts';

/** The parts of a response that a connection uses. */
class ResponseStub {
  text = '';
  writableEnded = false;
  destroyed = false;
  readonly socket = {
    writable: true,
    writableLength: 0,
    write: (bytes: Uint8Array, callback?: () => void) => {
      this.text += Buffer.from(bytes).toString();
      callback?.();
      return true;
    },
  };

  end(text: string): void {
    this.text += text;
    this.writableEnded = true;
  }

  destroy(): void {
    this.destroyed = true;
  }
}

describe('an event stream', () => {
  let response: ResponseStub;
  let connection: EventStreamConnection;
  let registry: ConnectionRegistry;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    vi.advanceTimersByTime(1_000);
    response = new ResponseStub();
    registry = new ConnectionRegistry(10);
    connection = new EventStreamConnection(response as unknown as ServerResponse);
    registry.add(connection, 'a');
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('P33: a quiet stream sends a comment at least every 30 s, and nothing else', async () => {
    for (let minute = 0; minute < 10; minute += 1) {
      response.text = '';
      await vi.advanceTimersByTimeAsync(30_000);
      expect(response.text).toMatch(/^(: keep-alive\n\n)+$/);
    }
    expect(response.destroyed).toBe(false);
  });

  it('is closed if the comments are not read either', async () => {
    response.socket.writableLength = 10;
    response.socket.write = () => false;
    connection.queue('a', new Frame('{}'));
    await vi.advanceTimersByTimeAsync(32_000);
    expect(response.writableEnded).toBe(true);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(response.destroyed).toBe(true);
  });

  it.each([
    [RelayClosing, /^retry: [1-5]\d\d\n\n$/],
    [SlowSubscriber, /^retry: [1-5]\d\d\d\n\n$/],
  ])(
    'P34: sends retry once after %o, and is terminated if the client does not read it',
    async (event, last) => {
      response.text = '';
      connection.close(event);
      connection.close(event);
      expect(response.text).toMatch(last);
      expect(response.destroyed).toBe(false);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(response.destroyed).toBe(true);
    },
  );
});
