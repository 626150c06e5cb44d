import type { FollowedTopic } from '../engine/followed-topics.ts';
import type { Polls, Revision } from '../engine/polls.ts';
import { Frame } from '../frame/frame.ts';
import type { PollId, Reading } from '../poll/poll.ts';
import { type IsOperatorKey, judgeAccess } from '../poll/poll-key.ts';
import { type CloseEvent, KeyRejected, PollNotFound, PollRemoved } from '../protocol/close-event.ts';
import { Lane } from './lane.ts';
import { encodeNewest, type Newest, wentBack } from './newest.ts';
import type { Subscriber } from './subscriber.ts';

/** A deadline that lies nearer than this gets a timer; the sweep comes by often enough for all others. */
const DEADLINE_TIMER_MS = 5_000;

export interface WatchedPollOptions {
  readonly id: PollId;
  /** Once the poll is followed: what is read from then on misses nothing. */
  readonly ready: Promise<void>;
  readonly polls: Polls;
  readonly read: (id: PollId) => Promise<Reading | undefined>;
  readonly isOperatorKey: IsOperatorKey;
}

/**
 * One poll that somebody watches from this process. It is unknown until its first reading, then live, stale while the engine
 * is lost, and gone once the engine does not know it. Nothing here trusts a hint: each one only asks for a reading.
 */
export class WatchedPoll implements FollowedTopic<Revision | undefined> {
  readonly #options: WatchedPollOptions;
  readonly #lanes = new Map<number, Lane>();
  readonly #joining = new Set<Subscriber>();
  #newest: Newest | undefined;
  #stale: Frame | undefined;
  #turn = 0;
  #acceptedTurn = 0;
  #deadline: NodeJS.Timeout | undefined;

  constructor(options: WatchedPollOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#joining.size === 0 && [...this.#lanes.values()].every(lane => lane.isEmpty);
  }

  /** Followed first, read then: a change in between is hinted, so nothing can fall between the two. */
  async join(subscriber: Subscriber): Promise<void> {
    this.#joining.add(subscriber);
    await this.#options.ready;
    await this.#refresh();
    if (!this.#joining.delete(subscriber)) return;
    this.#lane(subscriber.hz).add(subscriber);
    this.#greet(subscriber);
  }

  leave(subscriber: Subscriber): void {
    this.#joining.delete(subscriber);
    this.#lanes.get(subscriber.hz)?.remove(subscriber);
  }

  /** Something may have changed. */
  wake(): void {
    for (const lane of this.#lanes.values()) lane.wake();
  }

  /** Repairs what lost hints left behind. */
  sweep(revision: Revision | undefined): void {
    const held = this.#newest?.reading.results;
    const isCurrent =
      held &&
      revision &&
      held.version === revision.version &&
      held.epoch === revision.epoch &&
      !passedBetween(held, revision);
    if (!isCurrent || this.#stale) this.wake();
    if (revision) this.#armDeadline(revision);
  }

  close(event?: CloseEvent): void {
    clearTimeout(this.#deadline);
    const subscribers = [...this.#joining, ...[...this.#lanes.values()].flatMap(lane => lane.subscribers)];
    this.#joining.clear();
    for (const lane of this.#lanes.values()) lane.close();
    if (event) for (const subscriber of subscribers) subscriber.end(event);
  }

  async #refresh(): Promise<void> {
    const { polls, id, read } = this.#options;
    this.#turn += 1;
    const turn = this.#turn;
    try {
      let reading = await read(id);
      if (turn < this.#acceptedTurn) return;
      if (reading && wentBack(reading, this.#newest)) {
        await polls.renewEpoch(id, this.#newest.reading.results);
        reading = await read(id);
      }
      // A reading that was begun later may have come first.
      if (turn < this.#acceptedTurn) return;
      this.#acceptedTurn = turn;
      if (!reading) this.#endAll();
      else if (reading !== this.#newest?.reading || this.#stale) this.#accept(reading);
    } catch {
      // A reading that was begun later may have succeeded first.
      if (turn < this.#acceptedTurn) return;
      this.#stale ??= Frame.of({ type: 'stale', id, since: Math.floor(Date.now() / 1000) });
    }
  }

  #endAll(): void {
    const event = this.#newest ? PollRemoved : PollNotFound;
    this.#newest = undefined;
    this.close(event);
  }

  #accept(reading: Reading): void {
    const before = this.#newest;
    this.#stale = undefined;
    this.#newest = encodeNewest(reading, before);
    this.#armDeadline(reading.results);
    if (before && before.reading.keys.viewKeyHash !== reading.keys.viewKeyHash)
      for (const lane of this.#lanes.values())
        for (const subscriber of lane.subscribers) subscriber.access = undefined;
  }

  /** The first message: `current` where the other side is up to date, everything otherwise. */
  #greet(subscriber: Subscriber): void {
    const newest = this.#newest;
    subscriber.greetedAtMs = Math.ceil(performance.now());
    if (newest && !this.#stale && subscriber.since !== undefined && this.#maySee(subscriber)) {
      const { version, epoch } = newest.reading.results;
      if (subscriber.since === version) {
        subscriber.epoch = epoch;
        subscriber.last = newest.results;
        subscriber.deliver(Frame.of({ type: 'current', id: this.#options.id, version }));
      }
    }
    this.#deliver(subscriber);
  }

  #deliver = (subscriber: Subscriber): void => {
    const newest = this.#newest;
    const maySee = this.#maySee(subscriber);
    if (subscriber.access === 'rejected') {
      this.leave(subscriber);
      subscriber.end(KeyRejected);
      return;
    }
    const frame = this.#stale ?? (maySee ? newest?.results : newest?.hidden);
    if (!frame || frame === subscriber.last) return;
    subscriber.last = frame;
    subscriber.deliver(newest && frame === newest.results ? resetIfForked(subscriber, newest) : frame);
  };

  /** Judged once for each pair of keys that the poll has had, not once for each frame. */
  #maySee(subscriber: Subscriber): boolean {
    const newest = this.#newest;
    if (!newest) return false;
    subscriber.access ??= judgeAccess(subscriber.key, newest.reading.keys, this.#options.isOperatorKey);
    return subscriber.access === 'granted' || (newest.isPublic && subscriber.access === 'absent');
  }

  #lane(hz: number): Lane {
    let lane = this.#lanes.get(hz);
    if (!lane) {
      lane = new Lane({ hz, refresh: () => this.#refresh(), deliver: this.#deliver });
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

/** A clock may be set, a machine may sleep: the timer for a deadline can miss it, the sweep cannot. */
function passedBetween(held: Revision, now: Revision): boolean {
  return held.deadlineMs !== null && held.readAtMs < held.deadlineMs && now.readAtMs >= held.deadlineMs;
}

/** Whoever holds a version that the engine has not reached has seen what the engine lost. */
function resetIfForked(subscriber: Subscriber, { reading, results }: Newest): Frame {
  const { epoch, version } = reading.results;
  const isForked =
    subscriber.epoch === undefined ? (subscriber.since ?? 0) > version : subscriber.epoch !== epoch;
  subscriber.epoch = epoch;
  return isForked ? results.reset : results;
}
