import type { FollowedTopic } from '../engine/followed-topics.ts';
import { HINT_WINDOW_MS } from '../engine/hints.ts';
import type { Revision } from '../engine/polls.ts';
import { areSameResults, type PollId, type Reading } from '../poll/poll.ts';
import { isEngineUnavailable } from '../poll/poll-error.ts';
import {
  type Access,
  areSameKeys,
  type IsOperatorKey,
  judgeAccess,
  type PresentedKey,
} from '../poll/poll-key.ts';
import { type CloseEvent, KeyRejected, PollNotFound, PollRemoved } from '../protocol/close-event.ts';
import { BroadcastMeter } from './broadcast-meter.ts';
import { encodeSnapshot, Frame, type Snapshot } from './frame.ts';
import { Newcomers } from './pending-subscriptions.ts';
import { Lane } from './rate-group.ts';
import { OwnerKey, type OwnerKeys } from './show-key.ts';
import { type Interest, Seat, type SeatOwner, type Subscriber } from './subscription.ts';

/** A deadline that lies nearer than this gets a timer; the sweep comes by often enough for all others. */
const DEADLINE_TIMER_MS = 5_000;

/** A window of hints, as the engine counts it and as this process does. */
const LOOK_AGAIN_MS = 2 * HINT_WINDOW_MS;

export interface WatchedPollOptions {
  readonly id: PollId;
  /** Once the poll is followed: what is read from then on misses nothing. */
  readonly ready: Promise<void>;
  readonly read: (id: PollId) => Promise<Reading | undefined>;
  readonly isOperatorKey: IsOperatorKey;
  readonly owners: OwnerKeys;
  readonly onError: ReportError;
}

/** Reports a fault of this program, which costs no subscriber more than the message that it was in. MUST NOT throw. */
export type ReportError = (error: unknown, place: 'hub.refresh' | 'hub.delivery' | 'hub.sweep') => void;

/**
 * One poll that somebody watches from this process. It is unknown until its first reading, then live, stale while the engine
 * is lost, and gone once the engine does not know it. Nothing here trusts a hint: each one only asks for a reading.
 */
export class WatchedPoll implements FollowedTopic<Revision | undefined>, SeatOwner {
  readonly #options: WatchedPollOptions;
  readonly #lanes = new Map<number, Lane>();
  readonly #newcomers: Newcomers;
  readonly #previews = new Set<Seat>();
  #newest: Snapshot | undefined;
  #stale: Frame | undefined;
  readonly #meter = new BroadcastMeter();
  readonly #owner: OwnerKey;
  /** Somebody came with a key. */
  #meetsKeys = false;
  #turn = 0;
  #acceptedTurn = 0;
  #deadline: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;

