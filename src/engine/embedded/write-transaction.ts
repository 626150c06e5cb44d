import type { RootDatabase } from 'lmdb';
import { NOT_WRITTEN, PollError } from '../../poll/poll-error.ts';

/**
 * Runs an action inside one write transaction; resolves once it is on disk. What an action throws rejects its own promise
 * and nobody else's, so it MUST throw before its first write.
 *
 * @param committed runs as soon as others can read what was written; the promise waits until it is on disk, too
 * @param kind of an action that leaves its poll's tally open for the next ballot
 * @throws PollError `engine_unavailable` where the disk is full, or does not answer in time: then the outcome is not known,
 * and only what may be done twice may be asked for again
 */
export type WriteTransaction = <T>(
  action: () => T,
  committed?: (value: T) => void,
  kind?: 'ballot',
) => Promise<T>;

/** Beyond this many the disk is not keeping up, and waiting longer helps nobody. */
const MAX_UNANSWERED = 10_000;
/** Actions run on the one thread that serves everybody: so many take it some 25 ms. */
const MAX_BATCH = 1_000;
/** With the interval at which it is looked at it is below the two seconds in which everybody is promised an answer. */
const PATIENCE_MS = 1_500;
const LOOK_INTERVAL_MS = 250;
/** A disk that has failed is asked again after so long: a full one is still full, and LMDB complains on stderr each time. */
const REST_MS = 1_000;

interface Write<T = unknown> {
  /** By the process's own clock, as all times here. */
  readonly askedAtMs: number;
  readonly action: () => T;
  readonly committed: ((value: T) => void) | undefined;
  readonly kind: 'ballot' | undefined;
  readonly resolve: (value: T) => void;
  readonly reject: (cause: PollError) => void;
  value: T | undefined;
}

/** Writes that are answered together. */
interface Batch {
  writes: Write[];
  /** When the first of them was asked for. */
  askedAtMs: number;
}

/**
 * One transaction at a time; what is asked for meanwhile goes into the next one, so that many writes cost one flush, and
 * the next one commits while this one is flushed.
 *
 * States: idle; committing; resting for a second after a commit that failed or did not end in time, while all writes are
 * refused at once. What was not begun by then never will be.
 */
export class WriteTransactions {
  readonly #root: RootDatabase;
  readonly #closeTallies: () => void;
  /** Begun and not yet answered, oldest first. */
  readonly #underWay = new Set<Batch>();
  #waiting: Write[] = [];
  /** When something was flushed last, or there was nothing to do. */
  #progressAtMs = 0;
  #unanswered = 0;
  #isCommitting = false;
  /** 0 while it does not rest. */
  #restUntilMs = 0;
  #looking: NodeJS.Timeout | undefined;
  /** Why the last write failed; undefined where none failed since one succeeded. */
  #failure: unknown;

  /** @param closeTallies writes what ballots have left open; called inside the transaction */
  constructor(root: RootDatabase, closeTallies: () => void) {
    this.#root = root;
    this.#closeTallies = closeTallies;
  }

