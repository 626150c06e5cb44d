import { Frame, type Snapshot } from '../frame/frame.ts';
import type { PollId } from '../poll/poll.ts';
import type { Access, PresentedKey } from '../poll/poll-key.ts';
import type { CloseEvent } from '../protocol/close-event.ts';

/** What somebody wants of a poll. */
export interface Interest {
  /** The key shown on connecting; undefined where none was. */
  readonly key: PresentedKey | undefined;
  /** The most results a second, 1 to 20. */
  readonly hz: number;
  /** The version the other side says it holds; undefined where it holds none. */
  readonly since: number | undefined;
}

/** A live connection: the hub's way out. It may hold a seat at each of many polls. */
export interface Subscriber {
  /**
   * Takes a frame to the wire, or keeps it until the wire is free. MUST keep no more than the newest frame of a seat, MUST
   * NOT reorder, MUST NOT throw, and MUST cost no more than a write.
   */
  deliver(seat: Seat, frame: Frame): void;

  /** The end of this seat, to be said to the other side. The hub has let go of it already. */
  end(seat: Seat, event: CloseEvent): void;
}

/** The poll that a seat is at. */
export interface SeatOwner {
  leave(seat: Seat): void;
  judge(key: PresentedKey | undefined): Access | undefined;
}

/** One connection's interest in one poll, and what the hub notes about it: what it may see and what it has. */
export class Seat {
  readonly id: PollId;
  readonly hz: number;
  /** Whole monotonic milliseconds of the first message, and until when a lane passes the seat over. */
  greetedAtMs = 0;
  restsUntilMs = 0;
  readonly #owner: SeatOwner;
  readonly #subscriber: Subscriber;
  readonly #key: PresentedKey | undefined;
  readonly #since: number | undefined;
  /** Judged once for each pair of keys that the poll has had, not once for each frame. */
  #access: Access | undefined;
  /** What was handed over last. Frames are shared, so it is compared by reference. */
  #last: Frame | undefined;
  /** Epoch of the results handed over last. */
  #epoch: number | undefined;

  constructor(id: PollId, owner: SeatOwner, { key, hz, since }: Interest, subscriber: Subscriber) {
    this.id = id;
    this.hz = hz;
    this.#owner = owner;
    this.#subscriber = subscriber;
    this.#key = key;
    this.#since = since;
  }

  /** Nothing is handed over from now on. Calling it twice does no harm. */
  leave(): void {
    this.#owner.leave(this);
  }

  /** The first message: `current` where the other side is up to date, everything otherwise. @returns as `show` does */
  greet(snapshot: Snapshot | undefined, stale: Frame | undefined): boolean {
    this.greetedAtMs = Math.ceil(performance.now());
    if (snapshot && !stale && this.#isCurrent(snapshot)) {
      const { version, epoch } = snapshot.reading.results;
      this.#epoch = epoch;
      this.#last = snapshot.results;
      this.#subscriber.deliver(this, Frame.of({ type: 'current', id: this.id, version }));
    }
    return this.show(snapshot, stale);
  }

  /**
   * Hands over the newest that this seat may see, unless it has it already.
   *
   * @param stale goes before the results where the engine is lost
   * @returns false where the key was rejected
   */
  show(snapshot: Snapshot | undefined, stale: Frame | undefined): boolean {
    const maySee = snapshot !== undefined && this.#maySee(snapshot.isPublic);
    if (this.#access === 'rejected') return false;
    const frame = stale ?? (maySee ? snapshot.results : snapshot?.hidden);
    if (!frame || frame === this.#last) return true;
    this.#last = frame;
    const isResults = snapshot !== undefined && frame === snapshot.results;
    this.#subscriber.deliver(this, isResults ? this.#resetIfForked(snapshot) : frame);
    return true;
  }

  /** The poll has other keys now. */
  judgeAnew(): void {
    this.#access = undefined;
  }

  end(event: CloseEvent): void {
    this.#subscriber.end(this, event);
  }

  #isCurrent({ reading, isPublic }: Snapshot): boolean {
    return this.#since === reading.results.version && this.#maySee(isPublic);
  }

  #maySee(isPublic: boolean): boolean {
    this.#access ??= this.#owner.judge(this.#key);
    return this.#access === 'granted' || (isPublic && this.#access === 'absent');
  }

  /** Whoever holds a version that the engine has not reached has seen what the engine lost. */
  #resetIfForked({ reading, results }: Snapshot): Frame {
    const { epoch, version } = reading.results;
    const isForked = this.#epoch === undefined ? (this.#since ?? 0) > version : this.#epoch !== epoch;
    this.#epoch = epoch;
    return isForked ? results.reset : results;
  }
}
