import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Engine, LoggedEvent } from '../engine/engine.ts';
import { oldestEventAge, webhookDeliveries, webhooksByState } from '../metrics/catalogue.ts';
import type { EventType, ProgramEvent } from './poll-event.ts';
import { type Post, postOnce } from './webhook-url.ts';
import {
  parseProgress,
  parseWebhooks,
  progressRecord,
  signedHeaders,
  WEBHOOKS,
  type Webhook,
  type WebhookProgress,
} from './webhooks.ts';

/** Webhooks that are served at once; each holds one batch in memory. A slow one gives its place to another. */
const AT_ONCE = 32;
const SLOW_MS = 2_000;
/** Failing webhooks that are served at once, beside the others. */
const FAILING_AT_ONCE = 32;
const BATCH = 32;
/** Requests of one webhook at once, of different polls. */
const REQUESTS = 4;
/** Requests a second of this process, at even intervals, so that ballots never wait for more than one. */
const PER_SECOND = 250;
/** Progress over events that a webhook does not want is stored this often, at random between half and one and a half. */
const STORE_MS = 30_000;
const DAY_MS = 86_400_000;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 15 * 60_000;

const delivered = webhookDeliveries.of({ outcome: 'delivered' });
const rejected = webhookDeliveries.of({ outcome: 'rejected' });
const failed = webhookDeliveries.of({ outcome: 'failed' });

export interface WebhookLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface WebhookDeliveryOptions {
  readonly engine: Pick<Engine, 'events' | 'records'>;
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
}

interface Batch {
  /** Events that the webhook wants. */
  readonly events: readonly ReadEvent[];
  /** Position up to which these are all that it wants. */
  readonly reached: number;
}

/** A batch that is being delivered. */
interface Serving {
  readonly ending: AbortController;
  readonly sinceMs: number;
  readonly isFailing: boolean;
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
 * Sends events to webhooks, at least once each. The events of a poll or a show go one after the other; a failed one is repeated
 * before the next. Progress is stored after each batch, so that after a death another process repeats one batch at most.
 * A webhook that is too slow, or wants more than `PER_SECOND` allows, falls behind and reads the log from where it is.
 */
export class WebhookDelivery {
  readonly #options: WebhookDeliveryOptions;
  readonly #known = new Map<string, Known>();
  readonly #busy = new Map<string, Serving>();
  /** In the order of their turns. */
  readonly #queue = new Set<string>();
  #isClosed = false;
  readonly #endMetrics: (() => void)[];
  #webhooks: ReadonlyMap<string, Webhook> = new Map();
  #webhooksText: string | undefined;
  /** Position of the newest event at the last turn. */
  #newest = 0;
  #nextRequestMs = 0;

