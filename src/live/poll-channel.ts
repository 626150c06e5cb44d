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
import type { Connection } from './connection.ts';
import { encodeSnapshot, Frame, type Snapshot } from './frame.ts';
import { PendingSubscriptions } from './pending-subscriptions.ts';
import { RateGroup } from './rate-group.ts';
import { ShowKey, type ShowKeys } from './show-key.ts';
import { type LatestSource, Subscription, type SubscriptionOptions } from './subscription.ts';

/** A deadline nearer than this gets a timer; for all others the sweep is often enough. */
const DEADLINE_TIMER_MS = 5_000;
/** A window of hints, as the engine counts it and as this process does. */
const READ_AGAIN_MS = 2 * HINT_WINDOW_MS;

export interface PollChannelOptions {
  readonly id: PollId;
  /** Resolves once hints arrive: what is read from then on misses nothing. */
  readonly ready: Promise<void>;
  readonly read: (id: PollId) => Promise<Reading | undefined>;
  readonly isOperatorKey: IsOperatorKey;
  readonly showKeys: ShowKeys;
  readonly onError: ReportError;
}

/** Reports a fault of this program, which costs subscribers no more than the message it was in. MUST NOT throw. */
export type ReportError = (error: unknown, place: 'hub.refresh' | 'hub.delivery' | 'hub.sweep') => void;

/**
 * One poll that is watched from this process: its newest snapshot and its subscriptions. Unknown until the first read, then live,
 * stale while the engine is lost, and gone once the engine does not know the poll. No hint is trusted: each one asks for a read.
 */
export class PollChannel implements FollowedTopic<Revision | undefined>, LatestSource {
  readonly #options: PollChannelOptions;
  readonly #groups = new Map<number, RateGroup>();
  readonly #pending: PendingSubscriptions;
  readonly #previews = new Set<Subscription>();
  readonly #meter = new BroadcastMeter();
  readonly #showKey: ShowKey;
  #newest: Snapshot | undefined;
  #stale: Frame | undefined;
  /** At least one subscription presented a key. */
  #needsShowKey = false;
  #turn = 0;
  #acceptedTurn = 0;
  #deadlineTimer: NodeJS.Timeout | undefined;
  #readAgainTimer: NodeJS.Timeout | undefined;

