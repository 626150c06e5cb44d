import { nextChangeOfRehearsal, originOfTwin, REHEARSAL_ID, rehearsalAt } from '../poll/rehearsal.ts';
import type { Engine } from './engine.ts';
import { type Following, HINT_WINDOW_MS, type Hints } from './hints.ts';
import type { Polls } from './polls.ts';
import { followTwin, readTwin } from './rehearsal-twins.ts';

/** The part of an engine from which polls are read and heard of, and by which nothing is written. */
export interface PollSource {
  readonly polls: Pick<Polls, 'find' | 'findRevisions'>;
  readonly hints: Pick<Hints, 'follow' | 'onAvailability'>;
}

/** A clock may be set while somebody waits. */
const LONGEST_WAIT_MS = 60_000;

/**
 * The engine's polls and the simulated ones beside them. The one that is always there asks the engine nothing, and is there while
 * the engine is away; a poll's twin is read with its poll.
 */
export function withRehearsal(engine: Pick<Engine, 'polls' | 'hints' | 'records'>): PollSource {
  const { polls, hints } = engine;
  let latestMs = 0;
  /** Never goes back, because versions follow from it. */
  const now = () => {
    latestMs = Math.max(latestMs, Date.now());
    return latestMs;
  };
  const isSimulated = (id: string) => id === REHEARSAL_ID || originOfTwin(id) !== undefined;
  const simulate = async (id: string) => (id === REHEARSAL_ID ? rehearsalAt(now()) : readTwin(engine, id));
  return {
    polls: {
      find: id => (isSimulated(id) ? simulate(id) : polls.find(id)),
      async findRevisions(ids) {
        if (!ids.some(isSimulated)) return polls.findRevisions(ids);
        const stored = ids.filter(id => !isSimulated(id));
        const revisions = stored.length === 0 ? [] : [...(await polls.findRevisions(stored))];
        const readings = ids.map(async id =>
          isSimulated(id) ? (await simulate(id))?.results : revisions.shift(),
        );
        return Promise.all(readings);
      },
    },
    hints: {
      follow: (topic, listener) => {
        if (topic === REHEARSAL_ID) return followRehearsal(listener, now);
        const isTwin = originOfTwin(topic) !== undefined;
        return isTwin ? followTwin(hints, topic, listener) : hints.follow(topic, listener);
      },
      onAvailability: listener => hints.onAvailability(listener),
    },
  };
}

/** Hints as an engine gives them, at most one in each window; nothing runs while nobody follows. */
function followRehearsal(listener: () => void, now: () => number): Following {
  let timer: NodeJS.Timeout;
  const wait = () => {
    const nowMs = now();
    const waitMs = Math.max(nextChangeOfRehearsal(nowMs) - nowMs, HINT_WINDOW_MS);
    timer = setTimeout(hint, Math.min(waitMs, LONGEST_WAIT_MS)).unref();
  };
  const hint = () => {
    listener();
    wait();
  };
  wait();
  return { ready: Promise.resolve(), unfollow: () => clearTimeout(timer) };
}
