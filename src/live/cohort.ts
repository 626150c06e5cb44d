import { type BulkWriter, NO_SLOT } from './bulk-writer.ts';
import type { Frame, Snapshot } from './frame.ts';
import { nextTurn, SLICE } from './slice.ts';
import type { Seat } from './subscription.ts';

const FEWEST_SLOTS = 16;

/**
 * Seats of a lane that hold the same results and are shown the next ones in the same form, so that all that differs is the
 * socket: a frame goes to thousands by a walk over an array of numbers, where looking at each seat and its connection would
 * wait for memory a dozen times.
 */
export class Cohort {
  readonly #bulk: BulkWriter;
  readonly #isCompact: boolean;
  readonly #onDropOut: (seat: Seat) => void;
  /** What every member holds. */
  #held: Snapshot;
  /** What is being handed out, and to how many places it was. */
  #next: Snapshot;
  #served = 0;
  #slots = new Int32Array(FEWEST_SLOTS);
  /** By place, as the slots. */
  #seats: (Seat | undefined)[] = [];
  /** Places that somebody has left. */
  #free: number[] = [];

  /**
   * @param held by all members
   * @param onDropOut called for a member whose wire is blocked: it is none any more
   */
  constructor(bulk: BulkWriter, isCompact: boolean, held: Snapshot, onDropOut: (seat: Seat) => void) {
    this.#bulk = bulk;
    this.#isCompact = isCompact;
    this.#held = held;
    this.#next = held;
    this.#onDropOut = onDropOut;
  }

  get size(): number {
    return this.#seats.length - this.#free.length;
  }

  get seats(): Seat[] {
    return this.#seats.filter(seat => seat !== undefined);
  }

  /** Takes in a seat that holds what all members hold. @returns whether it does */
  admit(seat: Seat): boolean {
    if (seat.bulk !== this.#bulk || seat.isCompact !== this.#isCompact || !seat.holds(this.#held))
      return false;
    const place = this.#free.pop() ?? this.#seats.length;
    if (place === this.#slots.length) {
      const slots = new Int32Array(2 * place);
      slots.set(this.#slots);
      this.#slots = slots;
    }
    this.#slots[place] = seat.slot;
    this.#seats[place] = seat;
    seat.place = place;
    return true;
  }

  has(seat: Seat): boolean {
    return this.#seats[seat.place] === seat;
  }

  /** The seat is on its own again, and knows what it holds. */
  release(seat: Seat): void {
    const { place } = seat;
    seat.hold(place < this.#served ? this.#next : this.#held);
    seat.place = -1;
    this.#slots[place] = NO_SLOT;
    this.#seats[place] = undefined;
    this.#free.push(place);
  }

  /** @returns who was in it */
  dissolve(): Seat[] {
    const { seats } = this;
    for (const seat of seats) this.release(seat);
    return seats;
  }

  /** Whether a snapshot differs from what is held in nothing but counts, version and time: anything else is shown to each alone. */
  canFollow(snapshot: Snapshot | undefined): snapshot is Snapshot {
    const held = this.#held;
    return (
      snapshot !== undefined &&
      snapshot.hidden === held.hidden &&
      snapshot.isPublic === held.isPublic &&
      snapshot.results.follows(held.results)
    );
  }

  /** @param snapshot that it can follow. Others run between two slices */
  async handOut(snapshot: Snapshot): Promise<void> {
    if (snapshot.results === this.#held.results) return;
    const frame = snapshot.results.next(this.#isCompact);
    this.#next = snapshot;
    while (this.#served < this.#seats.length) {
      if (this.#served > 0) await nextTurn();
      const end = Math.min(this.#served + SLICE, this.#seats.length);
      this.#bulk.write(frame, this.#slots, this.#served, end, (place, taken) =>
        this.#deliver(place, frame, taken),
      );
      this.#served = end;
    }
    this.#held = snapshot;
    this.#served = 0;
  }

  #deliver(place: number, frame: Frame, taken: number): void {
    const seat = this.#seats[place];
    if (!seat || seat.deliver(frame, taken)) return;
    this.release(seat);
    this.#onDropOut(seat);
  }
}
