import { randomUUID } from 'node:crypto';
import type { Engine } from '../engine/engine.ts';
import { resumeVoids } from '../engine/void-ballots.ts';
import { isPollId } from '../poll/poll.ts';
import type { WebhookDelivery } from './webhook-delivery.ts';
import type { AnnouncedEngine, Announcer } from './with-events.ts';

const TURN_MS = 1_000;
/** Its holder tells deadlines, what dying processes left, and webhooks. After a death another process takes over. */
const LEASE = 'events-lease';
const LEASE_MS = 10_000;
const DUE = 500;
const AT_ONCE = 20;

export interface EventWatchOptions {
  readonly delivery: Pick<WebhookDelivery, 'deliver' | 'yield' | 'close'>;
  readonly engine: AnnouncedEngine;
}

/** What one process at a time does for all. Two at a time do no harm: each event is added once. */
export class EventWatch {
  readonly #engine: Engine;
  readonly #announcer: Announcer;
  readonly #delivery: EventWatchOptions['delivery'];
  readonly #id = randomUUID();
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor({ engine, delivery }: EventWatchOptions) {
    this.#delivery = delivery;
    this.#engine = engine;
    this.#announcer = engine.announcer;
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#delivery.close();
    await this.#turn;
    // So that another process takes over at once.
    await this.#engine.records.replace(LEASE, this.#id, undefined).catch(() => {});
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#turn = this.#takeTurn()
        // Without an engine there is nothing to tell, and others report that.
        .catch(() => {})
        .finally(() => this.#schedule());
    }, TURN_MS).unref();
  }

  async #takeTurn(): Promise<void> {
    await this.#announcer.tellUntold();
    if (!(await this.#holdLease())) return this.#delivery.yield();
    const due = await this.#engine.events.findDue(DUE);
    for (let at = 0; at < due.length; at += AT_ONCE)
      await Promise.all(due.slice(at, at + AT_ONCE).map(subject => this.#attend(subject)));
    if (!this.#isClosed) await this.#delivery.deliver();
  }

  async #attend(subject: string): Promise<void> {
    const { events, polls } = this.#engine;
    const reading = isPollId(subject) ? await polls.find(subject) : undefined;
    // The next mark comes before this one ends.
    if (reading && (await resumeVoids(polls, reading.poll))) await events.mark(subject);
    await this.#announcer.tell(subject, true);
  }

  async #holdLease(): Promise<boolean> {
    const { records } = this.#engine;
    if ((await records.putIfAbsent(LEASE, this.#id, LEASE_MS)) !== this.#id) return false;
    await records.put(LEASE, this.#id, LEASE_MS);
    return true;
  }
}
