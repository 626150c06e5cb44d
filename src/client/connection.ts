import { RelayClosing } from '../protocol/close-event.ts';
import type { ClientMessage, ServerMessage } from '../protocol/messages.ts';
import type { Channel, ChannelEnd, Failure, Refusal, Way } from './channel.ts';
import type { Clock } from './clock.ts';
import type { Via } from './watch-state.ts';

/** Nothing came within this time: the way is taken for blocked. Long enough for a slow mobile network. */
const OPEN_TIMEOUT_MS = 10_000;
/** Two heartbeats may be late, three are not coming. */
const SILENT_HEARTBEATS = 2.5;
/**
 * The end of every wait is a wait of its own: a machine that slept or was busy, or a tab that was put aside, is told of the time
 * that has passed before it is given what came meanwhile.
 */
const LAST_WAIT_MS = 1_000;
const BACKOFF = { firstMs: 500, factor: 1.7, capMs: 20_000 };
/** Going away, and what proxies say when they restart a service. */
const FAREWELL_CODES: readonly unknown[] = [RelayClosing.code, 1012];
/** A relay that leaves tells its subscribers one after the other; this spreads those that something else tells all at once. */
const FAREWELL_PAUSE_MS = 250;
/** Who was told to leave and is not back within this time has lost the connection. */
const MOVE_MS = 1_000;
/** A connection that held this long was a good one, and the next failure is the first. */
const GOOD_MS = 5_000;
/** How often the way that worked is tried alone before the others are: a relay that is away is no reason to change it. */
const LOYALTY = 4;

export interface ConnectionOptions {
  /** Best first. */
  readonly ways: readonly Way[];
  readonly heartbeatMs: number;
  readonly clock: Clock;
  /** Milliseconds; default 20,000. */
  readonly longestPauseMs?: number | undefined;
  onMessage(message: ServerMessage, via: Via): void;
  /** Until the next message nothing is known. Told once for each round that failed. */
  onLost(failure: Failure): void;
  /** The end: nothing follows. */
  onRefused(refusal: Refusal): void;
}

/** The most milliseconds to wait after so many failures in a row; the pause itself is anything below (full jitter). */
export function backoffMs(failures: number): number {
  return grown(BACKOFF.firstMs, failures - 1);
}

function grown(firstMs: number, times: number): number {
  return Math.min(BACKOFF.capMs, firstMs * BACKOFF.factor ** times);
}

/** @returns undefined for a close that is no farewell */
export function farewellPauseMs(code: number | undefined, random: number): number | undefined {
  return FAREWELL_CODES.includes(code) ? random * FAREWELL_PAUSE_MS : undefined;
}

/**
 * A connection that comes back for ever.
 *
 * States: opening (a way is being tried) → open (a message came) → waiting (until the next round) → opening; closed at any
 * time. One round tries the ways in order, each at once after the one before could not be opened. A way that worked is
 * proven, and the next rounds begin with it.
 *
 * A relay that takes its leave in good order has another one beside it, as a rule: the first round after it comes at once, and
 * the connection passes for lost only where nothing came of that. What was torn or refused comes back with growing pauses.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  #channel: Channel | undefined;
  #cancelTimer: () => void = () => {};
  #cancelMove: () => void = () => {};
  /** Index of the way that delivered last. */
  #proven: number | undefined;
  #failures = 0;
  /** In a row, none of them after a good connection. */
  #farewells = 0;
  /** Rounds since the last message. */
  #attempts = 0;
  #openedAtMs: number | undefined;
  #isClosed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#startRound();
  }

  send(message: ClientMessage): void {
    this.#channel?.send(message);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelMove();
    this.#drop();
  }

  #startRound(): void {
    this.#open(this.#failures < LOYALTY ? (this.#proven ?? 0) : 0);
  }

  #open(index: number): void {
    const { ways, onMessage } = this.#options;
    const way = ways[index]!;
    this.#openedAtMs = undefined;
    const channel = way.open({
      onMessage: message => {
        if (this.#channel !== channel) return;
        this.#heard(index);
        onMessage(message, way.via);
      },
      onEnd: end => this.#channel === channel && this.#end(index, end),
    });
    this.#channel = channel;
    this.#expectWithin(OPEN_TIMEOUT_MS, index);
  }

  #heard(index: number): void {
    this.#openedAtMs ??= this.#options.clock.now();
    this.#proven = index;
    this.#attempts = 0;
    this.#cancelMove();
    const { ways, heartbeatMs } = this.#options;
    this.#expectWithin(ways[index]!.silenceMs ?? SILENT_HEARTBEATS * heartbeatMs, index);
  }

  #expectWithin(ms: number, index: number): void {
    const { clock } = this.#options;
    const end = () => this.#end(index, { reason: `nothing came within ${ms / 1000} s` });
    this.#cancelTimer();
    this.#cancelTimer = clock.after(ms - LAST_WAIT_MS, () => {
      this.#cancelTimer = clock.after(LAST_WAIT_MS, end);
    });
  }

  #end(index: number, end: ChannelEnd): void {
    const { refusal, renew } = end;
    const wasOpen = this.#openedAtMs !== undefined;
    const isLast = index + 1 === this.#options.ways.length;
    this.#drop();
    if (refusal) this.#options.onRefused(refusal);
    else if (renew) this.#open(0);
    else if (wasOpen || isLast || !this.#mayFallBack(index)) this.#pause(end);
    else this.#open(index + 1);
  }

  #mayFallBack(index: number): boolean {
    return this.#proven === undefined || this.#proven > index || this.#failures >= LOYALTY;
  }

  #pause({ pauseMs, reason = 'the connection ended' }: ChannelEnd): void {
    const { clock, onLost, longestPauseMs = BACKOFF.capMs } = this.#options;
    this.#cancelMove();
    if (this.#openedAtMs !== undefined && clock.now() - this.#openedAtMs >= GOOD_MS)
      this.#failures = this.#farewells = 0;
    this.#attempts += 1;
    const lost = { attempts: this.#attempts, reason };
    // A farewell before the first message is a refusal.
    if (pauseMs !== undefined && this.#openedAtMs !== undefined) {
      const ms = grown(pauseMs, this.#farewells);
      this.#failures = 0;
      this.#farewells += 1;
      this.#cancelMove = clock.after(MOVE_MS, () => onLost(lost));
      this.#cancelTimer = clock.after(ms, () => this.#startRound());
      return;
    }
    this.#failures += 1;
    onLost(lost);
    // Whoever was told may have closed.
    if (this.#isClosed) return;
    const ms = clock.random() * Math.min(backoffMs(this.#failures), longestPauseMs);
    this.#cancelTimer = clock.after(ms, () => this.#startRound());
  }

  #drop(): void {
    this.#cancelTimer();
    const channel = this.#channel;
    this.#channel = undefined;
    channel?.close();
  }
}
