import type { Engine } from '../engine/engine.ts';
import { FollowedValues } from '../engine/followed-topics.ts';
import { DAY_MS } from '../poll/poll.ts';
import { hashKey, SCOPES, type Scope, sameDigest } from '../poll/poll-key.ts';
import { OPERATOR_KEYS, type OperatorKey, parseOperatorKeys } from './operator-keys.ts';

/** Limit for a revocation whose hint was lost. */
const SWEEP_INTERVAL_MS = 1_000;
/** A timer of Node.js runs for at most 24 days. */
const LONGEST_TIMER_MS = DAY_MS;

type ValidKey = Pick<OperatorKey, 'hash' | 'scopes' | 'expiresAtMs'>;

export interface KeyRingOptions {
  readonly engine: Pick<Engine, 'hints' | 'records'>;
  /** `OPERATOR_KEYS` of the settings: every scope, no expiry. */
  readonly configured: readonly string[];
  readonly clock: () => number;
}

/** The valid operator keys: those of the settings, and those of the engine, which it follows. */
export class KeyRing {
  /** Resolves once the engine's keys have been read, or could not be read. */
  readonly ready: Promise<void>;
  readonly #clock: () => number;
  readonly #configured: readonly ValidKey[];
  readonly #listeners = new Set<() => void>();
  readonly #record: FollowedValues<string | undefined>;
  #stored: readonly ValidKey[] = [];
  #expiring: NodeJS.Timeout | undefined;

  constructor({ engine, configured, clock }: KeyRingOptions) {
    const { hints, records } = engine;
    this.#clock = clock;
    this.#configured = configured.map(key => ({ hash: hashKey(key), scopes: SCOPES, expiresAtMs: null }));
    let settle: () => void = () => {};
    this.ready = new Promise(resolve => {
      settle = resolve;
    });
    this.#record = new FollowedValues({
      hints,
      read: names => records.findMany(names),
      findMarks: names => records.findMany(names),
      sweepIntervalMs: SWEEP_INTERVAL_MS,
      onError: settle,
    });
    this.#record.follow(OPERATOR_KEYS, text => {
      this.#stored = parseOperatorKeys(text);
      this.#change();
      settle();
    });
  }

  /** Compares with all keys, so that its duration reveals nothing. */
  readonly isOperatorKey = (hash: string, scope: Scope): boolean =>
    this.#valid(scope).reduce((found, known) => sameDigest(known.hash, hash) || found, false);

  /** Calls back after keys were added, revoked or have expired. @returns stops it */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    clearTimeout(this.#expiring);
    this.#record.close();
  }

  #valid(scope: Scope): readonly ValidKey[] {
    const nowMs = this.#clock();
    const isValid = ({ scopes, expiresAtMs }: ValidKey) =>
      scopes.includes(scope) && (expiresAtMs === null || nowMs < expiresAtMs);
    return [...this.#configured, ...this.#stored].filter(isValid);
  }

  #change(): void {
    clearTimeout(this.#expiring);
    const nowMs = this.#clock();
    const expiries = this.#stored.map(({ expiresAtMs }) => expiresAtMs ?? 0).filter(atMs => atMs > nowMs);
    if (expiries.length > 0) {
      const delayMs = Math.min(Math.min(...expiries) - nowMs, LONGEST_TIMER_MS);
      this.#expiring = setTimeout(() => this.#change(), delayMs).unref();
    }
    for (const listener of this.#listeners) listener();
  }
}
