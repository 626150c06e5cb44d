import type { Engine } from '../engine/engine.ts';
import { engineWith } from '../engine/engine-with.ts';
import { within } from '../engine/within.ts';
import { events as eventsTold } from '../metrics/catalogue.ts';
import { idOfRound, type PollId } from '../poll/poll.ts';
import { parseShow, showTopic } from '../show/show.ts';
import { type NextState, nextOfPoll, nextOfShow, roundsEnded } from './poll-event.ts';

/** A slow engine delays a change by this much at most; the event then comes later. */
const PATIENCE_MS = 500;
const SINCE = 'events-since';
/** Polls are drawn a moment before they are stored. */
const SINCE_MARGIN_MS = 60_000;
/** Beyond it the marks of the engine find them. */
const MAX_UNTOLD = 10_000;
const SHOW = showTopic('');

export interface AnnouncedEngine extends Engine {
  readonly announcer: Announcer;
}

/** Adds an event to the log after each change of a poll or a show. */
export function withEvents(engine: Engine): AnnouncedEngine {
  const announcer = new Announcer(engine);
  const { polls, records } = engine;
  const ofShow = <T>(name: string, act: () => Promise<T>) =>
    name.startsWith(SHOW) ? announcer.aroundShow(name, act) : act();
  const announced = engineWith(engine, {
    polls: {
      create: async poll => {
        const created = await polls.create(poll);
        await announcer.tellSoon(poll.poll.id);
        return created;
      },
      change: (id, change) => announcer.around(id, () => polls.change(id, change)),
      again: (id, next) => announcer.around(id, () => polls.again(id, next)),
      takeBackRound: (id, before) => announcer.around(id, () => polls.takeBackRound(id, before)),
      remove: id => announcer.around(id, () => polls.remove(id)),
    },
    records: {
      putIfAbsent: (name, text, ttlMs) => ofShow(name, () => records.putIfAbsent(name, text, ttlMs)),
      put: (name, text, ttlMs) => ofShow(name, () => records.put(name, text, ttlMs)),
      replace: (name, expected, text) => ofShow(name, () => records.replace(name, expected, text)),
      remove: name => ofShow(name, () => records.remove(name)),
    },
  });
  return { ...announced, announcer };
}

/**
 * Tells what has changed since a subject was told last. The engine marks a subject before each
 * change, so if this process dies, or the engine fails right after a change, the process that
 * watches the marks tells it. Changes within a moment of each other, by different processes or
 * around a death, may be told as one. The log has each event once.
 */
export class Announcer {
  readonly #engine: Engine;
  readonly #untold = new Set<string>();
  #since: Promise<number> | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Before, so that a change at another process a moment ago is an event of its own. */
  async around<T>(id: PollId, act: () => Promise<T>): Promise<T> {
    await this.tellSoon(id);
    const result = await act();
    await this.tellSoon(id);
    return result;
  }

  async aroundShow<T>(subject: string, act: () => Promise<T>): Promise<T> {
    await this.#engine.events.mark(subject).catch(() => this.#keep(subject));
    return this.around(subject, act);
  }

  /** Resolves after `PATIENCE_MS` at most. Never rejects: what fails is told by `tellUntold`. */
  async tellSoon(subject: string): Promise<void> {
    const telling = this.tell(subject).catch(() => this.#keep(subject));
    await within(PATIENCE_MS, telling);
  }

  /** @param isDue also ends the marks that led here */
  async tell(subject: string, isDue = false): Promise<void> {
    const { events } = this.#engine;
    for (;;) {
      const told = await events.findState(subject);
      // Read after the state, so that it is never older than what was told.
      const next = await this.#nextOf(subject, told);
      if (next.state === told && !isDue) return;
      if (!(await events.tell({ subject, known: told, ...next }))) continue;
      eventsTold.value += next.events.length;
      return;
    }
  }

  async #nextOf(subject: string, told: string | undefined): Promise<NextState> {
    const unchanged: NextState = { state: told, dueAtMs: null, events: [] };
    const { polls, records, events } = this.#engine;
    // The engine has lost it, and may get it back: only a stored deletion is an event.
    const isLost = async () => told !== undefined && !(await events.wasDeleted(subject));
    if (!subject.startsWith(SHOW)) {
      const reading = await polls.find(subject);
      if (!reading && (await isLost())) return unchanged;
      const nowMs = reading?.results.readAtMs ?? (await polls.now());
      const rounds = reading ? roundsEnded(told, reading.poll) : [];
      const ended = await Promise.all(rounds.map(round => polls.find(idOfRound(subject, round))));
      const readings = [...ended, reading].filter(one => one !== undefined);
      return nextOfPoll(subject, told, readings, { nowMs, sinceMs: await this.#sinceMs() });
    }
    const text = await records.find(subject);
    if (text === undefined && (await isLost())) return unchanged;
    const show = text === undefined ? undefined : parseShow(text);
    return nextOfShow(subject.slice(SHOW.length), told, show, await polls.now());
  }

  async tellUntold(): Promise<void> {
    for (const subject of [...this.#untold]) {
      await this.tell(subject).then(
        () => this.#untold.delete(subject),
        () => {},
      );
    }
  }

  #keep(subject: string): void {
    if (this.#untold.size < MAX_UNTOLD) this.#untold.add(subject);
  }

  /** When this installation began to tell events. */
  #sinceMs(): Promise<number> {
    const read = async () => {
      const { polls, records } = this.#engine;
      return Number(await records.putIfAbsent(SINCE, `${(await polls.now()) - SINCE_MARGIN_MS}`));
    };
    this.#since ??= read().catch(error => {
      this.#since = undefined;
      throw error;
    });
    return this.#since;
  }
}
