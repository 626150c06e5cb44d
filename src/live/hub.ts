import { type Audience, pagesOf, screensOf } from '../engine/audience.ts';
import { HINT_WINDOW_MS, type Revision } from '../engine/engine.ts';
import { type FollowedTopic, FollowedTopics } from '../engine/followed-topics.ts';
import { notFound, wasDeleted } from '../engine/not-found.ts';
import { cacheReads, coalesceReads, type Read } from '../engine/shared-read.ts';
import type { PollSource } from '../engine/with-rehearsal.ts';
import { ballotToSendSeconds, broadcastSeconds, subscribers, watchedPolls } from '../metrics/catalogue.ts';
import { areSameResults, type PollId, type Reading } from '../poll/poll.ts';
import { isEngineUnavailable, type PollError } from '../poll/poll-error.ts';
import {
  type Access,
  areSameKeys,
  authorizeRead,
  type IsOperatorKey,
  type PresentedKey,
} from '../poll/poll-key.ts';
import { type CloseEvent, KeyRejected, PollNotFound, PollRemoved } from '../protocol/close-event.ts';
import { OwnerKeys, type ShowBoard } from '../show/show-board.ts';
import type { Connection } from './connection.ts';
import { encodeSnapshot, Frame, type Snapshot } from './frame.ts';
import { RateGroup } from './rate-group.ts';
import {
  type LatestSource,
  PendingSubscriptions,
  READ_INTERVAL_MS,
  Subscription,
  type SubscriptionOptions,
} from './subscription.ts';

const RECENT_MS = 1_000;

export interface HubOptions {
  readonly engine: PollSource;
  readonly isOperatorKey: IsOperatorKey;
  /** Left out: no poll belongs to a show. */
  readonly shows?: ShowBoard | undefined;
  readonly onError?: ReportError | undefined;
}

/** The polls that have subscribers in this process. */
export class Hub {
  /** Reads a poll. Calls in the same turn of the event loop share a read. */
  readonly read: Read;
  /** Reads a poll at most once a second. */
  readonly readRecent: Read;
  /** As fresh as `read`, at most once in 20 ms and poll: for event streams that open together. */
  readonly readForStream: Read;
  readonly #options: HubOptions;
  readonly #onError: ReportError;
  readonly #channels: FollowedTopics<PollChannel, Revision | undefined>;
  readonly #screens = new Map<string, number>();
  readonly #endGauges: readonly (() => void)[];

  constructor(options: HubOptions) {
    const { hints, polls } = options.engine;
    this.#options = options;
    this.#onError = options.onError ?? (() => {});
    const find = (id: PollId) => polls.find(id);
    this.read = coalesceReads(find);
    this.readRecent = cacheReads(this.read, RECENT_MS);
    this.readForStream = coalesceReads(find, READ_INTERVAL_MS);
    this.#channels = new FollowedTopics({
      hints,
      findMarks: ids => polls.findRevisions(ids),
      onError: error => isEngineUnavailable(error) || this.#onError(error, 'hub.sweep'),
    });
    this.#endGauges = [
      watchedPolls.read(() => [[{}, this.#channels.topics.filter(({ isEmpty }) => !isEmpty).length]]),
      subscribers.read(() => [[{}, this.#channels.topics.reduce((sum, { size }) => sum + size, 0)]]),
    ];
  }

  /** Sends the first message soon. Call `leave()` on the result when the connection is closed. */
  subscribe(id: PollId, options: SubscriptionOptions, connection: Connection): Subscription {
    return this.#channel(id).subscribe(options, connection);
  }

  /** Counts a screen that follows a show. @param id the poll that it watches for the show; null for none */
  countScreen(show: string, id: PollId | null, change: 1 | -1): void {
    const name = screensOf(show, id);
    const count = (this.#screens.get(name) ?? 0) + change;
    if (count > 0) this.#screens.set(name, count);
    else this.#screens.delete(name);
  }

  notFound(id: PollId): Promise<PollError> {
    return notFound(this.#options.engine, 'poll_not_found', id);
  }

  get audience(): Audience {
    const counts = this.#channels.topics.flatMap(({ id, screens, pages }): [string, number][] => [
      [id, screens],
      [pagesOf(id), pages],
    ]);
    return new Map([...counts.filter(([, count]) => count > 0), ...this.#screens]);
  }

  reauthorize(): void {
    for (const channel of this.#channels.topics) channel.reauthorize();
  }

  close(): void {
    for (const end of this.#endGauges) end();
    this.#channels.close();
  }

  #channel(id: PollId): PollChannel {
    const { isOperatorKey, shows } = this.#options;
    const { read } = this;
    const onError = this.#onError;
    const isDeleted = () => wasDeleted(this.#options.engine, id);
    return this.#channels.follow(
      id,
      ready => new PollChannel({ id, ready, read, isDeleted, isOperatorKey, shows, onError }),
    );
  }
}

/** A nearer deadline gets a timer; later ones are covered by the sweep. */
const DEADLINE_TIMER_MS = 5_000;
/** A hint may be a window late, and this process may have joined in the middle of one. */
const READ_AGAIN_MS = 2 * HINT_WINDOW_MS;

export interface PollChannelOptions extends Pick<HubOptions, 'isOperatorKey' | 'shows'> {
  readonly id: PollId;
  /** Resolves once hints arrive, so that a read from then on misses no change. */
  readonly ready: Promise<void>;
  readonly read: Read;
  /** Asked only while the poll is not there. */
  readonly isDeleted: () => Promise<boolean>;
  readonly onError: ReportError;
}

/** Reports an internal error. MUST NOT throw. */
export type ReportError = (error: unknown, place: 'hub.refresh' | 'hub.delivery' | 'hub.sweep') => void;

/**
 * One poll that has subscribers in this process: its newest snapshot and its subscriptions. It is
 * live after the first read, stale while the engine is unavailable or has lost the poll, and closes
 * when the poll is deleted. A hint only triggers a read.
 */
export class PollChannel implements FollowedTopic<Revision | undefined>, LatestSource {
  readonly #options: PollChannelOptions;
  readonly #groups = new Map<number, RateGroup>();
  readonly #pending: PendingSubscriptions;
  readonly #previews = new Set<Subscription>();
  readonly #pages = new Set<Subscription>();
  readonly #meter = new BroadcastMeter();
  #newest: Snapshot | undefined;
  #stale: Frame | undefined;
  #ownerKeys: OwnerKeys | undefined;
  #needsOwner = false;
  #turn = 0;
  #acceptedTurn = 0;
  #deadlineTimer: NodeJS.Timeout | undefined;
  #readAgainTimer: NodeJS.Timeout | undefined;

  constructor(options: PollChannelOptions) {
    this.#options = options;
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
    this.#needsOwner ||= options.key !== undefined;
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
    const keys = { ...this.#newest.reading.keys, showKeys: this.#ownerKeys?.newest };
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
    this.#ownerKeys?.close();
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
    const { read, shows } = this.#options;
    const reading = await read(this.id);
    const owner = reading?.poll.show;
    if (!shows || !owner || !this.#needsOwner) return reading;
    this.#ownerKeys ??= new OwnerKeys(shows, owner, () => this.reauthorize());
    await this.#ownerKeys.load();
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
