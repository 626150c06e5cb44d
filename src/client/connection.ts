import { PollNotFound } from '../protocol/close-event.ts';
import type { ClientMessage, ServerMessage } from '../protocol/messages.ts';
import type { Clock } from './connect-options.ts';
import type { Attempt, AttemptEnd, Rejection, Transport } from './transports.ts';
import type { Via } from './watch-state.ts';

/** For the first message; long enough for a slow mobile network. */
const OPEN_TIMEOUT_MS = 10_000;
/** Tolerates two late heartbeats. */
const SILENT_HEARTBEATS = 2.5;
/** After a sleep, timers run before pending messages are read. A second timer lets those messages in first. */
const SECOND_TIMER_MS = 1_000;
const BACKOFF = { firstMs: 500, factor: 1.7, capMs: 20_000 };
/** A client that has not reconnected this long after a graceful close reports the connection as lost. */
const GRACEFUL_TIMEOUT_MS = 1_000;
/** A connection that lasted this long resets the backoff. */
const STABLE_MS = 5_000;
/**
 * Failures with the last transport that worked before others are tried: a relay that is down is no
 * reason to switch.
 */
const FAILURES_BEFORE_FALLBACK = 4;

/** Rounds in a row in which every transport failed. */
export interface Failure {
  readonly attempts: number;
  /** Why the last transport failed, in a few words for people. */
  readonly reason: string;
}

export interface ConnectionOptions {
  readonly transports: readonly Transport[];
  readonly heartbeatMs: number;
  readonly clock: Clock;
  /** Milliseconds; default 20,000. */
  readonly longestPauseMs?: number | undefined;
  onMessage(message: ServerMessage, via: Via): void;
  /** Called once for each failed round. */
  onLost(failure: Failure): void;
  /** Permanent, and no call follows; but a poll that is not there (4404) is asked for again after long pauses. */
  onRejected(rejection: Rejection): void;
}

/** Returns the longest pause after so many failures in a row; the actual pause is random below it (full jitter). */
export function backoffMs(failures: number): number {
  return grown(BACKOFF.firstMs, failures - 1);
}

function grown(firstMs: number, times: number): number {
  return Math.min(BACKOFF.capMs, firstMs * BACKOFF.factor ** times);
}

/**
 * Reconnects until it is closed or rejected: opening → open (a message arrived) → waiting →
 * opening. A round tries the transports in order, starting with the last one that worked. A
 * graceful close is reported as a loss only if the reconnect fails.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  #attempt: Attempt | undefined;
  #cancelTimer: () => void = () => {};
  #cancelLossReport: () => void = () => {};
  #lastWorking: number | undefined;
  #failures = 0;
  /** Graceful closes in a row, without a stable connection in between. */
  #gracefulCloses = 0;
  /** Failed rounds since the last message. */
  #attempts = 0;
  #openedAtMs: number | undefined;
  #isClosed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#startRound();
  }

  send(message: ClientMessage): void {
    this.#attempt?.send(message);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelLossReport();
    this.#drop();
  }

  #startRound(): void {
    this.#open(this.#failures < FAILURES_BEFORE_FALLBACK ? (this.#lastWorking ?? 0) : 0);
  }

  #open(index: number): void {
    const { transports, onMessage } = this.#options;
    const transport = transports[index]!;
    this.#openedAtMs = undefined;
    const attempt = transport.open({
      onMessage: message => {
        if (this.#attempt !== attempt) return;
        // A rejected connection is accepted first, for its reason.
        if (message.type !== 'error' || message.id || message.show) this.#onAlive(index);
        try {
          onMessage(message, transport.via);
        } catch {
          this.#onEnd(index, { reason: 'the server is not a relay' });
        }
      },
      onEnd: end => this.#attempt === attempt && this.#onEnd(index, end),
    });
    this.#attempt = attempt;
    this.#expectMessage(OPEN_TIMEOUT_MS, index);
  }

  #onAlive(index: number): void {
    this.#openedAtMs ??= this.#options.clock.now();
    this.#lastWorking = index;
    this.#attempts = 0;
    this.#cancelLossReport();
    const { transports, heartbeatMs } = this.#options;
    this.#expectMessage(transports[index]!.silenceMs ?? SILENT_HEARTBEATS * heartbeatMs, index);
  }

  #expectMessage(ms: number, index: number): void {
    const { clock } = this.#options;
    const end = () => this.#onEnd(index, { reason: `no message for ${ms / 1000} s` });
    this.#cancelTimer();
    this.#cancelTimer = clock.after(ms - SECOND_TIMER_MS, () => {
      this.#cancelTimer = clock.after(SECOND_TIMER_MS, end);
    });
  }

  #onEnd(index: number, end: AttemptEnd): void {
    const { rejection, tryBetter, isFull } = end;
    const wasOpen = this.#openedAtMs !== undefined;
    const isLast = index + 1 === this.#options.transports.length;
    this.#drop();
    if (rejection) this.#options.onRejected(rejection);
    const isMissing = rejection?.code === PollNotFound.code;
    // The listener may have closed the connection.
    if (this.#isClosed || (rejection && !isMissing)) return;
    if (tryBetter) this.#open(0);
    else if (isLast || isMissing || (!isFull && (wasOpen || !this.#mayFallBack(index)))) this.#pause(end);
    else this.#open(index + 1);
  }

  #mayFallBack(index: number): boolean {
    return (
      this.#lastWorking === undefined ||
      this.#lastWorking > index ||
      this.#failures >= FAILURES_BEFORE_FALLBACK
    );
  }

  #pause({ retryMs, reason = 'the connection ended', rejection }: AttemptEnd): void {
    const { clock, onLost } = this.#options;
    const { longestPauseMs = BACKOFF.capMs } = rejection ? {} : this.#options;
    this.#cancelLossReport();
    if (this.#openedAtMs !== undefined && clock.now() - this.#openedAtMs >= STABLE_MS)
      this.#failures = this.#gracefulCloses = 0;
    this.#attempts += 1;
    const failure = { attempts: this.#attempts, reason };
    // A graceful close before the first message is a failure like any other.
    if (retryMs !== undefined && this.#openedAtMs !== undefined) {
      const ms = grown(retryMs, this.#gracefulCloses);
      this.#failures = 0;
      this.#gracefulCloses += 1;
      this.#cancelLossReport = clock.after(GRACEFUL_TIMEOUT_MS, () => onLost(failure));
      this.#cancelTimer = clock.after(ms, () => this.#startRound());
      return;
    }
    this.#failures += 1;
    onLost(failure);
    // The listener may have closed the connection.
    if (this.#isClosed) return;
    const ms = clock.random() * Math.min(backoffMs(this.#failures), longestPauseMs);
    this.#cancelTimer = clock.after(ms, () => this.#startRound());
  }

  #drop(): void {
    this.#cancelTimer();
    const attempt = this.#attempt;
    this.#attempt = undefined;
    attempt?.close();
  }
}
