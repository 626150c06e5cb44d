import { nextChangeOfRehearsal, REHEARSAL_ID, rehearsalAt } from '../poll/rehearsal.ts';
import type { Engine } from './engine.ts';
import { type Following, HINT_WINDOW_MS, type Hints } from './hints.ts';
import type { Polls } from './polls.ts';

/** The part of an engine from which polls are read and heard of, and by which nothing is written. */
export interface PollSource {
  readonly polls: Pick<Polls, 'find' | 'findRevisions' | 'renewEpoch'>;
  readonly hints: Pick<Hints, 'follow' | 'onAvailability'>;
}

/** A clock may be set while somebody waits. */
const LONGEST_WAIT_MS = 60_000;

/** The engine's polls and the simulated one beside them: that one asks the engine nothing, and is there while the engine is away. */
export function withRehearsal({ polls, hints }: Pick<Engine, 'polls' | 'hints'>): PollSource {
  let latestMs = 0;
  /** Never goes back, because versions follow from it. */
  const now = () => {
    latestMs = Math.max(latestMs, Date.now());
    return latestMs;
  };
  const read = async () => rehearsalAt(now());
  return {
    polls: {
      find: id => (id === REHEARSAL_ID ? read() : polls.find(id)),
      async findRevisions(ids) {
        const at = ids.indexOf(REHEARSAL_ID);
        if (at < 0) return polls.findRevisions(ids);
        const stored = ids.toSpliced(at, 1);
        const revisions = stored.length === 0 ? [] : await polls.findRevisions(stored);
        return revisions.toSpliced(at, 0, (await read()).results);
      },
      renewEpoch: async (id, seen) => void (id === REHEARSAL_ID || (await polls.renewEpoch(id, seen))),
    },
    hints: {
      follow: (topic, listener) =>
        topic === REHEARSAL_ID ? followRehearsal(listener, now) : hints.follow(topic, listener),
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