  readonly run: WriteTransaction = (action, committed, kind) => {
    if (this.#isResting()) return Promise.reject(notWritten(this.#failure));
    if (this.#unanswered >= MAX_UNANSWERED)
      return Promise.reject(notWritten('too many writes are unanswered'));
    return new Promise((resolve, reject) => {
      const askedAtMs = performance.now();
      this.#waiting.push({ askedAtMs, action, committed, kind, resolve, reject, value: undefined } as Write);
      this.#unanswered += 1;
      if (!this.#isCommitting) void this.#commitAll();
    });
  };

  /** Nothing was written since a write failed. */
  get isFailing(): boolean {
    return this.#failure !== undefined;
  }

  /** Resolves once everything that was asked for is answered. */
  async settled(): Promise<void> {
    while (this.#unanswered > 0) await new Promise(resolve => setTimeout(resolve, 1));
  }

  #isResting(): boolean {
    if (this.#restUntilMs === 0) return false;
    if (performance.now() < this.#restUntilMs) return true;
    this.#restUntilMs = 0;
    return false;
  }

  async #commitAll(): Promise<void> {
    this.#isCommitting = true;
    if (this.#underWay.size === 0) this.#progressAtMs = performance.now();
    this.#looking ??= setInterval(() => this.#look(), LOOK_INTERVAL_MS).unref();
    while (this.#waiting.length > 0) await this.#commit();
    this.#isCommitting = false;
  }

  /** Resolves once it is committed, and answers those who wait for it once it is flushed. */
  async #commit(): Promise<void> {
    const batch: Batch = { writes: [], askedAtMs: Number.POSITIVE_INFINITY };
    try {
      const transaction = this.#root.transaction(() => this.#runWaiting(batch));
      // Taken before anything else is asked of LMDB, or it would be the promise of what came after.
      const flushed = this.#root.flushed.then(() => {});
      flushed.catch(() => {});
      await transaction;
      for (const { committed, value } of batch.writes) committed?.(value);
      flushed.then(
        () => this.#resolve(batch),
        cause => this.#fail(batch, cause),
      );
    } catch (error) {
      const cause = await reasonOf(error);
      this.#fail(batch, cause);
      this.#reject(this.#waiting.splice(0), cause);
    }
  }

  #runWaiting(batch: Batch): void {
    const writes = this.#waiting.splice(0, MAX_BATCH);
    if (writes[0]) batch.askedAtMs = writes[0].askedAtMs;
    this.#underWay.add(batch);
    let begun = 0;
    try {
      for (const write of writes) {
        if (write.kind !== 'ballot') this.#closeTallies();
        begun += 1;
        this.#run(write, batch);
      }
      this.#closeTallies();
    } catch (cause) {
      // No room: nothing of it will be committed, and those whose turn did not come are told so with the others.
      this.#waiting.unshift(...writes.slice(begun));
      throw cause;
    }
  }

  #run(write: Write, batch: Batch): void {
    try {
      write.value = write.action();
      batch.writes.push(write);
    } catch (cause) {
      this.#reject([write], cause);
    }
  }

  /** Answers those who have waited for too long, and where nothing moves at all, everybody. */
  #look(): void {
    if (this.#unanswered === 0) {
      clearInterval(this.#looking);
      this.#looking = undefined;
      return;
    }
    const nowMs = performance.now();
    const isStalled = nowMs - this.#progressAtMs >= PATIENCE_MS;
    const isOverdue = ({ askedAtMs }: { askedAtMs: number }) => isStalled || nowMs - askedAtMs >= PATIENCE_MS;
    const cause = new Error('The disk does not answer in time');
    for (const batch of this.#underWay) if (isOverdue(batch)) this.#giveUp(batch, cause);
    const inTime = this.#waiting.findIndex(write => !isOverdue(write));
    this.#reject(this.#waiting.splice(0, inTime < 0 ? this.#waiting.length : inTime), cause);
    if (!isStalled) return;
    this.#rest(cause);
    this.#isCommitting = false;
  }

  /** A batch that was given up is answered already; what it did was hinted all the same. */
  #resolve(batch: Batch): void {
    this.#progressAtMs = performance.now();
    this.#failure = undefined;
    if (!this.#underWay.delete(batch)) return;
    this.#unanswered -= batch.writes.length;
    for (const { resolve, value } of batch.writes) resolve(value);
  }

  #fail(batch: Batch, cause: unknown): void {
    this.#rest(cause);
    this.#giveUp(batch, cause);
  }

  #giveUp(batch: Batch, cause: unknown): void {
    if (this.#underWay.delete(batch)) this.#reject(batch.writes, cause);
  }

  #rest(cause: unknown): void {
    this.#failure = cause;
    this.#restUntilMs = performance.now() + REST_MS;
  }

  #reject(writes: readonly Write[], cause: unknown): void {
    this.#unanswered -= writes.length;
    const error = notWritten(cause);
    for (const { reject } of writes) reject(error);
  }
}

function notWritten(cause: unknown): PollError {
  return new PollError('engine_unavailable', { message: NOT_WRITTEN, cause });
}

/** LMDB tells why by a promise that it hangs on its error, and rejects a moment later. Nobody else holds it. */
function reasonOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  const given = new Promise(resolve => setImmediate(resolve, error));
  return commitError ? Promise.race([commitError.catch((reason: unknown) => reason), given]) : given;
}
