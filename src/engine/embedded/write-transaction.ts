import type { RootDatabase } from 'lmdb';
import { NOT_WRITTEN, PollError } from '../../poll/poll-error.ts';
import { Outstanding } from '../outstanding.ts';
import type { RoomReserve } from './room-reserve.ts';

/**
 * Runs an action in a write transaction; resolves once it is on disk. An action that throws rejects
 * its own promise and no other, so it MUST throw before its first write.
 *
 * @param committed runs once the write is visible to readers, and need not be on disk
 * @param kind `ballot` leaves its poll's tally open for the next ballot. `end`, of what ends
 *   things, must be safe to repeat: on a full disk it runs once more, with the room of the reserve,
 *   while everything else waits until the reserve has its room again
 * @throws PollError `engine_unavailable` if the disk is full or too slow. The outcome is then
 *   unknown, and only idempotent writes may be retried
 */
export type WriteTransaction = <T>(
  action: () => T,
  committed?: (value: T) => void,
  kind?: WriteKind,
) => Promise<T>;

type WriteKind = 'ballot' | 'end';

/** Beyond this many unanswered writes the disk does not keep up. */
const MAX_UNANSWERED = 10_000;
/** Actions in one transaction, which block the process for some 25 ms. */
const MAX_BATCH = 1_000;
const CHECK_INTERVAL_MS = 250;
/**
 * Checks that a write may wait for: with the next one below the two seconds of the port. Time in
 * which the process stands still is not the disk's, so checks are counted.
 */
const PATIENCE_CHECKS = 6;
/** Pause after a failure: a full disk is still full, and LMDB writes each failure to stderr. */
const REST_MS = 1_000;

export const STALLED = new Error('The disk does not answer in time');

interface Write<T = unknown> {
  readonly requestedAtCheck: number;
  readonly action: () => T;
  readonly committed: ((value: T) => void) | undefined;
  readonly kind: WriteKind | undefined;
  readonly resolve: (value: T) => void;
  readonly reject: (cause: PollError) => void;
  value: T | undefined;
}

interface Batch {
  writes: Write[];
  requestedAtCheck: number;
}

/**
 * Runs one transaction at a time. Writes requested meanwhile share the next one, so that many
 * writes cost one flush; it commits while the one before is flushed.
 *
 * States: idle; committing; resting for a second after a commit that failed or took too long, while
 * every write is rejected at once. A write that has not begun by then never runs.
 */
export class WriteTransactions {
  readonly #root: RootDatabase;
  readonly #closeTallies: () => void;
  readonly #reserve: RoomReserve;
  readonly #directory: string;
  readonly #begun = new Set<Batch>();
  #waiting: Write[] = [];
  #checks = 0;
  /** Check of the last flush, or of the first write after a pause. */
  #progressAtCheck = 0;
  readonly #unanswered = new Outstanding();
  #isCommitting = false;
  #restUntilMs = 0;
  #checkTimer: NodeJS.Timeout | undefined;
  /** Why the last write failed; undefined after a success. */
  #failure: unknown;

  /**
   * @param closeTallies writes open tallies; called in the transaction
   * @param directory of the data, for errors
   */
  constructor(root: RootDatabase, closeTallies: () => void, reserve: RoomReserve, directory: string) {
    this.#directory = directory;
    this.#root = root;
    this.#closeTallies = closeTallies;
    this.#reserve = reserve;
  }

