import type { Records } from '../engine/engine.ts';
import { ProcessRecords, readProcessRecords } from '../engine/process-records.ts';
import type { ConnectionRegistry } from './connection-registry.ts';

const RELAYS = 'relays';
/** Between two comparisons of a relay. */
const STEP_MS = 2_000;
/** All relays together read the counts at most ten times a second. */
const STEP_MS_PER_RELAY = 100;
/** A relay that does not report for so many steps is not counted. */
const STEPS_KEPT = 2.5;
/** Smaller crowds are not worth a reconnect. */
const MIN_CONNECTIONS = 100;
/** A relay with less than this part of the mean has room. */
const ROOM = 0.9;
/** Part of the surplus that is moved in one step. Counts are up to a step old, so more would overshoot. */
const MOVED_PART = 0.25;
const MOVED_PER_MS = 0.25;

/** Returns by how much this relay exceeds the mean of all; 0 if no other one has room. */
export function surplusOf(own: number, others: readonly number[]): number {
  const mean = [own, ...others].reduce((sum, count) => sum + count, 0) / (others.length + 1);
  const hasRoom = others.some(count => count < ROOM * mean);
  return own >= MIN_CONNECTIONS && hasRoom ? Math.max(0, own - mean) : 0;
}

/**
 * Moves connections to relays with fewer, as after a restart: a few at a time are closed, and the load balancer sends their
 * clients elsewhere. Each relay that appears permits as many closes as there are connections, so that a load balancer that
 * sends clients back causes no endless loop.
 */
export class Rebalancer {
  readonly #records: Records;
  readonly #registry: Pick<ConnectionRegistry, 'size' | 'move'>;
  readonly #own: ProcessRecords;
  #known: ReadonlySet<string> = new Set();
  #permitted = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(records: Records, registry: Pick<ConnectionRegistry, 'size' | 'move'>) {
    this.#records = records;
    this.#registry = registry;
    this.#own = new ProcessRecords(records, RELAYS);
    this.#wait(STEP_MS);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#own.remove().catch(() => {});
  }

  #wait(ms: number): void {
    // Random, so that relays do not act at the same time.
    this.#timer = setTimeout(() => void this.#step(), Math.max(0, ms) * (0.75 + Math.random() / 2)).unref();
  }

  async #step(): Promise<void> {
    const beganMs = performance.now();
    const stepMs = Math.max(STEP_MS, (this.#known.size + 1) * STEP_MS_PER_RELAY);
    const others = await this.#exchange(STEPS_KEPT * stepMs).catch(() => undefined);
    if (others && !this.#isClosed) await this.#even(others, stepMs / 2);
    if (!this.#isClosed) this.#wait(beganMs + stepMs - performance.now());
  }

  /** Reports the own connections. @returns those of the other relays */
  async #exchange(ttlMs: number): Promise<Map<string, number>> {
    await this.#own.put(`${this.#registry.size}`, ttlMs);
    const texts = await readProcessRecords(this.#records, RELAYS);
    texts.delete(this.#own.id);
    return new Map([...texts].map(([id, text]) => [id, Number(text)]));
  }

  async #even(others: ReadonlyMap<string, number>, spreadMs: number): Promise<void> {
    const { size } = this.#registry;
    if ([...others.keys()].some(id => !this.#known.has(id))) this.#permitted = size;
    this.#known = new Set(others.keys());
    const surplus = surplusOf(size, [...others.values()]);
    const count = Math.min(this.#permitted, MOVED_PART * surplus, MOVED_PER_MS * spreadMs);
    if (count > 0) this.#permitted -= await this.#registry.move(Math.ceil(count), spreadMs);
  }
}
