import { DELETIONS_KEPT_MS, EVENTS, EVENTS_KEPT_MS, type EventLog, MARK_MS, MAX_EVENTS } from '../engine.ts';
import { type RedisStore, timeToMs } from './redis-store.ts';

const DUE_BY_ITSELF = /@$/;

/** A stream and three indexes, under one hash tag of their own: see commands/tell-events-4.lua. */
export function redisEventLog(store: RedisStore): EventLog {
  const { log, states, due, polls } = store.keys.events;
  return {
    findState: async subject => (await store.send(client => client.hget(states, subject))) ?? undefined,
    async mark(subject) {
      await store.write(client => client.markEvent(due, subject, MARK_MS));
    },
    async markDeleted(subject) {
      await store.write(client => client.markDeleted(store.keys.deleted(subject), DELETIONS_KEPT_MS));
    },
    wasDeleted: async subject =>
      (await store.send(client => client.exists(store.keys.deleted(subject)))) === 1,
    async tell({ subject, known = '', state = '', dueAtMs, listed = '', events }) {
      const keys = [log, states, due, polls];
      const told = [subject, known, state, dueAtMs ?? '', listed];
      const args = [...keys, ...store.hintArgs(EVENTS), ...told, EVENTS_KEPT_MS, MAX_EVENTS, ...events];
      return (await store.write(client => client.tellEvents(...args))) === 1;
    },
    async findDue(limit) {
      const found = await store.send(async client => {
        const nowMs = timeToMs(await store.connections.clock.time());
        return client.zrangebyscore(due, '-inf', nowMs, 'LIMIT', 0, limit);
      });
      return [...new Set(found.map(name => name.replace(DUE_BY_ITSELF, '')))];
    },
    async read(after, limit) {
      const found = await store.send(client => client.xrange(log, `(${after}-0`, '+', 'COUNT', limit));
      return found.map(([id, [, text = '', , at]]) => ({
        position: positionOf(id),
        text,
        atMs: Number(at),
      }));
    },
    async findNewest() {
      const [newest] = await store.send(client => client.xrevrange(log, '+', '-', 'COUNT', 1));
      return newest ? positionOf(newest[0]) : 0;
    },
    list: (limit, before) => {
      const start = before === undefined ? '+' : `(${before}`;
      return store.send(client => client.zrevrangebylex(polls, start, '-', 'LIMIT', 0, limit));
    },
  };
}

function positionOf(id: string): number {
  return Number.parseInt(id, 10);
}