  readonly run: WriteTransaction = (action, committed, kind) => {
    if (kind === 'end') return this.#end(action, committed);
    if (this.#isResting() || (this.#reserve.isOut && !this.#hasReserve()))
      return Promise.reject(notWritten(this.#failure));
    return this.#add(action, committed, kind);
  };

  async #end<T>(action: () => T, committed: Write<T>['committed']): Promise<T> {
    if (!this.isFull)
      try {
        if (this.#isResting()) throw notWritten(this.#failure);
        return await this.#add(action, committed, 'end');
      } catch (error) {
        if (!this.isFull) throw error;
      }
    this.#reserve.release();
    return this.#add(action, committed, 'end');
  }

  readonly #add: WriteTransaction = (action, committed, kind) => {
    if (this.#unanswered.count >= MAX_UNANSWERED)
      return Promise.reject(notWritten('too many writes are unanswered'));
    return new Promise((resolve, reject) => {
      const requestedAtCheck = this.#checks;
      this.#waiting.push({
        requestedAtCheck,
        action,
        committed,
        kind,
        resolve,
        reject,
        value: undefined,
      } as Write);
      this.#unanswered.begin();
      if (!this.#isCommitting) void this.#commitAll();
    });
  };

  get isFailing(): boolean {
    return this.#failure !== undefined || this.#reserve.isOut;
  }

  get isStalled(): boolean {
    return this.#failure === STALLED;
  }

  /** The outcome of a write on a disk that does not answer is unknown. */
  get isFull(): boolean {
    return this.#reserve.isOut || (this.#failure !== undefined && !this.isStalled);
  }

  #hasReserve(): boolean {
    try {
      this.#reserve.keep();
      return true;
    } catch (cause) {
      this.#rest(this.#diskFault(cause));
      return false;
    }
  }

  settled(): Promise<void> {
    return this.#unanswered.settled();
  }

  #isResting(): boolean {
    if (this.#restUntilMs === 0) return false;
    if (performance.now() < this.#restUntilMs) return true;
    this.#restUntilMs = 0;
    return false;
  }

  async #commitAll(): Promise<void> {
    this.#isCommitting = true;
    if (this.#begun.size === 0) this.#progressAtCheck = this.#checks;
    this.#checkTimer ??= setInterval(() => this.#checkTime(), CHECK_INTERVAL_MS).unref();
    while (this.#waiting.length > 0) await this.#commit();
    this.#isCommitting = false;
  }

  /** Resolves after the commit; answers the writes after the flush. */
  async #commit(): Promise<void> {
    const batch: Batch = { writes: [], requestedAtCheck: this.#checks };
    try {
      const transaction = this.#root.transaction(() => this.#runWaiting(batch));
      // Read now: after another call it would be the promise of a later transaction.
      const flushed = this.#root.flushed.then(() => {});
      flushed.catch(() => {});
      await transaction;
      for (const { committed, value } of batch.writes) committed?.(value);
      flushed.then(
        () => this.#resolve(batch),
        cause => this.#fail(batch, this.#diskFault(cause)),
      );
    } catch (error) {
      const cause = this.#diskFault(await reasonOf(error));
      this.#fail(batch, cause);
      this.#reject(this.#waiting.splice(0), cause);
    }
  }

  #runWaiting(batch: Batch): void {
    const writes = this.#waiting.splice(0, MAX_BATCH);
    if (writes[0]) batch.requestedAtCheck = writes[0].requestedAtCheck;
    this.#begun.add(batch);
    let begun = 0;
    try {
      for (const write of writes) {
        if (write.kind !== 'ballot') this.#closeTallies();
        begun += 1;
        this.#run(write, batch);
      }
      this.#closeTallies();
    } catch (cause) {
      // No room: the transaction fails, and so do the writes that have not begun.
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

  /** Rejects writes that have waited too long; if nothing progresses, all of them. */
  #checkTime(): void {
    if (this.#unanswered.count === 0) {
      clearInterval(this.#checkTimer);
      this.#checkTimer = undefined;
      return;
    }
    this.#checks += 1;
    const isStalled = this.#checks - this.#progressAtCheck > PATIENCE_CHECKS;
    const isOverdue = ({ requestedAtCheck }: { requestedAtCheck: number }) =>
      isStalled || this.#checks - requestedAtCheck > PATIENCE_CHECKS;
    const cause = STALLED;
    for (const batch of this.#begun) if (isOverdue(batch)) this.#giveUp(batch, cause);
    const inTime = this.#waiting.findIndex(write => !isOverdue(write));
    this.#reject(this.#waiting.splice(0, inTime < 0 ? this.#waiting.length : inTime), cause);
    if (!isStalled) return;
    this.#rest(cause);
    this.#isCommitting = false;
  }

  #resolve(batch: Batch): void {
    this.#progressAtCheck = this.#checks;
    this.#failure = undefined;
    // A batch that was given up is already answered.
    if (!this.#begun.delete(batch)) return;
    for (const { resolve, value } of batch.writes) resolve(value);
    this.#unanswered.end(batch.writes.length);
  }

  #fail(batch: Batch, cause: unknown): void {
    this.#rest(cause);
    this.#giveUp(batch, cause);
  }

  /** Names the disk, which an error of the system does not. */
  #diskFault(cause: unknown): unknown {
    const { code, message } = Object(cause) as { code?: unknown; message?: string };
    if (code === undefined) return cause;
    const text = `Nothing can be written to the disk of ${this.#directory}: ${message}`;
    return Object.assign(new Error(text), { code });
  }

  #giveUp(batch: Batch, cause: unknown): void {
    if (this.#begun.delete(batch)) this.#reject(batch.writes, cause);
  }

  #rest(cause: unknown): void {
    this.#failure = cause;
    this.#restUntilMs = performance.now() + REST_MS;
  }

  #reject(writes: readonly Write[], cause: unknown): void {
    const error = notWritten(cause);
    for (const { reject } of writes) reject(error);
    this.#unanswered.end(writes.length);
  }
}

function notWritten(cause: unknown): PollError {
  return new PollError('engine_unavailable', { message: NOT_WRITTEN, cause });
}

/** LMDB's reason is in a promise on its error, which rejects a moment later. */
function reasonOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  const given = new Promise(resolve => setImmediate(resolve, error));
  return commitError ? Promise.race([commitError.catch((reason: unknown) => reason), given]) : given;
}
