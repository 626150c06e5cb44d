import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine, LoggedEvent } from '../engine/engine.ts';
import { FairLines } from '../http/fair-turns.ts';
import { oldestEventAge, webhookDeliveries, webhooksByState } from '../metrics/catalogue.ts';
import { DAY_MS, type PollId } from '../poll/poll.ts';
import { parseShow, showTopic } from '../show/show.ts';
import { type EventType, type ProgramEvent, pollOfEntry } from './poll-event.ts';
import { type FollowedPoll, PollProgress } from './poll-progress.ts';
import { type Post, postOnce } from './webhook-url.ts';
import {
  concerns,
  parseProgress,
  parseWebhooks,
  progressRecord,
  removeWebhook,
  signedHeaders,
  WEBHOOKS,
  type Webhook,
  type WebhookProgress,
  type WebhookScope,
} from './webhooks.ts';

/**
 * Webhooks of the operator that are served at once, and as many of others; each holds one batch in
 * memory. A slow one gives its place.
 */
const AT_ONCE = 32;
const SLOW_MS = 2_000;
/** Failing webhooks that are served at once, beside those. */
const FAILING_AT_ONCE = 32;
const BATCH = 32;
/** Requests of one webhook at once, of different polls. */
const REQUESTS = 4;
/** Requests a second of this process, at even intervals, so that ballots never wait for more than one. */
const PER_SECOND = 250;
/**
 * Progress over events that a webhook does not want is stored this often, at random between half
 * and one and a half.
 */
const STORE_MS = 30_000;
/** New events that are read once for all webhooks; after more, each webhook reads the log. */
const FRESH = 500;
/** Requests with the progress of a poll that begin in one turn. Other polls wait, and send what is newest then. */
const PROGRESS_A_TURN = 100;
/** An operator's webhook gets the progress of the newest polls and of those that opened since. */
const NEWEST_POLLS = 500;
const SHOWS_AT_ONCE = 50;
const CHECKED_AT_ONCE = 50;
/** A poll that is gone at two of these checks in a row ends its webhooks without an event. */
const CHECK_MS = 10 * 60_000;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 15 * 60_000;

const delivered = webhookDeliveries.of({ outcome: 'delivered' });
const rejected = webhookDeliveries.of({ outcome: 'rejected' });
const failed = webhookDeliveries.of({ outcome: 'failed' });

export interface WebhookLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

type WebhookPorts = Pick<Engine, 'events' | 'records' | 'polls' | 'hints'>;

export interface WebhookDeliveryOptions {
  readonly engine: WebhookPorts;
  readonly log: WebhookLog;
  readonly allowPrivate: boolean;
  /** UNIX time in milliseconds. */
  readonly clock: () => number;
  readonly post?: ((post: Post) => Promise<number>) | undefined;
}

interface ReadEvent extends LoggedEvent {
  readonly id: string;
  readonly type: EventType;
  /** Its poll or show: the events of one subject are delivered in order. */
  readonly subject: string;
  /** Id of the show, or of the one that owns the poll. */
  readonly showId: string | null;
  readonly isDeletion: boolean;
  readonly isOpen: boolean;
}

interface Batch {
  /** Events that the webhook wants. */
  readonly events: readonly ReadEvent[];
  /** Position up to which these are all that it wants. */
  readonly reached: number;
  /** The last one deletes its poll or show. */
  readonly isEnd: boolean;
}

/** A batch that is being delivered. */
interface Serving {
  readonly ending: AbortController;
  readonly sinceMs: number;
  readonly isFailing: boolean;
  readonly isOperators: boolean;
  readonly done: Promise<void>;
}

/** What this process knows about the progress of a webhook. */
interface Known extends WebhookProgress {
  /** The stored progress, and its position; `position` may be ahead of that, by events that are not wanted. */
  readonly text: string | undefined;
  readonly storedPosition: number;
  readonly storeAtMs: number;
  /** UNIX time in milliseconds of the oldest event that is not delivered. */
  readonly waitingSinceMs?: number | undefined;
}

/**
 * Sends events to webhooks, at least once each. The events of a poll or a show go one after the
 * other; a failed one is repeated before the next. Progress is stored after each batch, so that
 * after a death another process repeats one batch at most. A webhook that is too slow, or wants
 * more than `PER_SECOND` allows, falls behind and reads the log from where it is. The progress of
 * polls is in no log: what is not sent is replaced by what is newer.
 */
