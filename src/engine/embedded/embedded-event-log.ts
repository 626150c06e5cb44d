import {
  DELETIONS_KEPT_MS,
  EVENTS,
  EVENTS_KEPT_MS,
  type EventLog,
  type LoggedEvent,
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

export class EmbeddedEventLog implements EventLog {
  readonly #store: EmbeddedStore;
  readonly #hints: EmbeddedHints;

  constructor(store: EmbeddedStore, hints: EmbeddedHints) {
    this.#store = store;
    this.#hints = hints;
  }

  async findState(subject: string): Promise<string | undefined> {
    this.#store.root.resetReadTxn();
    return this.#store.eventStates.get(subject);
  }

  async mark(subject: string): Promise<void> {
    await this.#store.write(() => markEvent(this.#store, subject));
  }

  async markDeleted(subject: string): Promise<void> {
    await this.#store.write(() => markDeleted(this.#store, subject), undefined, 'end');
  }

  async wasDeleted(subject: string): Promise<boolean> {
    this.#store.root.resetReadTxn();
    return (this.#store.deletionTimes.get(subject) ?? 0) > Date.now() - DELETIONS_KEPT_MS;
  }

  tell(told: ToldState): Promise<boolean> {
    return this.#store.write(
      () => this.#tellInTransaction(told, Date.now()),
      isTold => isTold && told.events.length > 0 && this.#hints.send(EVENTS),
    );
  }

  #tellInTransaction({ subject, known, state, dueAtMs, listed, events }: ToldState, nowMs: number): boolean {
    const { events: log, eventStates, dueTimes, listedPolls } = this.#store;
    if (eventStates.get(subject) !== known) return false;
    if (state === undefined) eventStates.removeSync(subject);
    else eventStates.putSync(subject, state);
    if (listed !== undefined)
      if (state === undefined) listedPolls.removeSync(listed);
      else listedPolls.putSync(listed, true);
    // A later mark belongs to a change that may be under way.
    if ((dueTimes.get(subject) ?? Number.POSITIVE_INFINITY) <= nowMs) setDue(this.#store, subject, null);
    setDue(this.#store, `${subject}@`, dueAtMs);
    let position = this.#newest();
    for (const text of events) {
      position += 1;
      log.putSync(position, { text, atMs: nowMs });
    }
    if (events.length > 0) this.#trim(position, nowMs);
    return true;
  }

  #trim(newest: number, nowMs: number): void {
    const { events } = this.#store;
    for (const { key, value } of [...events.getRange({ limit: TRIMMED })]) {
      if (key > newest - MAX_EVENTS && value.atMs >= nowMs - EVENTS_KEPT_MS) return;
      events.removeSync(key);
    }
  }

  async findDue(limit: number): Promise<string[]> {
    this.#store.root.resetReadTxn();
    const keys = [...this.#store.due.getKeys({ end: [Date.now() + 1, ''], limit })];
    return [...new Set(keys.map(([, name]) => name.replace(DUE_BY_ITSELF, '')))];
  }

  async read(after: number, limit: number): Promise<LoggedEvent[]> {
    this.#store.root.resetReadTxn();
    const found = [...this.#store.events.getRange({ start: after + 1, limit })];
    return found.map(({ key: position, value }) => ({ position, ...value }));
  }

  async findNewest(): Promise<number> {
    this.#store.root.resetReadTxn();
    return this.#newest();
  }

  async list(limit: number, before?: string): Promise<string[]> {
    this.#store.root.resetReadTxn();
    const start = before === undefined ? {} : { start: before, exclusiveStart: true };
    return [...this.#store.listedPolls.getKeys({ reverse: true, limit, ...start })];
  }

  #newest(): number {
    return [...this.#store.events.getKeys({ reverse: true, limit: 1 })][0] ?? 0;
  }
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