  constructor(options: WatchedPollOptions) {
    this.#options = options;
    this.#owner = new OwnerKey(options.owners, () => this.judgeAnew());
    this.#newcomers = new Newcomers({
      ready: options.ready,
      read: newcomers => {
        // There before the reading begins: a change in the middle of it wakes the lane, and would be nobody's otherwise.
        for (const { hz } of newcomers) this.#lane(hz);
        return this.#refresh();
      },
      greet: seat => this.#greet(seat),
    });
    void options.ready.then(() => this.#lookAgain());
  }

  get id(): PollId {
    return this.#options.id;
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  /** Seats at the poll. */
  get size(): number {
    return [...this.#lanes.values()].reduce((seats, lane) => seats + lane.size, this.#newcomers.size);
  }

  /** Seats that are no previews. */
  get audience(): number {
    return this.size - this.#previews.size;
  }

  subscribe(interest: Interest, subscriber: Subscriber): Seat {
    const seat = new Seat(this.#options.id, this, interest, subscriber);
    if (interest.preview) this.#previews.add(seat);
    this.#meetsKeys ||= interest.key !== undefined;
    this.#newcomers.add(seat);
    return seat;
  }

  leave(seat: Seat): void {
    this.#newcomers.delete(seat);
    this.#previews.delete(seat);
    this.#lanes.get(seat.hz)?.remove(seat);
  }

  catchUp(seat: Seat): void {
    this.#lanes.get(seat.hz)?.catchUp(seat);
  }

  judge(key: PresentedKey | undefined): Access | undefined {
    if (!this.#newest) return undefined;
    const keys = { ...this.#newest.reading.keys, showKeyHash: this.#owner.hash };
    return judgeAccess(key, keys, this.#options.isOperatorKey);
  }

  /** The operator has other keys now, or the show that owns the poll, and the poll the same as before. */
  judgeAnew(): void {
    for (const lane of this.#lanes.values()) lane.judgeAnew().forEach(this.#reject);
  }

  /** Something may have changed. */
  wake(): void {
    for (const lane of this.#lanes.values()) lane.wake();
  }

  /** Repairs what lost hints left behind. */
  sweep(revision: Revision | undefined): void {
    const held = this.#newest?.reading.results;
    const isCurrent = held && revision?.votes && areSameResults(held, { ...revision, votes: revision.votes });
    if (!isCurrent || this.#stale) this.wake();
    if (revision) this.#armDeadline(revision);
  }

  close(event?: CloseEvent): void {
    clearTimeout(this.#deadline);
    clearTimeout(this.#looking);
    this.#owner.close();
    const seats = [...this.#newcomers.seats, ...[...this.#lanes.values()].flatMap(lane => lane.seats)];
    this.#newcomers.clear();
    this.#previews.clear();
    for (const lane of this.#lanes.values()) lane.close();
    if (event) for (const seat of seats) this.#end(seat, event);
  }

  #greet(seat: Seat): void {
    this.#lane(seat.hz).add(seat, this.#shown);
    seat.greetedAtMs = Math.ceil(performance.now());
    this.#show(seat);
  }

  async #refresh(): Promise<void> {
    const { id, onError } = this.#options;
    this.#turn += 1;
    const turn = this.#turn;
    const beganMs = performance.now();
    let reading: Reading | undefined;
    try {
      reading = await this.#read();
    } catch (error) {
      if (!isEngineUnavailable(error)) onError(error, 'hub.refresh');
      // A reading that was begun later may have succeeded first.
      if (turn >= this.#acceptedTurn)
        this.#stale ??= Frame.of({ type: 'stale', id, since: Math.floor(Date.now() / 1000) });
      return;
    }
    // A reading that was begun later may have come first.
    if (turn < this.#acceptedTurn) return;
    this.#acceptedTurn = turn;
    try {
      if (!reading) this.#endAll();
      else if (reading !== this.#newest?.reading || this.#stale) this.#accept(reading, beganMs);
    } catch (error) {
      onError(error, 'hub.refresh');
    }
  }

  async #read(): Promise<Reading | undefined> {
    const reading = await this.#options.read(this.#options.id);
    if (reading?.poll.show && this.#meetsKeys) await this.#owner.learn(reading.poll.show);
    return reading;
  }

  /** Another frame wherever anything of the poll has changed. */
  get #shown(): Frame | undefined {
    return this.#stale ?? this.#newest?.results;
  }

  /** The hint that opened a window may have come just before the poll was followed. */
  #lookAgain(): void {
    this.#looking = setTimeout(() => {
      for (const lane of this.#lanes.values()) lane.look();
    }, LOOK_AGAIN_MS);
  }

  #endAll(): void {
    const event = this.#newest ? PollRemoved : PollNotFound;
    this.#newest = undefined;
    this.close(event);
  }

  #accept(reading: Reading, beganMs: number): void {
    const before = this.#newest;
    this.#meter.noteReading(reading, before?.reading, beganMs);
    const newest = encodeSnapshot(reading, before);
    const hasNews = before && (before.results !== newest.results || before.hidden !== newest.hidden);
    // One lane read it, or a newcomer: the others may have missed the hint, and a sweep takes what is known for shown.
    if (hasNews || this.#stale) for (const lane of this.#lanes.values()) lane.renew();
    this.#stale = undefined;
    this.#newest = newest;
    this.#armDeadline(reading.results);
    if (before && !areSameKeys(before.reading.keys, reading.keys))
      for (const lane of this.#lanes.values()) lane.judgeAnew();
  }

  #show = (seat: Seat): void => {
    try {
      if (!seat.show(this.#newest, this.#stale)) this.#reject(seat);
    } catch (error) {
      this.#options.onError(error, 'hub.delivery');
    }
  };

  #reject = (seat: Seat): void => {
    this.leave(seat);
    this.#end(seat, KeyRejected);
  };

  #end(seat: Seat, event: CloseEvent): void {
    try {
      seat.end(event);
    } catch (error) {
      this.#options.onError(error, 'hub.delivery');
    }
  }

  #lane(hz: number): Lane {
    let lane = this.#lanes.get(hz);
    if (!lane) {
      const refresh = () => this.#refresh();
      const shown = () => this.#shown;
      const newest = () => (this.#stale ? undefined : this.#newest);
      const onError = (error: unknown) => this.#options.onError(error, 'hub.delivery');
      lane = new Lane({ hz, refresh, shown, newest, show: this.#show, meter: this.#meter, onError });
      this.#lanes.set(hz, lane);
    }
    return lane;
  }

  #armDeadline({ deadlineMs, readAtMs }: Pick<Revision, 'deadlineMs' | 'readAtMs'>): void {
    clearTimeout(this.#deadline);
    if (deadlineMs === null || deadlineMs <= readAtMs || deadlineMs - readAtMs > DEADLINE_TIMER_MS) return;
    this.#deadline = setTimeout(() => this.wake(), deadlineMs - readAtMs + 1);
  }
}
