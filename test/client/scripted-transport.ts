import { Connection } from '../../src/client/connection.ts';
import type { AttemptEvents, Transport } from '../../src/client/transports.ts';
import type { Via } from '../../src/client/watch-state.ts';
import { ManualClock } from './manual-clock.ts';
import { resultsMessage } from './results-message.ts';

export const HEARTBEAT_MS = 10_000;

/** A transport whose messages and end the test decides. */
class ScriptedTransport implements Transport {
  readonly via: Via;
  silenceMs: number | undefined;
  opened = 0;
  closed = 0;
  events: AttemptEvents = { onMessage: () => {}, onEnd: () => {} };

  constructor(via: Via) {
    this.via = via;
  }

  open(events: AttemptEvents): { send: () => void; close: () => void } {
    this.opened += 1;
    this.events = events;
    return { send: () => {}, close: () => (this.closed += 1) };
  }

  deliver(version = 1): void {
    this.events.onMessage(resultsMessage(version));
  }

  beat(): void {
    this.events.onMessage({ type: 'heartbeat', timestamp: 1 });
  }

  fail(): void {
    this.events.onEnd({});
  }
}

/** A connection with three scripted transports, and a log of its calls. */
export function scriptedConnection(heartbeatMs = HEARTBEAT_MS, longestPauseMs?: number) {
  const clock = new ManualClock();
  const [socket, stream, read] = [
    new ScriptedTransport('websocket'),
    new ScriptedTransport('sse'),
    new ScriptedTransport('read'),
  ];
  const calls: string[] = [];
  const failures: string[] = [];
  let closesOnLoss = false;
  const connection: Connection = new Connection({
    transports: [socket, stream, read],
    heartbeatMs,
    clock,
    longestPauseMs,
    onMessage: (_, via) => calls.push(via),
    onLost: ({ attempts, reason }) => {
      calls.push('lost');
      failures.push(`${attempts}: ${reason}`);
      if (closesOnLoss) connection.close();
    },
    onRejected: ({ code }) => calls.push(`rejected ${code}`),
  });
  const failAll = (): void => {
    for (const transport of [socket, stream, read]) transport.fail();
  };
  const closeOnLoss = (): void => {
    closesOnLoss = true;
  };
  return { clock, socket, stream, read, calls, failures, connection, failAll, closeOnLoss };
}
