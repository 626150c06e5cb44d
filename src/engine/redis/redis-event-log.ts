import {
  DELETIONS_KEPT_MS,
  EVENTS,
  EVENTS_KEPT_MS,
  type EventLog,
  type LoggedEvent,
  MARK_MS,
  MAX_EVENTS,
  type ToldState,
} from '../engine.ts';
import { type RedisStore, timeToMs } from './redis-store.ts';

const DUE_BY_ITSELF = /@$/;

/** A stream and three indexes, under one hash tag of their own: see commands/tell-events-4.lua. */
export class RedisEventLog implements EventLog {
  readonly #store: RedisStore;

  constructor(store: RedisStore) {
    this.#store = store;
  }

  async findState(subject: string): Promise<string | undefined> {
    const { states } = this.#store.keys.events;
    return (await this.#store.send(client => client.hget(states, subject))) ?? undefined;
  }

  async mark(subject: string): Promise<void> {
    await this.#store.write(client => client.markEvent(this.#store.keys.events.due, subject, MARK_MS));
  }

  async markDeleted(subject: string): Promise<void> {
    const key = this.#store.keys.deleted(subject);
    await this.#store.write(client => client.markDeleted(key, DELETIONS_KEPT_MS));
  }

  async wasDeleted(subject: string): Promise<boolean> {
    const key = this.#store.keys.deleted(subject);
    return (await this.#store.send(client => client.exists(key))) === 1;
  }

  async tell({ subject, known, state, dueAtMs, listed, events }: ToldState): Promise<boolean> {
    const { log, states, due, polls } = this.#store.keys.events;
    const args = [
      log,
      states,
      due,
      polls,
      ...this.#store.hintArgs(EVENTS),
      subject,
      known ?? '',
      state ?? '',
      dueAtMs ?? '',
      listed ?? '',
      EVENTS_KEPT_MS,
      MAX_EVENTS,
      ...events,
    ];
    return (await this.#store.write(client => client.tellEvents(...args))) === 1;
  }

  async findDue(limit: number): Promise<string[]> {
    const { due } = this.#store.keys.events;
    const found = await this.#store.send(async client => {
      const nowMs = timeToMs(await this.#store.connections.clock.time());
      return client.zrangebyscore(due, '-inf', nowMs, 'LIMIT', 0, limit);
    });
    return [...new Set(found.map(name => name.replace(DUE_BY_ITSELF, '')))];
  }

  async read(after: number, limit: number): Promise<LoggedEvent[]> {
    const { log } = this.#store.keys.events;
    const found = await this.#store.send(client => client.xrange(log, `(${after}-0`, '+', 'COUNT', limit));
    return found.map(([id, [, text = '', , atMs]]) => ({
      position: positionOf(id),
      text,
      atMs: Number(atMs),
    }));
  }

  async findNewest(): Promise<number> {
    const { log } = this.#store.keys.events;
    const [newest] = await this.#store.send(client => client.xrevrange(log, '+', '-', 'COUNT', 1));
    return newest ? positionOf(newest[0]) : 0;
  }

  list(limit: number, before?: string): Promise<string[]> {
    const { polls } = this.#store.keys.events;
    const start = before === undefined ? '+' : `(${before}`;
    return this.#store.send(client => client.zrevrangebylex(polls, start, '-', 'LIMIT', 0, limit));
  }
}

function positionOf(id: string): number {
  return Number.parseInt(id, 10);
}
