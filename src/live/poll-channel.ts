import { HINT_WINDOW_MS, type Revision } from '../engine/engine.ts';
import type { FollowedTopic } from '../engine/followed-topics.ts';
import { ballotToSendSeconds, broadcastSeconds } from '../metrics/catalogue.ts';
import { areSameResults, type PollId, type PollOwner, type Reading } from '../poll/poll.ts';
import { isEngineUnavailable } from '../poll/poll-error.ts';
import {
  type Access,
  areSameKeys,
  authorizeRead,
  type IsOperatorKey,
  type PresentedKey,
} from '../poll/poll-key.ts';
import { type CloseEvent, KeyRejected, PollNotFound, PollRemoved } from '../protocol/close-event.ts';
import type { Connection } from './connection.ts';
import { encodeSnapshot, Frame, type Snapshot } from './frame.ts';
import { RateGroup } from './rate-group.ts';
import {
  type LatestSource,
  PendingSubscriptions,
  Subscription,
  type SubscriptionOptions,
} from './subscription.ts';

/** A nearer deadline gets a timer; later ones are covered by the sweep. */
const DEADLINE_TIMER_MS = 5_000;
/** A hint may be a window late, and this process may have joined in the middle of one. */
const READ_AGAIN_MS = 2 * HINT_WINDOW_MS;

export interface PollChannelOptions {
  readonly id: PollId;
  /** Resolves once hints arrive, so that a read from then on misses no change. */
  readonly ready: Promise<void>;
  readonly read: (id: PollId) => Promise<Reading | undefined>;
  /** Asked only while the poll is not there. */
  readonly isDeleted: () => Promise<boolean>;
  readonly isOperatorKey: IsOperatorKey;
  readonly showKeys: ShowKeys;
  readonly onError: ReportError;
}

/** Reports an internal error. MUST NOT throw. */
export type ReportError = (error: unknown, place: 'hub.refresh' | 'hub.delivery' | 'hub.sweep') => void;

/**
 * One poll that has subscribers in this process: its newest snapshot and its subscriptions. It is live after the first read, stale
 * while the engine is unavailable or has lost the poll, and closes when the poll is deleted. A hint only triggers a read.
 */
