import {
  DELETIONS_KEPT_MS,
  EVENTS,
  EVENTS_KEPT_MS,
  type EventLog,
  MARK_MS,
  MAX_DELETIONS,
  MAX_EVENTS,
  type ToldState,
} from '../engine.ts';
import type { EmbeddedHints } from './embedded-hints.ts';
import type { EmbeddedStore, EmbeddedTables } from './embedded-tables.ts';

/** Events or deletions removed with each added one, at most. */
const TRIMMED = 20;
const DUE_BY_ITSELF = /@$/;

export function embeddedEventLog(store: EmbeddedStore, hints: EmbeddedHints): EventLog {
  const { root, events: log, eventStates, dueTimes, listedPolls, deletionTimes, due, write } = store;
  const newest = () => [...log.getKeys({ reverse: true, limit: 1 })][0] ?? 0;

  function tellInTransaction({ subject, known, state, dueAtMs, listed, events }: ToldState): boolean {
    const nowMs = Date.now();
    if (eventStates.get(subject) !== known) return false;
    if (state === undefined) eventStates.removeSync(subject);
    else eventStates.putSync(subject, state);
    if (listed !== undefined)
      if (state === undefined) listedPolls.removeSync(listed);
      else listedPolls.putSync(listed, true);
    // A later mark belongs to a change that may be under way.
    if ((dueTimes.get(subject) ?? Number.POSITIVE_INFINITY) <= nowMs) setDue(store, subject, null);
    setDue(store, `${subject}@`, dueAtMs);
    let position = newest();
    for (const text of events) {
      position += 1;
      log.putSync(position, { text, atMs: nowMs });
    }
    if (events.length > 0) trim(position, nowMs);
    return true;
  }

  function trim(newestPosition: number, nowMs: number): void {
    for (const { key, value } of [...log.getRange({ limit: TRIMMED })]) {
      if (key > newestPosition - MAX_EVENTS && value.atMs >= nowMs - EVENTS_KEPT_MS) return;
      log.removeSync(key);
    }
  }

  return {
    async findState(subject) {
      root.resetReadTxn();
      return eventStates.get(subject);
    },
    mark: subject => write(() => markEvent(store, subject)),
    markDeleted: subject => write(() => markDeleted(store, subject), undefined, 'end'),
    async wasDeleted(subject) {
      root.resetReadTxn();
      return (deletionTimes.get(subject) ?? 0) > Date.now() - DELETIONS_KEPT_MS;
    },
    tell: told =>
      write(
        () => tellInTransaction(told),
        isTold => isTold && told.events.length > 0 && hints.send(EVENTS),
      ),
    async findDue(limit) {
      root.resetReadTxn();
      const keys = [...due.getKeys({ end: [Date.now() + 1, ''], limit })];
      return [...new Set(keys.map(([, name]) => name.replace(DUE_BY_ITSELF, '')))];
    },
    async read(after, limit) {
      root.resetReadTxn();
      const found = [...log.getRange({ start: after + 1, limit })];
      return found.map(({ key: position, value }) => ({ position, ...value }));
    },
    async findNewest() {
      root.resetReadTxn();
      return newest();
    },
    async list(limit, before) {
      root.resetReadTxn();
      const start = before === undefined ? {} : { start: before, exclusiveStart: true };
      return [...listedPolls.getKeys({ reverse: true, limit, ...start })];
    },
  };
}

/** `EventLog.mark` inside a transaction. */
export function markEvent(tables: EmbeddedTables, subject: string): void {
  setDue(tables, subject, Date.now() + MARK_MS);
}

/** `EventLog.markDeleted` inside a transaction. */
export function markDeleted({ deletions, deletionTimes }: EmbeddedTables, subject: string): void {
  const nowMs = Date.now();
  const before = deletionTimes.get(subject);
  if (before !== undefined) deletions.removeSync([before, subject]);
  deletionTimes.putSync(subject, nowMs);
  deletions.putSync([nowMs, subject], true);
  const { entryCount } = deletions.getStats() as { entryCount: number };
  for (const [index, key] of [...deletions.getKeys({ limit: TRIMMED })].entries()) {
    const [atMs, old] = key;
    if (entryCount - index <= MAX_DELETIONS && atMs > nowMs - DELETIONS_KEPT_MS) return;
    deletions.removeSync(key);
    deletionTimes.removeSync(old);
  }
}

/** @param atMs UNIX time in milliseconds; null for never */
function setDue({ due, dueTimes }: EmbeddedTables, name: string, atMs: number | null): void {
  const before = dueTimes.get(name);
  if (before !== undefined) due.removeSync([before, name]);
  if (atMs === null) dueTimes.removeSync(name);
  else {
    dueTimes.putSync(name, atMs);
    due.putSync([atMs, name], true);
  }
}
