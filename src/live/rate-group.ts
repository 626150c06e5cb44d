import type { BroadcastMeter } from './broadcast-meter.ts';
import { Cohort } from './cohort.ts';
import type { Frame, Snapshot } from './frame.ts';
import { nextTurn, SLICE } from './slice.ts';
import type { Seat } from './subscription.ts';

export interface LaneOptions {
  /** The most passes a second. */
  readonly hz: number;
  /** Reads the poll anew. MUST NOT reject. */
  readonly refresh: () => Promise<void>;
  /** Another frame than before where there is news. */
  readonly shown: () => Frame | undefined;
  /** The newest that is known; undefined where nothing is, or the engine is lost. */
  readonly newest: () => Snapshot | undefined;
  /** Hands one seat the newest that it may see. MUST NOT throw. */
  readonly show: (seat: Seat) => void;
  readonly meter: BroadcastMeter;
  /** Told of what was thrown while one frame was handed to many. */
  readonly onError: (error: unknown) => void;
}

/**
 * The seats at one poll that want the same rate, and the conflation they share.
 *
 * States: idle (no timer, nothing to tell) → passing (reading, then handing out in slices) → resting (until the next pass
 * is allowed) → idle. A change while idle passes at once; changes while passing or resting are remembered as one, which
 * passes as soon as it may. So the first change is immediate, the last is never lost, and where a pass takes longer than
 * its interval, the interval stretches and everyone still gets the newest. After news comes a look after the rest, because
 * ballots right after the one that was hinted at are not (`HINT_WINDOW_MS`); where it finds nothing, the lane is idle.
 */
