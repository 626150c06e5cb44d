import type { PollId } from '../poll/poll.ts';
import type { Access, PresentedKey } from '../poll/poll-key.ts';
import type { CloseEvent } from '../protocol/close-event.ts';
import type { Held } from '../protocol/position.ts';
import { type BulkWriter, NO_SLOT } from './bulk-writer.ts';
import type { Frame, ResultsFrame, Snapshot } from './frame.ts';

/** What somebody wants of a poll. */
export interface Interest {
  /** The key shown on connecting; undefined where none was. */
  readonly key: PresentedKey | undefined;
  /** A key that opens nothing is taken for none: a show may point to anybody's poll. */
  readonly isKeyOptional?: boolean | undefined;
  /** The most results a second, 1 to 20. */
  readonly hz: number;
  /** What the other side says it holds; undefined where it holds nothing. */
  readonly since: Held | undefined;
  /** After the first `results`, `counts` are enough wherever nothing else changes. */
  readonly compact: boolean;
  /** A small picture at a producer's desk, which is no screen that anybody watches. */
  readonly preview?: boolean | undefined;
}

/** A live connection: the hub's way out. It may hold a seat at each of many polls. */
export interface Subscriber {
  /**
   * Takes a frame to the wire, where that is free. MUST NOT reorder, MUST NOT throw, and MUST cost no more than a write.
   *
   * @param taken bytes of it that went to the wire already, past the subscriber; 0 where left out
   * @returns false where the wire is blocked: the frame is dropped, and the seat MUST be asked to `catchUp` once it is free
   */
  deliver(seat: Seat, frame: Frame, taken?: number): boolean;

  /** What writes to its wire and to others in one go; left out where nothing does. */
  readonly bulk?: BulkWriter | undefined;
  /** The number of its wire for `bulk`. */
  readonly slot?: number;

  /** The end of this seat, to be said to the other side. The hub has let go of it already. */
  end(seat: Seat, event: CloseEvent): void;
}

/** The poll that a seat is at. */
export interface SeatOwner {
  leave(seat: Seat): void;
  /** Shows the seat the newest. */
  catchUp(seat: Seat): void;
  judge(key: PresentedKey | undefined): Access | undefined;
}

/**
 * One connection's interest in one poll, and what the hub notes about it: what it may see and what it has. Only what went to
 * the wire is noted, so that what the next message leaves out has been said before.
 */
export class Seat {
  readonly id: PollId;
  readonly hz: number;
  readonly isCompact: boolean;
  /** Its place in the cohort that it belongs to; negative where it belongs to none. */
  place = -1;
  /** Whole monotonic milliseconds of the first message, and until when a lane passes the seat over. */
  greetedAtMs = 0;
  restsUntilMs = 0;
  readonly #owner: SeatOwner;
  readonly #subscriber: Subscriber;
  readonly #key: PresentedKey | undefined;
  readonly #isKeyOptional: boolean;
  /** Judged once for each pair of keys that the poll has had, not once for each frame. */
  #access: Access | undefined;
  /** What it holds. Frames are shared, so it is compared by reference. */
  #last: Frame | undefined;
  /** The results handed over last, whatever came after them; before the first what the other side says it holds. */
  #held: ResultsFrame | Held | undefined;
  /** The definition in the results handed over last, where nothing else was since. */
  #definition: Frame | undefined;

  constructor(id: PollId, owner: SeatOwner, interest: Interest, subscriber: Subscriber) {
    const { key, isKeyOptional = false, hz, since, compact } = interest;
    this.id = id;
    this.hz = hz;
    this.isCompact = compact;
    this.#owner = owner;
    this.#subscriber = subscriber;
    this.#key = key;
    this.#isKeyOptional = isKeyOptional;
    this.#held = since;
  }

  /** Nothing is handed over from now on. Calling it twice does no harm. */
  leave(): void {
    this.#owner.leave(this);
  }

  /**
   * Hands over the newest that this seat may see, unless it has it already: the first time `current` where the other side is up to
   * date.
   *
   * @param stale goes before the results where the engine is lost
   * @returns false where the key was rejected
   */
  show(snapshot: Snapshot | undefined, stale: Frame | undefined): boolean {
    const maySee = snapshot !== undefined && this.#maySee(snapshot.isPublic);
    if (this.#access === 'rejected') return false;
    const frame = stale ?? (maySee ? snapshot.results : snapshot?.hidden);
    if (!frame || frame === this.#last) return true;
    if (maySee && frame === snapshot.results) this.#showResults(snapshot);
    else if (this.#subscriber.deliver(this, frame)) {
      this.#last = frame;
      this.#definition = undefined;
    }
    return true;
  }

  /** The wire is free again. */
  catchUp(): void {
    this.#owner.catchUp(this);
  }

  /** The poll, or the operator, has other keys now. @returns false where the key is rejected by what is known of the poll */
  judgeAnew(): boolean {
    this.#access = this.#key && this.#judge();
    return this.#access !== 'rejected';
  }

  end(event: CloseEvent): void {
    this.#subscriber.end(this, event);
  }

  get bulk(): BulkWriter | undefined {
    return this.#subscriber.bulk;
  }

  get slot(): number {
    return this.#subscriber.slot ?? NO_SLOT;
  }

  /** Whether it holds these results with their definition, so that it needs the next ones in the form that all like it do. */
  holds({ results, hidden }: Snapshot): boolean {
    return this.#last === results && this.#definition === hidden;
  }

  /** Notes what it was handed as one of many. */
  hold({ results, hidden }: Snapshot): void {
    this.#last = results;
    this.#held = results;
    this.#definition = hidden;
  }

  /** Takes one frame to the wire, as one of many. @returns false where the wire is blocked, as of a subscriber */
  deliver(frame: Frame, taken: number): boolean {
    return this.#subscriber.deliver(this, frame, taken);
  }

  #maySee(isPublic: boolean): boolean {
    this.#access ??= this.#judge();
    return this.#access === 'granted' || (isPublic && this.#access === 'absent');
  }

  #judge(): Access | undefined {
    const access = this.#owner.judge(this.#key);
    return access === 'rejected' && this.#isKeyOptional ? 'absent' : access;
  }

  #showResults(snapshot: Snapshot): void {
    const { results } = snapshot;
    const frame = this.#formOf(snapshot);
    if (!this.#subscriber.deliver(this, frame)) return;
    this.hold(snapshot);
    if (frame === results.current) this.#definition = undefined;
  }

  /** The least that gives the other side the whole picture. */
  #formOf({ results, hidden }: Snapshot): Frame {
    const held = this.#held;
    if (held && !results.follows(held)) return results.reset;
    if (this.#last === undefined && held?.position === results.position) return results.current;
    return this.#definition === hidden ? results.next(this.isCompact) : results;
  }
}