export class PollChannel implements FollowedTopic<Revision | undefined>, LatestSource {
  readonly #options: PollChannelOptions;
  readonly #groups = new Map<number, RateGroup>();
  readonly #pending: PendingSubscriptions;
  readonly #previews = new Set<Subscription>();
  readonly #pages = new Set<Subscription>();
  readonly #meter = new BroadcastMeter();
  readonly #showKey: ShowKey;
  #newest: Snapshot | undefined;
  #stale: Frame | undefined;
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
        // Created before the read begins, so that a change during the read reaches them.
        for (const { hz } of pending) this.#group(hz);
        return this.#refresh();
      },
      activate: subscription => {
        this.#group(subscription.hz).add(subscription, this.#current);
        subscription.activate();
      },
    });
    // The hint that opened a window may have arrived just before the poll was followed.
    void options.ready.then(() => {
      this.#readAgainTimer = setTimeout(() => this.requestRefresh('check'), READ_AGAIN_MS);
    });
  }

  get id(): PollId {
    return this.#options.id;
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  get size(): number {
    return [...this.#groups.values()].reduce((sum, { size }) => sum + size, this.#pending.size);
  }

  /** Number of subscriptions that are neither previews nor voters' pages. */
  get screens(): number {
    return this.size - this.#previews.size - this.#pages.size;
  }

  /** Number of voters' pages. */
  get pages(): number {
    return this.#pages.size;
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
    else if (options.page) this.#pages.add(subscription);
    this.#needsShowKey ||= options.key !== undefined;
    this.#pending.add(subscription);
    return subscription;
  }

  unsubscribe(subscription: Subscription): void {
    this.#pending.delete(subscription);
    this.#previews.delete(subscription);
    this.#pages.delete(subscription);
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
    return authorizeRead(key, keys, this.#options.isOperatorKey);
  }

  reauthorize(): void {
    for (const group of this.#groups.values())
      for (const subscription of group.reauthorize()) this.reject(subscription);
  }

  /** Reads the poll and sends what has changed. @param reason `change` after a hint */
  requestRefresh(reason: 'change' | 'check' = 'change'): void {
    for (const group of this.#groups.values()) group.requestRefresh(reason);
  }

  /** Compares with the revision in the engine, in case a hint was lost. */
  sweep(revision: Revision | undefined): void {
    const held = this.#newest?.reading.results;
    const isCurrent = held && revision?.votes && areSameResults(held, { ...revision, votes: revision.votes });
    if (this.#stale || !isCurrent) this.requestRefresh();
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
    this.#pages.clear();
    for (const group of groups) group.close();
    if (event) for (const subscription of all) subscription.end(event);
  }

  async #refresh(): Promise<void> {
    const { id, onError } = this.#options;
    this.#turn += 1;
    const turn = this.#turn;
    const beganMs = performance.now();
    const setStale = () => {
      // A read that began later may have succeeded first.
      if (turn >= this.#acceptedTurn)
        this.#stale ??= Frame.of({ type: 'stale', id, since: Math.floor(Date.now() / 1000) });
    };
    let reading: Reading | undefined;
    let deleted = false;
    try {
      reading = await this.#read();
      deleted = !reading && (await this.#options.isDeleted());
    } catch (error) {
      if (!isEngineUnavailable(error)) onError(error, 'hub.refresh');
      setStale();
      return;
    }
    // The engine has lost it, and may get it back: only a stored deletion ends it.
    if (!reading && !deleted && this.#newest) return setStale();
    // A read that began later may have finished first.
    if (turn < this.#acceptedTurn) return;
    this.#acceptedTurn = turn;
    try {
      if (!reading) this.#endAll(deleted ? PollRemoved : PollNotFound);
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

  get #current(): Frame | undefined {
    return this.#stale ?? this.#newest?.results;
  }

  #endAll(event: CloseEvent): void {
    this.#newest = undefined;
    this.close(event);
  }

  #accept(reading: Reading, beganMs: number): void {
    const before = this.#newest;
    this.#meter.onRead(reading, before?.reading, beganMs);
    const newest = encodeSnapshot(reading, before);
    const hasChanged = before && (before.results !== newest.results || before.hidden !== newest.hidden);
    // The other groups may have missed the hint.
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
    this.#deadlineTimer = setTimeout(() => this.requestRefresh(), deadlineMs - readAtMs + 1);
  }
}

/** The keys of shows. SHA-256, hex; undefined if the show was deleted, even if its name has been taken again. */
export interface ShowKeys {
  findKey(owner: PollOwner): Promise<string | undefined>;
  /** Calls the listener now and on each change. @returns stops it */
  followKey(owner: PollOwner, listener: (keyHash: string | undefined) => void): () => void;
}

class ShowKey {
  readonly #keys: ShowKeys;
  readonly #onChange: () => void;
  #hash: string | undefined;
  #isKnown = false;
  #unfollow: (() => void) | undefined;

  constructor(keys: ShowKeys, onChange: () => void) {
    this.#keys = keys;
    this.#onChange = onChange;
  }

  get hash(): string | undefined {
    return this.#hash;
  }

  async load(owner: PollOwner): Promise<void> {
    this.#unfollow ??= this.#keys.followKey(owner, hash => this.#set(hash));
    if (this.#isKnown) return;
    const hash = await this.#keys.findKey(owner);
    if (!this.#isKnown) this.#set(hash);
  }

  close(): void {
    this.#unfollow?.();
  }

  #set(hash: string | undefined): void {
    const hasChanged = this.#isKnown && hash !== this.#hash;
    this.#isKnown = true;
    this.#hash = hash;
    if (hasChanged) this.#onChange();
  }
}

/** Measures once for each broadcast how long ballots take to reach the sockets of subscribers. */
class BroadcastMeter {
  /** Time of the oldest ballot that has not been broadcast yet, in monotonic milliseconds. */
  #castAtMs: number | undefined;

  /** @param beganMs start of the read in monotonic milliseconds */
  onRead({ hintedAtMs, results }: Reading, before: Reading | undefined, beganMs: number): void {
    if (!before || hintedAtMs <= before.hintedAtMs) return;
    // A difference of two engine times, because the clocks may disagree.
    this.#castAtMs ??= beganMs - (results.readAtMs - hintedAtMs);
  }

  onBroadcast(durationMs: number, subscriptions: number): void {
    if (subscriptions > 0) {
      broadcastSeconds.observe(durationMs);
      if (this.#castAtMs !== undefined) ballotToSendSeconds.observe(performance.now() - this.#castAtMs);
    }
    this.#castAtMs = undefined;
  }
}
