import type { Engine } from '../engine/engine.ts';
import { FollowedValues } from '../engine/followed-values.ts';
import { hashKey, SCOPES, type Scope, sameDigest } from '../poll/poll-key.ts';
import { OPERATOR_KEYS, type OperatorKey, parseOperatorKeys } from './operator-keys.ts';

/** A revoked key ends within this time where the hint at it was lost, or came from where hints do not cross processes. */
const SWEEP_INTERVAL_MS = 1_000;
/** The longest that a timer of Node can be set for is 24 days. */
const LONGEST_TIMER_MS = 86_400_000;

type ValidKey = Pick<OperatorKey, 'hash' | 'scopes' | 'expiresAtMs'>;

export interface KeyRingOptions {
  readonly engine: Pick<Engine, 'hints' | 'records'>;
  /** Keys of the settings: they are good for everything, and do not expire. */
  readonly configured: readonly string[];
  /** UNIX time in milliseconds. */
  readonly clock: () => number;
}

/** The operator's keys as one process knows them: those of its settings, and those of the engine as they come and go. */
export class KeyRing {
  /** Resolves once the engine's keys are known, or cannot be read for now. */
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
      topicOf: name => name,
      read: names => records.findMany(names),
      findMarks: names => records.findMany(names),
      isSame: Object.is,
      sweepIntervalMs: SWEEP_INTERVAL_MS,
      onError: settle,
    });
    this.#record.follow(OPERATOR_KEYS, text => {
      this.#stored = parseOperatorKeys(text);
      this.#change();
      settle();
    });
  }

  /** No early exit: the time taken says nothing about which key came close. */
  readonly isOperatorKey = (hash: string, scope: Scope): boolean =>
    this.#valid(scope).reduce((found, known) => sameDigest(known.hash, hash) || found, false);

  /** Digests of the keys that are good for this now. */
  hashesFor(scope: Scope): string[] {
    return this.#valid(scope).map(({ hash }) => hash);
  }

  /** Calls back after keys have come, gone or expired. @returns stops it */
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
