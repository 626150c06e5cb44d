import { randomUUID } from 'node:crypto';
import type { Engine } from '../engine/engine.ts';
import { resumeVoids } from '../engine/void-ballots.ts';
import { isPollId } from '../poll/poll.ts';
import { isEngineUnavailable } from '../poll/poll-error.ts';
import type { WebhookDelivery } from './webhook-delivery.ts';
import type { AnnouncedEngine, Announcer } from './with-events.ts';

const TURN_MS = 1_000;
/** Its holder tells deadlines, what dying processes left, and webhooks. After a death another process takes over. */
const LEASE = 'events-lease';
const LEASE_MS = 10_000;
const DUE = 500;
const AT_ONCE = 20;
/** Polls from before the log are listed once, with a pause so that other requests come first. */
const LISTED = 'events-listed';
const LIST_BATCH = 50;
const LIST_PAUSE_MS = 20;

export interface EventWatchOptions {
  readonly delivery: Pick<WebhookDelivery, 'deliver' | 'yield' | 'close'>;
  readonly engine: AnnouncedEngine;
  readonly onError: (error: unknown) => void;
}

/** What one process at a time does for all. Two at a time do no harm: each event is added once. */
export class EventWatch {
  readonly #engine: Engine;
  readonly #announcer: Announcer;
  readonly #onError: (error: unknown) => void;
  readonly #delivery: EventWatchOptions['delivery'];
  readonly #id = randomUUID();
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #listing: Promise<void> | undefined;
  #isListed = false;
  #isClosed = false;

  constructor({ engine, delivery, onError }: EventWatchOptions) {
    this.#delivery = delivery;
    this.#engine = engine;
    this.#announcer = engine.announcer;
    this.#onError = onError;
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#delivery.close();
    await this.#turn;
    await this.#listing;
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
    this.#listing ??= this.#isListed ? undefined : this.#listEarlier();
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

  async #listEarlier(): Promise<void> {
    const { archive, records } = this.#engine;
    try {
      if ((await records.find(LISTED)) === undefined) {
        let batch: Promise<void>[] = [];
        for await (const id of archive.listPolls()) {
          if (this.#isClosed) return;
          if (batch.push(this.#announcer.tell(id)) < LIST_BATCH) continue;
          await Promise.all(batch);
          batch = [];
          await new Promise(resolve => setTimeout(resolve, LIST_PAUSE_MS));
        }
        await Promise.all(batch);
        await records.put(LISTED, 'yes');
      }
      this.#isListed = true;
    } catch (error) {
      // The next turn tries again.
      if (!isEngineUnavailable(error)) this.#onError(error);
    } finally {
      this.#listing = undefined;
    }
  }
}
