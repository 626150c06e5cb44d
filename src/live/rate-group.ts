import { type BatchWriter, NO_SLOT, nextTurn, SLICE } from './connection.ts';
import type { Frame, Snapshot } from './frame.ts';
import type { Subscription } from './subscription.ts';

export interface RateGroupOptions {
  /** The most broadcasts a second. */
  readonly hz: number;
  /** Reads the poll. MUST NOT reject. */
  readonly refresh: () => Promise<void>;
  /** A frame that differs from the last one if anything has changed. */
  readonly current: () => Frame | undefined;
  /** The newest snapshot; undefined before the first read and while the engine is unavailable. */
  readonly latest: () => Snapshot | undefined;
  readonly onBroadcast: (durationMs: number, subscriptions: number) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * A subscription that is out of step with the broadcasts waits that much longer than its rate asks,
 * for a broadcast in that time: after some messages it is in step, and can join a batch.
 */
const STEP_MS = 40;

/**
 * The subscriptions to one poll at one rate, and the timer that conflates updates for them.
 *
 * States: idle → broadcasting (reads, then sends in slices) → resting (until the next broadcast is
 * due) → idle. A change while idle is sent at once; changes in other states are merged and sent as
 * soon as the rate allows. After a change the group reads once more, because the engine hints once
 * for all ballots within `HINT_WINDOW_MS`.
 *
 * A subscription counts its interval from its own last message. A new one, which got its first
 * between two broadcasts, misses the next broadcast and gets its results when its interval is over.
 */
export class RateGroup {
  /** Subscriptions in no batch: new, blocked, without results, or on a connection without batch writes. */
  readonly #single = new Set<Subscription>();
  /** The same as an array, for broadcasts; undefined after a change. */
  #singleList: readonly Subscription[] | undefined;
  #batches: Batch[] = [];
  /** Subscriptions that missed a broadcast, because their interval was not over. */
  readonly #deferred = new Set<Subscription>();
  #deferral: NodeJS.Timeout | undefined;
  readonly #options: RateGroupOptions;
  readonly #intervalMs: number;
  #state: 'idle' | 'broadcasting' | 'resting' = 'idle';
  #hasChanged = false;
  #readsAgain = false;
  #isReading = false;
  #newest: Frame | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RateGroupOptions) {
    this.#options = options;
    // A timer may fire up to a millisecond early.
    this.#intervalMs = Math.ceil(1_000 / options.hz) + 1;
  }

  get size(): number {
    return this.#batches.reduce((sum, { size }) => sum + size, this.#single.size);
  }