  constructor(options: WebhookDeliveryOptions) {
    this.#options = options;
    this.#endMetrics = [
      webhooksByState.read(() => this.#countStates()),
      oldestEventAge.read(() => [[{}, this.#oldestAgeMs() / 1_000]]),
    ];
  }

  /** Begins what is due. Does not wait for it. Call about once a second while this process holds the lease. */
  async deliver(): Promise<void> {
    await this.#readWebhooks();
    if (this.#webhooks.size === 0) return;
    this.#newest = await this.#options.engine.events.findNewest();
    for (const id of this.#webhooks.keys()) if (!this.#busy.has(id) && this.#isDue(id)) this.#queue.add(id);
    this.#takeTurns();
  }

  /** Forgets everything but requests in progress: another process delivers. */
  yield(): void {
    this.#queue.clear();
    this.#known.clear();
    this.#webhooks = new Map();
    this.#webhooksText = undefined;
  }

  /** Ends requests in progress; what was not stored is delivered again by another process. */
  async close(): Promise<void> {
    for (const end of this.#endMetrics) end();
    this.#isClosed = true;
    const servings = [...this.#busy.values()];
    for (const { ending } of servings) ending.abort();
    await Promise.all(servings.map(({ done }) => done));
  }

  async #readWebhooks(): Promise<void> {
    const text = await this.#options.engine.records.find(WEBHOOKS);
    if (text === this.#webhooksText) return;
    this.#webhooksText = text;
    this.#webhooks = new Map(parseWebhooks(text).map(webhook => [webhook.id, webhook]));
    for (const id of this.#known.keys()) if (!this.#webhooks.has(id)) this.#known.delete(id);
    for (const [id, { ending }] of this.#busy) if (!this.#webhooks.has(id)) ending.abort();
  }

  #isDue(id: string): boolean {
    const known = this.#known.get(id);
    if (!known) return true;
    const { position, storedPosition, retryAtMs = 0, disabledAtMs, storeAtMs } = known;
    const nowMs = this.#options.clock();
    if (disabledAtMs !== undefined || retryAtMs > nowMs) return false;
    return position !== this.#newest || (storedPosition !== position && storeAtMs <= nowMs);
  }

  #takeTurns(): void {
    for (const id of this.#queue) {
      if (this.#isClosed) return;
      const isFailing = this.#known.get(id)?.failingSinceMs !== undefined;
      if (!this.#hasPlace(isFailing)) continue;
      this.#queue.delete(id);
      const webhook = this.#webhooks.get(id);
      if (webhook) this.#begin(webhook, isFailing);
    }
  }

  #hasPlace(isFailing: boolean): boolean {
    const limit = isFailing ? FAILING_AT_ONCE : AT_ONCE;
    const promptSinceMs = isFailing ? Number.NEGATIVE_INFINITY : this.#options.clock() - SLOW_MS;
    let taken = 0;
    for (const serving of this.#busy.values())
      if (serving.isFailing === isFailing && serving.sinceMs > promptSinceMs) taken += 1;
    return taken < limit;
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
    this.#busy.set(id, { ending, sinceMs: this.#options.clock(), isFailing, done });
  }

  /** Delivers one batch. @returns whether there may be more to deliver now */
  async #serve(webhook: Webhook, signal: AbortSignal): Promise<boolean> {
    const { engine, clock, log } = this.#options;
    const { id } = webhook;
    const name = progressRecord(id);
    const text = await engine.records.find(name);
    const before = this.#continue(webhook, text);
    if (before.disabledAtMs !== undefined || (before.retryAtMs ?? 0) > clock()) return false;
    const { events, reached } = await this.#nextBatch(webhook, before);
    const isBehind = reached < this.#newest;
    if (events.length === 0 && before.failingSinceMs === undefined && before.storeAtMs > clock()) {
      const waitingSinceMs = isBehind ? before.waitingSinceMs : undefined;
      this.#known.set(id, { ...before, position: reached, waitingSinceMs });
      return isBehind;
    }
    if (events.length > 0) this.#known.set(id, { ...before, waitingSinceMs: events[0]!.atMs });
    const next = await this.#deliverBatch(webhook, before, { events, reached }, signal);
    const isFailing = next.failingSinceMs !== undefined;
    if (signal.aborted && isFailing) return false;
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

  async #nextBatch({ id, events: types }: Webhook, { position, attempts }: Known): Promise<Batch> {
    const { events: log } = this.#options.engine;
    let found = await log.read(position, BATCH);
    const missed = (found[0]?.position ?? 0) - position - 1;
    if (missed > 0 && attempts === undefined)
      this.#options.log.warn({ webhook: id, missed }, 'webhook missed events');
    // If the engine lost events, positions begin again: it continues with what there is.
    const hasRestarted = found.length === 0 && (await log.findNewest()) < position;
    if (hasRestarted) found = await log.read(0, BATCH);
    const reached = found.at(-1)?.position ?? (hasRestarted ? 0 : position);
    return { events: found.map(readEvent).filter(({ type }) => types.includes(type)), reached };
  }

  async #deliverBatch(
    webhook: Webhook,
    before: WebhookProgress,
    { events, reached }: Batch,
    signal: AbortSignal,
  ): Promise<WebhookProgress> {
    const done = new Set(before.done);
    const queues = new Map<string, ReadEvent[]>();
    for (const event of events)
      if (!done.has(event.position)) queues.set(event.subject, [...(queues.get(event.subject) ?? []), event]);
    const waiting = [...queues.values()];
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
    if (fault === undefined) return { position: reached };
    const first = events.find(({ position }) => !done.has(position))!;
    return this.#afterFault(before, fault, {
      position: first.position - 1,
      done: [...done].filter(position => position > first.position),
    });
  }

  #afterFault(before: WebhookProgress, fault: string, reached: WebhookProgress): WebhookProgress {
    const nowMs = this.#options.clock();
    const hasMoved = reached.position !== before.position;
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
    { url, secret }: Webhook,
    { id, text: body }: ReadEvent,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { allowPrivate, clock, post = postOnce } = this.#options;
    await this.#waitForTurn();
    if (signal.aborted) return 'aborted';
    const headers = signedHeaders(secret, { id, body, nowMs: clock() });
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

  async #waitForTurn(): Promise<void> {
    const nowMs = performance.now();
    const turnMs = Math.max(nowMs, this.#nextRequestMs);
    this.#nextRequestMs = turnMs + 1_000 / PER_SECOND;
    if (turnMs > nowMs) await pause(turnMs - nowMs);
  }

  #nextStoreMs(): number {
    return this.#options.clock() + STORE_MS * (0.5 + Math.random());
  }

  #countStates() {
    const counts = { active: 0, failing: 0, disabled: 0 };
    for (const { failingSinceMs, disabledAtMs } of this.#known.values())
      counts[disabledAtMs !== undefined ? 'disabled' : failingSinceMs !== undefined ? 'failing' : 'active'] +=
        1;
    return Object.entries(counts).map(([state, count]) => [{ state }, count] as const);
  }

  #oldestAgeMs(): number {
    const waiting = [...this.#known.values()].flatMap(({ waitingSinceMs, disabledAtMs }) =>
      disabledAtMs === undefined && waitingSinceMs !== undefined ? waitingSinceMs : [],
    );
    return waiting.length === 0 ? 0 : Math.max(0, this.#options.clock() - Math.min(...waiting));
  }
}

function readEvent(logged: LoggedEvent): ReadEvent {
  const { id, type, data } = JSON.parse(logged.text) as ProgramEvent;
  return { ...logged, id, type, subject: 'id' in data ? data.id : `show:${data.name}` };
}