  constructor(options: PollChannelOptions) {
    this.#options = options;
    this.#showKey = new ShowKey(options.showKeys, () => this.reauthorize());
    this.#pending = new PendingSubscriptions({
      ready: options.ready,
      read: pending => {
        // The groups exist before the read begins, so that a change during it reaches them.
        for (const { hz } of pending) this.#group(hz);
        return this.#refresh();
      },
      activate: subscription => {
        this.#group(subscription.hz).add(subscription, this.#current);
        subscription.activate();
      },
    });
    // The hint that opened a window may have come just before the poll was followed.
    void options.ready.then(() => {
      this.#readAgainTimer = setTimeout(() => this.#requestRefresh('check'), READ_AGAIN_MS);
    });
  }

  get id(): PollId {
    return this.#options.id;
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  /** Subscriptions, with pending ones. */
  get size(): number {
    return [...this.#groups.values()].reduce((sum, { size }) => sum + size, this.#pending.size);
  }

  /** Subscriptions but previews. */
  get audience(): number {
    return this.size - this.#previews.size;
  }

  get snapshot(): Snapshot | undefined {
    return this.#newest;
  }

  get stale(): Frame | undefined {
    return this.#stale;
  }

  subscribe(options: SubscriptionOptions, connection: Connection): Subscription {
    const subscription = new Subscription(this.id, this, options, connection);
    if (options.preview) this.#previews.add(subscription);
    this.#needsShowKey ||= options.key !== undefined;
    this.#pending.add(subscription);
    return subscription;
  }

  unsubscribe(subscription: Subscription): void {
    this.#pending.delete(subscription);
    this.#previews.delete(subscription);
    this.#groups.get(subscription.hz)?.remove(subscription);
  }

  reject(subscription: Subscription): void {
    this.unsubscribe(subscription);
    subscription.end(KeyRejected);
  }

  onError(error: unknown): void {
    this.#options.onError(error, 'hub.delivery');
  }

  authorize(key: PresentedKey | undefined): Access | undefined {
    if (!this.#newest) return undefined;
    const keys = { ...this.#newest.reading.keys, showKeyHash: this.#showKey.hash };
    return judgeAccess(key, keys, this.#options.isOperatorKey);
  }

  /** The keys of the poll, its show or the operator have changed. */
  reauthorize(): void {
    for (const group of this.#groups.values())
      for (const subscription of group.reauthorize()) this.reject(subscription);
  }

  /** The engine hinted at a change. */
  wake(): void {
    this.#requestRefresh('change');
  }

  /** Repairs what lost hints left behind. */
  sweep(revision: Revision | undefined): void {
    const held = this.#newest?.reading.results;
    const isCurrent = held && revision?.votes && areSameResults(held, { ...revision, votes: revision.votes });
    if (this.#stale || !isCurrent) this.wake();
    if (revision) this.#armDeadline(revision);
  }

  close(event?: CloseEvent): void {
    clearTimeout(this.#deadlineTimer);
    clearTimeout(this.#readAgainTimer);
    this.#showKey.close();
    const groups = [...this.#groups.values()];
    const all = [...this.#pending.subscriptions, ...groups.flatMap(({ subscriptions }) => subscriptions)];
    this.#pending.clear();
    this.#previews.clear();
    for (const group of groups) group.close();
    if (event) for (const subscription of all) subscription.end(event);
  }

  #requestRefresh(reason: 'change' | 'check'): void {
    for (const group of this.#groups.values()) group.requestRefresh(reason);
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
      // A read that began later may have succeeded first.
      if (turn >= this.#acceptedTurn)
        this.#stale ??= Frame.of({ type: 'stale', id, since: Math.floor(Date.now() / 1000) });
      return;
    }
    // A read that began later may have finished first.
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
    const reading = await this.#options.read(this.id);
    if (reading?.poll.show && this.#needsShowKey) await this.#showKey.load(reading.poll.show);
    return reading;
  }

  /** Another frame wherever anything about the poll has changed. */
  get #current(): Frame | undefined {
    return this.#stale ?? this.#newest?.results;
  }

  #endAll(): void {
    const event = this.#newest ? PollRemoved : PollNotFound;
    this.#newest = undefined;
    this.close(event);
  }

  #accept(reading: Reading, beganMs: number): void {
    const before = this.#newest;
    this.#meter.onRead(reading, before?.reading, beganMs);
    const newest = encodeSnapshot(reading, before);
    const hasChanged = before && (before.results !== newest.results || before.hidden !== newest.hidden);
    // One group or a pending subscription read it; the others may have missed the hint.
    if (hasChanged || this.#stale) for (const group of this.#groups.values()) group.onNewSnapshot();
    this.#stale = undefined;
    this.#newest = newest;
    this.#armDeadline(reading.results);
    if (before && !areSameKeys(before.reading.keys, reading.keys)) this.reauthorize();
  }

  #group(hz: number): RateGroup {
    let group = this.#groups.get(hz);
    if (!group) {
      group = new RateGroup({
        hz,
        refresh: () => this.#refresh(),
        current: () => this.#current,
        latest: () => (this.#stale ? undefined : this.#newest),
        onBroadcast: (durationMs, subscriptions) => this.#meter.onBroadcast(durationMs, subscriptions),
        onError: error => this.onError(error),
      });
      this.#groups.set(hz, group);
    }
    return group;
  }

  #armDeadline({ deadlineMs, readAtMs }: Pick<Revision, 'deadlineMs' | 'readAtMs'>): void {
    clearTimeout(this.#deadlineTimer);
    if (deadlineMs === null || deadlineMs <= readAtMs || deadlineMs - readAtMs > DEADLINE_TIMER_MS) return;
    this.#deadlineTimer = setTimeout(() => this.wake(), deadlineMs - readAtMs + 1);
  }
}
