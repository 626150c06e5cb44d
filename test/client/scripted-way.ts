import type { ChannelEvents, Way } from '../../src/client/channel.ts';
import { Connection } from '../../src/client/connection.ts';
import type { Via } from '../../src/client/watch-state.ts';
import { ManualClock } from './manual-clock.ts';
import { resultsMessage } from './results-message.ts';

export const HEARTBEAT_MS = 10_000;

/** A way whose messages and end the test says. */
export class ScriptedWay implements Way {
  readonly via: Via;
  silenceMs: number | undefined;
  opened = 0;
  closed = 0;
  events: ChannelEvents = { onMessage: () => {}, onEnd: () => {} };

  constructor(via: Via) {
    this.via = via;
  }

  open(events: ChannelEvents): { send: () => void; close: () => void } {
    this.opened += 1;
    this.events = events;
    return { send: () => {}, close: () => (this.closed += 1) };
  }

  deliver(version: number): void {
    this.events.onMessage(resultsMessage(version));
  }

  fail(): void {
    this.events.onEnd({});
  }
}

/** A connection with three ways, and what it told. */
export function connected(beatMs = HEARTBEAT_MS, longestPauseMs?: number) {
  const clock = new ManualClock();
  const ways = [new ScriptedWay('websocket'), new ScriptedWay('sse'), new ScriptedWay('read')] as const;
  const told: string[] = [];
  const failures: string[] = [];
  const connection = new Connection({
    ways,
    heartbeatMs: beatMs,
    clock,
    longestPauseMs,
    onMessage: (_, via) => told.push(via),
    onLost: ({ attempts, reason }) => {
      told.push('lost');
      failures.push(`${attempts}: ${reason}`);
    },
    onRefused: ({ code }) => told.push(`refused ${code}`),
  });
  const [socket, stream, read] = ways;
  return { clock, socket, stream, read, told, failures, connection };
}