export class Lane {
  /** Seats that belong to no cohort: who is new, blocked, sees no results, or has a wire of another kind. */
  readonly #alone = new Set<Seat>();
  /** The same in one piece, for passes; undefined once somebody has come or left. */
  #inOnePiece: readonly Seat[] | undefined;
  #cohorts: Cohort[] = [];
  readonly #options: LaneOptions;
  readonly #intervalMs: number;
  #state: 'idle' | 'passing' | 'resting' = 'idle';
  #changed = false;
  /** The last pass had news. */
  #looksAgain = false;
  #isReading = false;
  #newest: Frame | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
    // A timer may come up to a millisecond early.
    this.#intervalMs = Math.ceil(1_000 / options.hz) + 1;
  }

  get seats(): Seat[] {
    return [...this.#alone, ...this.#cohorts.flatMap(({ seats }) => seats)];
  }

  /** @param newest what the seat was greeted with */
  add(seat: Seat, newest: Frame | undefined): void {
    this.#newest ??= newest;
    this.#standAlone(seat);
  }

  remove(seat: Seat): void {
    this.#cohortOf(seat)?.release(seat);
    if (this.#alone.delete(seat)) this.#inOnePiece = undefined;
  }

  /** The wire of a seat is free again. */
  catchUp(seat: Seat): void {
    if (this.#alone.has(seat)) this.#options.show(seat);
  }

  /** The poll, or the operator, has other keys now. @returns the seats whose key is rejected */
  judgeAnew(): Seat[] {
    for (const cohort of this.#cohorts) cohort.dissolve().forEach(this.#standAlone);
    return this.seats.filter(seat => !seat.judgeAnew());
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  get size(): number {
    return this.#cohorts.reduce((seats, { size }) => seats + size, this.#alone.size);
  }

  wake(): void {
    this.#changed = true;
    if (this.#state === 'idle') void this.#pass();
  }

  /** There may be something newer, though nothing says so. */
  look(): void {
    if (this.#state === 'idle') void this.#pass();
    else this.#changed = true;
  }

  /** There is something newer than was handed out. A lane that is reading is about to hand it out anyway. */
  renew(): void {
    if (!this.#isReading) this.wake();
  }

  close(): void {
    clearTimeout(this.#timer);
    if (this.#state === 'resting') this.#state = 'idle';
    for (const cohort of this.#cohorts) cohort.dissolve();
    this.#alone.clear();
    this.#inOnePiece = undefined;
  }

  async #pass(): Promise<void> {
    this.#state = 'passing';
    const isLook = !this.#changed;
    this.#changed = false;
    this.#isReading = true;
    await this.#options.refresh();
    // In one turn: what another reading finds from now on wakes the lane, and what it found until now is shown.
    this.#isReading = false;
    const newest = this.#options.shown();
    this.#looksAgain = newest !== this.#newest;
    this.#newest = newest;
    if (isLook && !this.#looksAgain) {
      // Nothing was handed out, so what came while it read need not wait for a rest.
      this.#state = 'idle';
      if (this.#changed) void this.#pass();
      return;
    }
    // Counted from one handing out to the next, so that results are never closer together than the interval, however long
    // a reading takes.
    const restsUntilMs = performance.now() + this.#intervalMs;
    const beganMs = performance.now();
    await this.#handOut();
    this.#options.meter.noteBroadcast(performance.now() - beganMs, this.size);
    this.#state = 'resting';
    this.#timer = setTimeout(() => this.#rest(), Math.max(0, restsUntilMs - performance.now()));
  }

  #rest(): void {
    this.#state = 'idle';
    if ((this.#changed || this.#looksAgain) && !this.isEmpty) void this.#pass();
  }

  async #handOut(): Promise<void> {
    const snapshot = this.#options.newest();
    this.#cohorts = this.#cohorts.filter(({ size }) => size > 0);
    for (const cohort of this.#cohorts)
      if (!(await this.#handTo(cohort, snapshot))) cohort.dissolve().forEach(this.#standAlone);
    await this.#showEach(snapshot);
  }

  /** @returns false where each of them has to be looked at */
  async #handTo(cohort: Cohort, snapshot: Snapshot | undefined): Promise<boolean> {
    try {
      if (!cohort.canFollow(snapshot)) return false;
      await cohort.handOut(snapshot);
      return true;
    } catch (error) {
      this.#options.onError(error);
      return false;
    }
  }

  async #showEach(snapshot: Snapshot | undefined): Promise<void> {
    this.#inOnePiece ??= [...this.#alone];
    const seats = this.#inOnePiece;
    const nowMs = performance.now();
    let inSlice = 0;
    for (const seat of seats) {
      // While an earlier slice was handed out.
      const hasLeft = seats !== this.#inOnePiece && !this.#alone.has(seat);
      if (!hasLeft && this.#mayHave(seat, nowMs)) {
        this.#options.show(seat);
        // Whoever sits out the next pass cannot be one of many in it.
        if (snapshot && seat.restsUntilMs <= nowMs) this.#gather(seat, snapshot);
      }
      inSlice += 1;
      if (inSlice < SLICE) continue;
      inSlice = 0;
      await nextTurn();
    }
  }

  /** Puts a seat that was shown a snapshot to the others that hold it. */
  #gather(seat: Seat, snapshot: Snapshot): void {
    const { bulk, isCompact } = seat;
    if (!bulk || !seat.holds(snapshot) || !this.#alone.has(seat)) return;
    if (!this.#cohorts.some(cohort => cohort.admit(seat))) {
      const cohort = new Cohort(bulk, isCompact, snapshot, this.#standAlone);
      cohort.admit(seat);
      this.#cohorts.push(cohort);
    }
    this.#alone.delete(seat);
    this.#inOnePiece = undefined;
  }

  #cohortOf(seat: Seat): Cohort | undefined {
    return this.#cohorts.find(cohort => cohort.has(seat));
  }

  #standAlone = (seat: Seat): void => {
    this.#alone.add(seat);
    this.#inOnePiece = undefined;
  };

  /**
   * A newcomer's first results count towards its rate, too: where a change follows them at once, it is shown at once, and
   * made up for by sitting out what comes within the next interval.
   */
  #mayHave(seat: Seat, nowMs: number): boolean {
    if (seat.restsUntilMs > nowMs) {
      this.#changed = true;
      return false;
    }
    if (nowMs - seat.greetedAtMs < this.#intervalMs)
      seat.restsUntilMs = seat.greetedAtMs + 2 * this.#intervalMs;
    return true;
  }
}
