import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventLog, LoggedEvent } from '../engine/engine.ts';
import type { EventType, ProgramEvent } from './poll-event.ts';

export interface ReadEvent extends LoggedEvent {
  readonly id: string;
  readonly type: EventType;
  /** Its poll or show: the events of one subject are delivered in order. */
  readonly subject: string;
}

/** Older events are read from the log instead. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** Events from before the start of this process. */
const EARLIER = 5_000;
const BATCH = 100;

/** The newest events of the log without a gap, read and parsed once for all webhooks. */
export class RecentEvents {
  readonly #log: Pick<EventLog, 'read' | 'findNewest'>;
  #events: ReadEvent[] = [];
  #characters = 0;
  #newest = -1;
  readonly #newestOf = new Map<EventType, number>();

  constructor(log: Pick<EventLog, 'read' | 'findNewest'>) {
    this.#log = log;
  }

  /** Position of the newest event, 0 without one. */
  get newest(): number {
    return this.#newest;
  }

  async refresh(): Promise<void> {
    const newest = await this.#log.findNewest();
    // The engine lost events, so positions begin again, or this is the first time.
    if (newest < this.#newest || this.#newest < 0) this.#restart(Math.max(0, newest - EARLIER));
    while (this.#newest < newest) {
      const found = await this.#log.read(this.#newest, BATCH);
      if (found.length === 0) return;
      if (found[0]!.position !== this.#newest + 1) this.#restart(found[0]!.position - 1);
      for (const logged of found) this.#add(readEvent(logged));
      this.#trim();
      await nextTurn();
    }
  }

  /** Whether every event after this position is here. */
  covers(position: number): boolean {
    return position >= this.#newest - this.#events.length && position <= this.#newest;
  }

  /** @param position one that `covers` */
  hasAnyAfter(position: number, types: readonly EventType[]): boolean {
    return types.some(type => (this.#newestOf.get(type) ?? -1) > position);
  }

  /** Events of these types, oldest first. @param position one that `covers` */
  after(position: number, types: readonly EventType[], limit: number): ReadEvent[] {
    const found: ReadEvent[] = [];
    const first = this.#newest - this.#events.length + 1;
    for (let at = position + 1 - first; at < this.#events.length && found.length < limit; at += 1) {
      const event = this.#events[at]!;
      if (types.includes(event.type)) found.push(event);
    }
    return found;
  }

  #restart(position: number): void {
    this.#events = [];
    this.#characters = 0;
    this.#newest = position;
    this.#newestOf.clear();
  }

  #add(event: ReadEvent): void {
    this.#events.push(event);
    this.#characters += event.text.length;
    this.#newest = event.position;
    this.#newestOf.set(event.type, event.position);
  }

  #trim(): void {
    let gone = 0;
    while (this.#characters > MAX_CHARACTERS) {
      this.#characters -= this.#events[gone]!.text.length;
      gone += 1;
    }
    this.#events.splice(0, gone);
  }
}

export function readEvent(logged: LoggedEvent): ReadEvent {
  const { id, type, data } = JSON.parse(logged.text) as ProgramEvent;
  return { ...logged, id, type, subject: 'id' in data ? data.id : `show:${data.name}` };
}
