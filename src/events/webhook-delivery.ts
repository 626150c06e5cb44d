import type { Engine, LoggedEvent } from '../engine/engine.ts';
import type { ProgramEvent } from './poll-event.ts';
import { type Post, postOnce } from './webhook-url.ts';
import {
  listWebhooks,
  parseProgress,
  progressRecord,
  signedHeaders,
  type Webhook,
  type WebhookProgress,
} from './webhooks.ts';

/** Webhooks that are served at once; each holds one batch in memory. */
const AT_ONCE = 32;
const BATCH = 32;
/** Requests of one webhook at once, of different polls. */
const REQUESTS = 4;
/** Requests a second of this process, so that delivery takes at most a small part of a core. */
const PER_SECOND = 250;
const DAY_MS = 86_400_000;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 15 * 60_000;

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

/**
 * Sends events to webhooks, at least once each. The events of a poll or a show go one after the other; a failed one is repeated
 * before the next. Progress is stored after each batch, so that after a death another process repeats one batch at most.
 */
export class WebhookDelivery {
  readonly #options: WebhookDeliveryOptions;
  readonly #busy = new Map<string, Promise<void>>();
  readonly #progress = new Map<string, { readonly retryAtMs: number; readonly position: number }>();
  readonly #ending = new AbortController();
  #sentThisSecond = 0;
  #second = 0;

  constructor(options: WebhookDeliveryOptions) {
    this.#options = options;
  }

  /** Begins what is due. Does not wait for it. Call about once a second while this process holds the lease. */
  async deliver(): Promise<void> {
    const { engine, clock } = this.#options;
    const webhooks = await listWebhooks(engine.records);
    const ids = new Set(webhooks.map(({ id }) => id));
    for (const id of this.#progress.keys()) if (!ids.has(id)) this.#progress.delete(id);
    if (webhooks.length === 0) return;
    const newest = await engine.events.findNewest();
    const nowMs = clock();
    // Those that wait longest come first.
    const due = webhooks
      .filter(({ id }) => {
        const progress = this.#progress.get(id);
        return (
          !this.#busy.has(id) && (!progress || (progress.position !== newest && progress.retryAtMs <= nowMs))
        );
      })
      .sort((a, b) => (this.#progress.get(a.id)?.position ?? 0) - (this.#progress.get(b.id)?.position ?? 0));
    for (const webhook of due.slice(0, AT_ONCE - this.#busy.size)) {
      const serving = this.#serve(webhook)
        // The engine is lost: the next turn reads again.
        .catch(() => {})
        .finally(() => this.#busy.delete(webhook.id));
      this.#busy.set(webhook.id, serving);
    }
  }

  /** Ends requests in progress; what was not stored is delivered again by another process. */
  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#busy.values());
  }

  /** Delivers batches until there is nothing left, a delivery fails, or another process delivers too. */
  async #serve(webhook: Webhook): Promise<void> {
    const { engine, clock, log } = this.#options;
    const name = progressRecord(webhook.id);
    for (let turn = 0; turn < 10 && !this.#ending.signal.aborted; turn += 1) {
      const text = await engine.records.find(name);
      const progress = parseProgress(webhook, text);
      const events = await this.#nextEvents(progress, webhook);
      const isIdle = progress.disabledAtMs !== undefined || (progress.retryAtMs ?? 0) > clock();
      this.#keep(webhook.id, progress);
      if (isIdle || events.length === 0) return;
      const next = await this.#deliverBatch(webhook, progress, events);
      if (this.#ending.signal.aborted && next.failingSinceMs !== undefined) return;
      const written = JSON.stringify(next);
      const isWritten =
        text === undefined
          ? (await engine.records.putIfAbsent(name, written)) === written
          : await engine.records.replace(name, text, written);
      if (!isWritten) return;
      this.#keep(webhook.id, next);
      if (next.disabledAtMs !== undefined)
        log.warn({ webhook: webhook.id, host: new URL(webhook.url).host }, 'webhook disabled');
      if (next.failingSinceMs !== undefined) return;
    }
  }

  /** If the engine lost events, positions begin again: it continues with what there is. */
  async #nextEvents(
    { position, attempts }: WebhookProgress,
    webhook: Webhook,
  ): Promise<readonly LoggedEvent[]> {
    const { events } = this.#options.engine;
    const found = await events.read(position, BATCH);
    if (found.length > 0) {
      const missed = found[0]!.position - position - 1;
      if (missed > 0 && attempts === undefined)
        this.#options.log.warn({ webhook: webhook.id, missed }, 'webhook missed events');
      return found;
    }
    return (await events.findNewest()) < position ? events.read(0, BATCH) : found;
  }

  async #deliverBatch(
    webhook: Webhook,
    progress: WebhookProgress,
    events: readonly LoggedEvent[],
  ): Promise<WebhookProgress> {
    const done = new Set(progress.done);
    const queues = new Map<string, (LoggedEvent & { readonly event: ProgramEvent })[]>();
    for (const logged of events) {
      const event = JSON.parse(logged.text) as ProgramEvent;
      if (!webhook.events.includes(event.type)) done.add(logged.position);
      if (done.has(logged.position)) continue;
      const subject = 'id' in event.data ? event.data.id : `show:${event.data.name}`;
      queues.set(subject, [...(queues.get(subject) ?? []), { ...logged, event }]);
    }
    const waiting = [...queues.values()];
    let fault: string | undefined;
    const work = async () => {
      for (let queue = waiting.shift(); queue; queue = waiting.shift())
        for (const { event, text, position } of queue) {
          fault ??= await this.#post(webhook, event.id, text);
          if (fault !== undefined) return;
          done.add(position);
        }
    };
    await Promise.all(Array.from({ length: REQUESTS }, work));
    if (fault === undefined) return { position: events.at(-1)!.position };
    const first = events.find(({ position }) => !done.has(position))!;
    return this.#afterFault(progress, fault, {
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
      ...{ ...reached, failingSinceMs, attempts },
      // Random, so that receivers behind one address are not asked at once.
      retryAtMs: nowMs + Math.round(waitMs * (0.75 + Math.random() * 0.25)),
      ...(isOver && { disabledAtMs: nowMs }),
    };
  }

  /** @returns undefined once the receiver has accepted it, otherwise the reason */
  async #post({ url, secret }: Webhook, id: string, body: string): Promise<string | undefined> {
    const { allowPrivate, clock, post = postOnce } = this.#options;
    await this.#waitForTurn();
    const headers = signedHeaders(secret, { id, body, nowMs: clock() });
    try {
      const status = await post({ url, headers, body, allowPrivate, signal: this.#ending.signal });
      return status >= 200 && status < 300 ? undefined : `${status}`;
    } catch (error) {
      return (error as Error).message;
    }
  }

  async #waitForTurn(): Promise<void> {
    for (;;) {
      const second = Math.floor(performance.now() / 1_000);
      if (second !== this.#second) [this.#second, this.#sentThisSecond] = [second, 0];
      if (this.#sentThisSecond < PER_SECOND) break;
      await new Promise(resolve => setTimeout(resolve, 1_000 - (performance.now() % 1_000) + 1));
    }
    this.#sentThisSecond += 1;
  }

  #keep(id: string, { position, retryAtMs = 0, disabledAtMs }: WebhookProgress): void {
    this.#progress.set(id, {
      position,
      retryAtMs: disabledAtMs === undefined ? retryAtMs : Number.POSITIVE_INFINITY,
    });
  }
}