  get subscriptions(): Subscription[] {
    return [...this.#single, ...this.#batches.flatMap(({ subscriptions }) => subscriptions)];
  }

  /** @param newest the frame with which the subscription was activated */
  add(subscription: Subscription, newest: Frame | undefined): void {
    this.#newest ??= newest;
    // It gets its first message in this turn.
    subscription.restsUntilMs = performance.now() + this.#intervalMs;
    this.#addSingle(subscription);
  }

  remove(subscription: Subscription): void {
    this.#batches.find(batch => batch.has(subscription))?.remove(subscription);
    if (this.#single.delete(subscription)) this.#singleList = undefined;
    this.#deferred.delete(subscription);
  }

  /** @returns the subscriptions whose key is now rejected */
  reauthorize(): Subscription[] {
    for (const batch of this.#batches) batch.dissolve().forEach(this.#addSingle);
    return this.subscriptions.filter(subscription => !subscription.reauthorize());
  }

  /** Reads the poll now or when the rate allows. @param reason `check` does not read again if nothing has changed */
  requestRefresh(reason: 'change' | 'check' = 'change'): void {
    if (reason === 'change' || this.#state !== 'idle') this.#hasChanged = true;
    if (this.#state === 'idle') void this.#broadcast();
  }

  /** Sends a snapshot that another group has read. A group that is reading is about to send it anyway. */
  onNewSnapshot(): void {
    if (!this.#isReading) this.requestRefresh();
  }

  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#deferral);
    this.#deferred.clear();
    if (this.#state === 'resting') this.#state = 'idle';
    for (const batch of this.#batches) batch.dissolve();
    this.#single.clear();
    this.#singleList = undefined;
  }

  async #broadcast(): Promise<void> {
    this.#state = 'broadcasting';
    const isCheck = !this.#hasChanged;
    this.#hasChanged = false;
    this.#isReading = true;
    await this.#options.refresh();
    // In the same turn as the send: a snapshot that arrives later requests a refresh of its own.
    this.#isReading = false;
    const newest = this.#options.current();
    this.#readsAgain = newest !== this.#newest;
    this.#newest = newest;
    if (isCheck && !this.#readsAgain) {
      // Nothing was sent, so a change in the meantime does not have to wait.
      this.#state = 'idle';
      if (this.#hasChanged) void this.#broadcast();
      return;
    }
    // The interval excludes the read.
    const beganMs = performance.now();
    await this.#sendToAll(beganMs);
    this.#options.onBroadcast(performance.now() - beganMs, this.size);
    this.#state = 'resting';
    const restMs = beganMs + this.#intervalMs - performance.now();
    this.#timer = setTimeout(() => this.#rest(), Math.max(0, restMs));
  }

  #rest(): void {
    this.#state = 'idle';
    if ((this.#hasChanged || this.#readsAgain) && this.size > 0) void this.#broadcast();
  }

  async #sendToAll(nowMs: number): Promise<void> {
    const snapshot = this.#options.latest();
    this.#batches = this.#batches.filter(({ size }) => size > 0);
    for (const batch of this.#batches)
      if (!(await this.#sendToBatch(batch, snapshot))) batch.dissolve().forEach(this.#addSingle);
    await this.#sendToEach(snapshot, nowMs);
  }

  async #sendToBatch(batch: Batch, snapshot: Snapshot | undefined): Promise<boolean> {
    try {
      if (!batch.canSend(snapshot)) return false;
      await batch.send(snapshot);
      return true;
    } catch (error) {
      this.#options.onError(error);
      return false;
    }
  }

  async #sendToEach(snapshot: Snapshot | undefined, nowMs: number): Promise<void> {
    this.#singleList ??= [...this.#single];
    let inSlice = 0;
    for (const subscription of this.#singleList) {
      if (!this.#single.has(subscription)) continue;
      if (subscription.restsUntilMs > nowMs) {
        this.#deferred.add(subscription);
        continue;
      }
      this.#deferred.delete(subscription);
      subscription.sendLatest();
      if (snapshot) this.#addToBatch(subscription, snapshot);
      inSlice += 1;
      if (inSlice % SLICE === 0) await nextTurn();
    }
    this.#awaitDeferred();
  }

  #awaitDeferred(): void {
    clearTimeout(this.#deferral);
    if (this.#deferred.size === 0) return;
    let dueAtMs = Number.POSITIVE_INFINITY;
    for (const { restsUntilMs } of this.#deferred) dueAtMs = Math.min(dueAtMs, restsUntilMs);
    const waitMs = dueAtMs + Math.min(STEP_MS, this.#intervalMs / 2) - performance.now();
    this.#deferral = setTimeout(() => void this.#sendDeferred(), Math.max(0, waitMs));
  }

  async #sendDeferred(): Promise<void> {
    // A change since the last broadcast is news to them too.
    if (this.#hasChanged) await this.#options.refresh();
    const nowMs = performance.now();
    let inSlice = 0;
    for (const subscription of [...this.#deferred]) {
      if (subscription.restsUntilMs > nowMs || !this.#deferred.delete(subscription)) continue;
      subscription.restsUntilMs = nowMs + this.#intervalMs;
      subscription.sendLatest();
      inSlice += 1;
      if (inSlice % SLICE === 0) await nextTurn();
    }
    this.#awaitDeferred();
  }

  #addToBatch(subscription: Subscription, snapshot: Snapshot): void {
    const writer = subscription.connection.batchWriter;
    if (!writer || !subscription.holds(snapshot) || !this.#single.has(subscription)) return;
    if (!this.#batches.some(batch => batch.add(subscription, writer))) {
      const batch = new Batch(writer, subscription.isCompact, snapshot, this.#addSingle);
      batch.add(subscription, writer);
      this.#batches.push(batch);
    }
    this.#single.delete(subscription);
    this.#singleList = undefined;
  }

  #addSingle = (subscription: Subscription): void => {
    this.#single.add(subscription);
    this.#singleList = undefined;
  };
}

const FEWEST_SLOTS = 16;

/**
 * Subscriptions that hold the same results and need the next ones in the same form. A frame is
 * written to all of them by a loop over an array of slots; a loop over subscriptions and
 * connections would cost a dozen cache misses each.
 */
class Batch {
  readonly #writer: BatchWriter;
  readonly #isCompact: boolean;
  readonly #onBlocked: (subscription: Subscription) => void;
  /** The snapshot that all members hold, the one being sent, and to how many places. */
  #held: Snapshot;
  #next: Snapshot;
  #sent = 0;
  /** Slots and subscriptions by place; a free place has neither. */
  #slots = new Int32Array(FEWEST_SLOTS);
  #subscriptions: (Subscription | undefined)[] = [];
  #freePlaces: number[] = [];

  constructor(
    writer: BatchWriter,
    isCompact: boolean,
    held: Snapshot,
    onBlocked: (subscription: Subscription) => void,
  ) {
    this.#writer = writer;
    this.#isCompact = isCompact;
    this.#held = held;
    this.#next = held;
    this.#onBlocked = onBlocked;
  }

  get size(): number {
    return this.#subscriptions.length - this.#freePlaces.length;
  }

  get subscriptions(): Subscription[] {
    return this.#subscriptions.filter(subscription => subscription !== undefined);
  }

  /** @returns false if the subscription does not match this batch */
  add(subscription: Subscription, writer: BatchWriter): boolean {
    const { isCompact, connection } = subscription;
    if (writer !== this.#writer || isCompact !== this.#isCompact || !subscription.holds(this.#held))
      return false;
    const place = this.#freePlaces.pop() ?? this.#subscriptions.length;
    if (place === this.#slots.length) {
      const slots = new Int32Array(2 * place);
      slots.set(this.#slots);
      this.#slots = slots;
    }
    this.#slots[place] = connection.slot;
    this.#subscriptions[place] = subscription;
    subscription.place = place;
    return true;
  }

  has(subscription: Subscription): boolean {
    return this.#subscriptions[subscription.place] === subscription;
  }

  remove(subscription: Subscription): void {
    const { place } = subscription;
    subscription.hold(place < this.#sent ? this.#next : this.#held);
    subscription.place = -1;
    this.#slots[place] = NO_SLOT;
    this.#subscriptions[place] = undefined;
    this.#freePlaces.push(place);
  }

  dissolve(): Subscription[] {
    const { subscriptions } = this;
    for (const subscription of subscriptions) this.remove(subscription);
    return subscriptions;
  }

  canSend(snapshot: Snapshot | undefined): snapshot is Snapshot {
    const held = this.#held;
    return (
      snapshot !== undefined &&
      snapshot.definition === held.definition &&
      snapshot.isPublic === held.isPublic &&
      snapshot.results.follows(held.results)
    );
  }

  /** @param snapshot one that `canSend` accepts. Other code runs between slices */
  async send(snapshot: Snapshot): Promise<void> {
    if (snapshot.results === this.#held.results) return;
    const frame = snapshot.results.next(this.#isCompact);
    this.#next = snapshot;
    while (this.#sent < this.#subscriptions.length) {
      if (this.#sent > 0) await nextTurn();
      const end = Math.min(this.#sent + SLICE, this.#subscriptions.length);
      this.#writer(frame, this.#slots, this.#sent, end, (place, taken) =>
        this.#sendRest(place, frame, taken),
      );
      this.#sent = end;
    }
    this.#held = snapshot;
    this.#sent = 0;
  }

  #sendRest(place: number, frame: Frame, taken: number): void {
    const subscription = this.#subscriptions[place];
    if (!subscription || subscription.connection.sendResults(subscription, frame, taken)) return;
    this.remove(subscription);
    this.#onBlocked(subscription);
  }
}