export class WebhookDelivery {
  readonly #options: WebhookDeliveryOptions;
  readonly #known = new Map<string, Known>();
  readonly #busy = new Map<string, Serving>();
  /** In the order of their turns. */
  readonly #queue = new Set<string>();
  readonly #progress: PollProgress;
  /** By webhook, the polls whose progress it is to be sent. */
  readonly #unsent = new Map<string, Set<PollId>>();
  /** By webhook, the newest progress of each poll that it has. */
  readonly #sent = new Map<string, Map<PollId, string>>();
  /** Webhooks whose poll or show was gone at the last check. */
  #gone: ReadonlySet<string> = new Set();
  #nextCheckMs = 0;
  #isClosed = false;
  readonly #endMetrics: (() => void)[];
  #webhooks: ReadonlyMap<string, Webhook> = new Map();
  #webhooksText: string | undefined;
  /** Those that want progress. */
  #watching: readonly Webhook[] = [];
  /** Position of the newest event at the last turn; undefined before the first. */
  #newest: number | undefined;
  /** Requests that wait for `PER_SECOND`: the operator's, which go first, and those of each address in turn. */
  readonly #operators: (() => void)[] = [];
  readonly #others = new FairLines<() => void>();
  #isPacing = false;

  constructor(options: WebhookDeliveryOptions) {
    this.#options = options;
    this.#progress = new PollProgress(options.engine);
    this.#endMetrics = [
      webhooksByState.read(() => this.#countStates()),
      oldestEventAge.read(() => [[{}, this.#oldestAgeMs() / 1_000]]),
    ];
  }

  /** Begins what is due. Does not wait for it. Call about once a second while this process holds the lease. */
  async deliver(): Promise<void> {
    const areNew = await this.#readWebhooks();
    if (this.#webhooks.size === 0) return;
    await this.#endGone();
    const before = this.#newest;
    const fresh = await this.#findFresh();
    if (areNew || !fresh) await this.#followProgress();
    for (const event of fresh ?? []) this.#followAsTold(event);
    this.#spreadProgress();
    for (const webhook of this.#webhooks.values()) {
      if (this.#busy.has(webhook.id)) continue;
      if (fresh) this.#passOver(webhook, before!, fresh);
      if (this.#isDue(webhook.id)) this.#queue.add(webhook.id);
    }
    this.#takeTurns();
  }

  /** Forgets everything but requests in progress: another process delivers. */
  yield(): void {
    this.#queue.clear();
    this.#known.clear();
    this.#webhooks = new Map();
    this.#webhooksText = undefined;
    this.#newest = undefined;
    this.#watching = [];
    this.#progress.unfollowAll(() => true);
    this.#unsent.clear();
    this.#sent.clear();
  }

  /** Ends requests in progress; what was not stored is delivered again by another process. */
  async close(): Promise<void> {
    for (const end of this.#endMetrics) end();
    this.#isClosed = true;
    this.#progress.unfollowAll(() => true);
    const servings = [...this.#busy.values()];
    for (const { ending } of servings) ending.abort();
    await Promise.all(servings.map(({ done }) => done));
  }

  /** @returns whether they have changed */
  async #readWebhooks(): Promise<boolean> {
    const text = await this.#options.engine.records.find(WEBHOOKS);
    if (text === this.#webhooksText) return false;
    this.#webhooksText = text;
    this.#webhooks = new Map(parseWebhooks(text).map(webhook => [webhook.id, webhook]));
    this.#watching = [...this.#webhooks.values()].filter(({ events }) => events.includes('poll.progress'));
    for (const known of [this.#known, this.#unsent, this.#sent])
      for (const id of known.keys()) if (!this.#webhooks.has(id)) known.delete(id);
    for (const [id, { ending }] of this.#busy) if (!this.#webhooks.has(id)) ending.abort();
    return true;
  }

  /** @returns the events since the last turn; undefined if there are too many, or after a start or a loss */
  async #findFresh(): Promise<readonly ReadEvent[] | undefined> {
    const { events } = this.#options.engine;
    const before = this.#newest;
    this.#newest = await events.findNewest();
    if (before === this.#newest) return [];
    if (before === undefined || before > this.#newest || this.#newest - before > FRESH) return undefined;
    const fresh = await events.read(before, FRESH);
    this.#newest = fresh.at(-1)?.position ?? this.#newest;
    return fresh.map(readEvent);
  }

  /** A webhook that is up to date, and wants none of these events, has passed them without a read of its own. */
  #passOver(webhook: Webhook, before: number, fresh: readonly ReadEvent[]): void {
    const known = this.#known.get(webhook.id);
    if (fresh.length === 0 || known?.position !== before || known.failingSinceMs !== undefined) return;
    const isWanted = (event: ReadEvent) =>
      concerns(webhook, event) && (webhook.events.includes(event.type) || event.isDeletion);
    if (!fresh.some(isWanted)) this.#known.set(webhook.id, { ...known, position: this.#newest! });
  }

  /** After a start or a change of the webhooks. */
  async #followProgress(): Promise<void> {
    const { events, records } = this.#options.engine;
    const isUnwanted = (poll: FollowedPoll) => !this.#watching.some(webhook => concerns(webhook, poll));
    this.#progress.unfollowAll(isUnwanted);
    const scopes = this.#watching.map(({ scope }) => scope);
    const shows = new Map(
      scopes.flatMap(scope => (scope && 'show' in scope ? [[scope.show.id, scope.show] as const] : [])),
    );
    for (const some of batches([...shows.values()], SHOWS_AT_ONCE)) {
      const texts = await records.findMany(some.map(({ name }) => showTopic(name)));
      for (const [index, text] of texts.entries()) {
        const { id, own } = text === undefined ? { id: '', own: [] } : parseShow(text);
        if (id === some[index]!.id) for (const subject of own) this.#progress.follow({ subject, showId: id });
      }
    }
    for (const scope of scopes)
      if (scope && 'poll' in scope) this.#progress.follow({ subject: scope.poll, showId: null });
    if (!scopes.includes(undefined)) return;
    for (const entry of await events.list(NEWEST_POLLS))
      this.#progress.follow({ subject: pollOfEntry(entry), showId: null });
  }

  #followAsTold(event: ReadEvent): void {
    if (event.isOpen && this.#watching.some(webhook => concerns(webhook, event)))
      this.#progress.follow(event);
    if (event.isOpen) return;
    this.#progress.unfollow(event.subject);
    for (const sent of this.#sent.values()) sent.delete(event.subject);
  }

  #spreadProgress(): void {
    for (let requests = 0; requests < PROGRESS_A_TURN; ) {
      const poll = this.#progress.take();
      if (!poll) return;
      for (const webhook of this.#watching) {
        const { disabledAtMs, failingSinceMs } = this.#known.get(webhook.id) ?? {};
        if (disabledAtMs !== undefined || !concerns(webhook, poll)) continue;
        const unsent = this.#unsent.get(webhook.id) ?? new Set();
        this.#unsent.set(webhook.id, unsent.add(poll.subject));
        if (failingSinceMs === undefined) requests += 1;
      }
    }
  }

  /** Ends webhooks whose poll or show went without an event, or with one that they were too ill to get. */
  async #endGone(): Promise<void> {
    const { engine, clock } = this.#options;
    if (clock() < this.#nextCheckMs) return;
    this.#nextCheckMs = clock() + CHECK_MS;
    const gone = await findGone(engine, [...this.#webhooks.values()]);
    for (const id of gone) {
      const { failingSinceMs, disabledAtMs } = this.#known.get(id) ?? {};
      const isRetrying = failingSinceMs !== undefined && disabledAtMs === undefined;
      if (this.#gone.has(id) && !isRetrying) await removeWebhook(engine.records, id);
    }
    this.#gone = gone;
  }

  #isDue(id: string): boolean {
    const known = this.#known.get(id);
    if (!known) return true;
    const { position, storedPosition, retryAtMs = 0, disabledAtMs, storeAtMs } = known;
    const nowMs = this.#options.clock();
    if (disabledAtMs !== undefined || retryAtMs > nowMs) return false;
    if (this.#unsent.has(id)) return true;
    return position !== this.#newest || (storedPosition !== position && storeAtMs <= nowMs);
  }

  #takeTurns(): void {
    for (const id of this.#queue) {
      if (this.#isClosed) return;
      const isFailing = this.#known.get(id)?.failingSinceMs !== undefined;
      const webhook = this.#webhooks.get(id);
      if (webhook && !this.#hasPlace(isFailing, !webhook.scope)) continue;
      this.#queue.delete(id);
      if (webhook) this.#begin(webhook, isFailing);
    }
  }

  #hasPlace(isFailing: boolean, isOperators: boolean): boolean {
    const limit = isFailing ? FAILING_AT_ONCE : AT_ONCE;
    const promptSinceMs = isFailing ? Number.NEGATIVE_INFINITY : this.#options.clock() - SLOW_MS;
    const ofKind = [...this.#busy.values()].filter(
      one => one.isFailing === isFailing && one.isOperators === isOperators,
    );
    return ofKind.filter(({ sinceMs }) => sinceMs > promptSinceMs).length < limit;
  }

  #begin(webhook: Webhook, isFailing: boolean): void {
    const { id } = webhook;
    const ending = new AbortController();
    // After a turn of the event loop: an embedded engine answers without one.
    const done = nextTurn()
      .then(() => this.#serve(webhook, ending.signal))
      // The engine is lost: the next turn reads again.
      .catch(() => false)
      .then(hasMore => {
        // Before it queues again, so that no other webhook's end begins a second batch of it.
        this.#busy.delete(id);
        if (hasMore && this.#webhooks.has(id)) this.#queue.add(id);
        this.#takeTurns();
      });
    const sinceMs = this.#options.clock();
    this.#busy.set(id, { ending, sinceMs, isFailing, isOperators: !webhook.scope, done });
  }

  /** Delivers one batch. @returns whether there may be more to deliver now */
  async #serve(webhook: Webhook, signal: AbortSignal): Promise<boolean> {
    const { engine, clock, log } = this.#options;
    const { id } = webhook;
    const name = progressRecord(id);
    const text = await engine.records.find(name);
    const before = this.#continue(webhook, text);
    if (before.disabledAtMs !== undefined || (before.retryAtMs ?? 0) > clock()) return false;
    const batch = await this.#nextBatch(webhook, before);
    const { events, reached, isEnd } = batch;
    const isBehind = reached < (this.#newest ?? 0);
    if (events.length > 0) this.#known.set(id, { ...before, waitingSinceMs: events[0]!.atMs });
    const next = await this.#deliverBatch(webhook, before, batch, signal);
    const isFailing = next.failingSinceMs !== undefined;
    if (signal.aborted && isFailing) return false;
    if (isEnd && !isFailing) {
      await removeWebhook(engine.records, id);
      return false;
    }
    // Progress alone is not worth a write.
    const isWorthWrite = events.length > 0 || isFailing || before.failingSinceMs !== undefined;
    if (!isWorthWrite && before.storeAtMs > clock()) {
      const waitingSinceMs = isBehind ? before.waitingSinceMs : undefined;
      this.#known.set(id, { ...before, position: reached, waitingSinceMs });
      return isBehind;
    }
    const written = JSON.stringify(next);
    const isWritten =
      text === undefined
        ? (await engine.records.putIfAbsent(name, written)) === written
        : await engine.records.replace(name, text, written);
    // Another process delivers too, or the webhook was deleted.
    if (!isWritten) {
      this.#known.delete(id);
      return false;
    }
    const oldest =
      events.find(({ position }) => position > next.position) ?? (isBehind ? events.at(-1) : undefined);
    this.#known.set(id, {
      ...next,
      text: written,
      storedPosition: next.position,
      storeAtMs: this.#nextStoreMs(),
      waitingSinceMs: oldest?.atMs,
    });
    if (next.disabledAtMs !== undefined)
      log.warn({ webhook: id, host: new URL(webhook.url).host }, 'webhook disabled');
    return !isFailing && isBehind;
  }

  /** From the stored progress, or from where this process has come since it was stored. */
  #continue(webhook: Webhook, text: string | undefined): Known {
    const known = this.#known.get(webhook.id);
    if (known && known.text === text) return known;
    const stored = parseProgress(webhook, text);
    const read = { ...stored, text, storedPosition: stored.position, storeAtMs: this.#nextStoreMs() };
    this.#known.set(webhook.id, read);
    return read;
  }

  async #nextBatch(webhook: Webhook, { position, attempts }: Known): Promise<Batch> {
    const { id, events: types, scope } = webhook;
    const { events: log } = this.#options.engine;
    let found = await log.read(position, BATCH);
    const missed = (found[0]?.position ?? 0) - position - 1;
    if (missed > 0 && attempts === undefined)
      this.#options.log.warn({ webhook: id, missed }, 'webhook missed events');
    // If the engine lost events, positions begin again: it continues with what there is.
    const hasRestarted = found.length === 0 && (await log.findNewest()) < position;
    if (hasRestarted) found = await log.read(0, BATCH);
    const reached = found.at(-1)?.position ?? (hasRestarted ? 0 : position);
    const own = found.map(readEvent).filter(event => concerns(webhook, event));
    // A show's webhook goes on after one of its polls.
    const end = own.findIndex(event => event.isDeletion && isEndOf(scope, event));
    const events = end < 0 ? own : own.slice(0, end + 1);
    return { events: events.filter(({ type }) => types.includes(type)), reached, isEnd: end >= 0 };
  }

  async #deliverBatch(
    webhook: Webhook,
    before: WebhookProgress,
    { events, reached, isEnd }: Batch,
    signal: AbortSignal,
  ): Promise<WebhookProgress> {
    const done = new Set(before.done);
    const queues = new Map<string, ReadEvent[]>();
    for (const event of events)
      if (!done.has(event.position)) queues.set(event.subject, [...(queues.get(event.subject) ?? []), event]);
    const waiting = [...queues.values()].map(withoutOutdated);
    const faults: string[] = [];
    const work = async () => {
      for (let queue = waiting.shift(); queue; queue = waiting.shift())
        for (const event of queue) {
          if (faults.length > 0) return;
          const fault = await this.#post(webhook, event, signal);
          if (fault !== undefined) return void faults.push(fault);
          done.add(event.position);
        }
    };
    await Promise.all(Array.from({ length: REQUESTS }, work));
    const [fault] = faults;
    if (fault !== undefined) {
      const first = events.find(({ position }) => !done.has(position))!;
      const position = first.position - 1;
      const rest = { position, done: [...done].filter(later => later > first.position) };
      return this.#afterFault(before, fault, rest, position !== before.position);
    }
    // Progress comes after what the log has told by now.
    const isBehind = reached < (this.#newest ?? 0);
    const sent = isBehind || isEnd ? { count: 0 } : await this.#postProgress(webhook, signal);
    const hasDelivered = events.length + sent.count > 0;
    if (sent.fault !== undefined)
      return this.#afterFault(before, sent.fault, { position: reached }, hasDelivered);
    if (hasDelivered || before.failingSinceMs === undefined) return { position: reached };
    // It failed with progress, and nothing has shown since that it is well.
    const { failingSinceMs, attempts } = before;
    return { position: reached, failingSinceMs, attempts };
  }

  /** Sends the newest progress of each poll that has some. */
  async #postProgress(
    webhook: Webhook,
    signal: AbortSignal,
  ): Promise<{ readonly count: number; readonly fault?: string | undefined }> {
    const unsent = this.#unsent.get(webhook.id) ?? new Set<PollId>();
    this.#unsent.delete(webhook.id);
    const sent = this.#sent.get(webhook.id) ?? new Map<PollId, string>();
    this.#sent.set(webhook.id, sent);
    let count = 0;
    for (const poll of unsent) {
      const event = await this.#progress.find(poll);
      if (event && sent.get(poll) !== event.id) {
        const fault = await this.#post(webhook, { id: event.id, text: JSON.stringify(event) }, signal);
        if (fault !== undefined) {
          this.#unsent.set(webhook.id, new Set([...unsent, ...(this.#unsent.get(webhook.id) ?? [])]));
          return { count, fault };
        }
        sent.set(poll, event.id);
        count += 1;
      }
      unsent.delete(poll);
    }
    return { count };
  }

  /** @param hasMoved something was delivered before the fault */
  #afterFault(
    before: WebhookProgress,
    fault: string,
    reached: WebhookProgress,
    hasMoved: boolean,
  ): WebhookProgress {
    const nowMs = this.#options.clock();
    const failingSinceMs = (hasMoved ? undefined : before.failingSinceMs) ?? nowMs;
    const attempts = (hasMoved ? 0 : (before.attempts ?? 0)) + 1;
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS);
    // 410 Gone is how a receiver unsubscribes.
    const isOver = nowMs - failingSinceMs >= DAY_MS || fault === '410';
    return {
      ...reached,
      failingSinceMs,
      attempts,
      // Random, so that receivers behind one address are not asked at once.
      retryAtMs: nowMs + Math.round(waitMs * (0.75 + Math.random() * 0.25)),
      ...(isOver && { disabledAtMs: nowMs }),
    };
  }

  /** @returns undefined once the receiver has accepted it, otherwise the reason */
  async #post(
    webhook: Webhook,
    { id, text: body }: Pick<ReadEvent, 'id' | 'text'>,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { allowPrivate, clock, post = postOnce } = this.#options;
    await this.#waitForTurn(webhook);
    if (signal.aborted) return 'aborted';
    const { url, secret } = webhook;
    const headers = signedHeaders(secret, id, body, clock());
    try {
      const status = await post({ url, headers, body, allowPrivate, signal });
      const isAccepted = status >= 200 && status < 300;
      (isAccepted ? delivered : rejected).value += 1;
      return isAccepted ? undefined : `${status}`;
    } catch (error) {
      failed.value += 1;
      return (error as Error).message;
    }
  }

  #waitForTurn({ scope, creator = '' }: Webhook): Promise<void> {
    return new Promise(begin => {
      if (scope) this.#others.add(creator, begin);
      else this.#operators.push(begin);
      if (!this.#isPacing) this.#beginNext();
    });
  }

  #beginNext(): void {
    const begin = this.#operators.shift() ?? this.#others.take();
    this.#isPacing = begin !== undefined;
    if (!begin) return;
    begin();
    // At a stop all of them begin, and find that they are aborted.
    if (this.#isClosed) this.#beginNext();
    else setTimeout(() => this.#beginNext(), 1_000 / PER_SECOND);
  }

  #nextStoreMs(): number {
    return this.#options.clock() + STORE_MS * (0.5 + Math.random());
  }

  #countStates() {
    const counts = { active: 0, failing: 0, disabled: 0 };
    for (const { failingSinceMs, disabledAtMs } of this.#ofOperator())
      counts[disabledAtMs !== undefined ? 'disabled' : failingSinceMs !== undefined ? 'failing' : 'active'] +=
        1;
    return Object.entries(counts).map(([state, count]) => [{ state }, count] as const);
  }

  /** The receivers of others are not what an operator can repair. */
  #ofOperator(): readonly Known[] {
    return [...this.#known].flatMap(([id, known]) => (this.#webhooks.get(id)?.scope ? [] : [known]));
  }

  #oldestAgeMs(): number {
    const waiting = this.#ofOperator().flatMap(({ waitingSinceMs, disabledAtMs }) =>
      disabledAtMs === undefined && waitingSinceMs !== undefined ? waitingSinceMs : [],
    );
    return waiting.length === 0 ? 0 : Math.max(0, this.#options.clock() - Math.min(...waiting));
  }
}

function readEvent(logged: LoggedEvent): ReadEvent {
  const { id, type, data } = JSON.parse(logged.text) as ProgramEvent;
  return {
    ...logged,
    id,
    type,
    subject: 'id' in data ? data.id : showTopic(data.name),
    // Events of an earlier version have none.
    showId: data.show_id ?? null,
    isDeletion: !('title' in data),
    isOpen: 'status' in data && data.status === 'open',
  };
}

/** Keeps the newest of changes of a poll with nothing between them. */
function withoutOutdated(events: readonly ReadEvent[]): readonly ReadEvent[] {
  return events.filter(({ type }, index) => type !== 'poll.updated' || events[index + 1]?.type !== type);
}

function isEndOf(scope: WebhookScope | undefined, { subject }: ReadEvent): boolean {
  if (!scope) return false;
  return subject === ('poll' in scope ? scope.poll : showTopic(scope.show.name));
}

/** @returns the ids of webhooks whose poll or show is gone */
async function findGone(
  { polls, records }: WebhookPorts,
  webhooks: readonly Webhook[],
): Promise<Set<string>> {
  const isGone = async ({ scope }: Webhook) => {
    if (!scope) return false;
    if ('poll' in scope) return (await polls.findRevisions([scope.poll]))[0] === undefined;
    const text = await records.find(showTopic(scope.show.name));
    return text === undefined || parseShow(text).id !== scope.show.id;
  };
  const gone = new Set<string>();
  for (const some of batches(webhooks, CHECKED_AT_ONCE)) {
    const areGone = await Promise.all(some.map(isGone));
    for (const [index, { id }] of some.entries()) if (areGone[index]) gone.add(id);
  }
  return gone;
}

function batches<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
