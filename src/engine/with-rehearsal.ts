import type { PollId, Reading } from '../poll/poll.ts';
import { markOfState, type PollChange } from '../poll/poll-change.ts';
import {
  changeTwinState,
  freshTwin,
  nextChangeOfRehearsal,
  originOfTwin,
  REHEARSAL_ID,
  rehearsalAt,
  type TwinState,
  twinAt,
} from '../poll/rehearsal.ts';
import {
  type Engine,
  type EventLog,
  type Following,
  HINT_WINDOW_MS,
  type Hints,
  type Polls,
} from './engine.ts';

export interface PollSource {
  readonly polls: Pick<Polls, 'find' | 'findRevisions'>;
  readonly hints: Pick<Hints, 'follow' | 'onAvailability'>;
  readonly events: Pick<EventLog, 'wasDeleted'>;
}

type TwinPorts = Pick<Engine, 'polls' | 'hints' | 'records'>;

const LONGEST_WAIT_MS = 60_000;
/** A twin expires a day after its last change. */
const KEPT_MS = 24 * 3_600_000;
const CROWD_TICK_MS = 250;

/** Adds the simulated polls. The permanent one needs no engine and works while the engine is lost. */
export function withRehearsal(engine: TwinPorts & Pick<Engine, 'events'>): PollSource {
  const { polls, hints } = engine;
  let latestMs = 0;
  /** Never goes back, because versions are computed from it. */
  const now = () => {
    latestMs = Math.max(latestMs, Date.now());
    return latestMs;
  };
  const isSimulated = (id: string) => id === REHEARSAL_ID || originOfTwin(id) !== undefined;
  const simulate = async (id: string): Promise<Reading | undefined> => {
    if (id === REHEARSAL_ID) return rehearsalAt(now());
    const found = await findTwin(engine, originOfTwin(id)!);
    return found && twinAt(id, found.origin, found.state);
  };
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
    events: engine.events,
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

/** Changes a poll or a twin as `Polls.change` does. */
export function changePoll(ports: TwinPorts, id: PollId, change: PollChange): Promise<boolean> {
  return originOfTwin(id) ? changeTwin(ports, id, change) : ports.polls.change(id, change);
}

/**
 * The later one of two changes at the same time wins: nothing that counts is lost. Resolves to
 * false if there is no such poll, or it takes no step.
 */
async function changeTwin(ports: TwinPorts, id: PollId, change: PollChange): Promise<boolean> {
  const originId = originOfTwin(id)!;
  const found = await findTwin(ports, originId);
  if (!found) return false;
  const { results } = twinAt(id, found.origin, found.state);
  if (change.expected && markOfState(change.expected) !== markOfState(results)) return false;
  const changed = changeTwinState(found.state, change, found.origin.results.readAtMs);
  if (!changed) return false;
  await ports.records.put(recordOf(originId), JSON.stringify(changed), KEPT_MS);
  await ports.hints.publish(recordOf(originId)).catch(() => {});
  return true;
}

function followTwin(hints: Pick<Hints, 'follow'>, id: PollId, listener: () => void): Following {
  const following = hints.follow(recordOf(originOfTwin(id)!), listener);
  const crowd = setInterval(listener, CROWD_TICK_MS).unref();
  return {
    ready: following.ready,
    unfollow: () => {
      clearInterval(crowd);
      following.unfollow();
    },
  };
}

async function findTwin(
  { polls, records }: Omit<TwinPorts, 'hints'>,
  originId: PollId,
): Promise<{ readonly origin: Reading; readonly state: TwinState } | undefined> {
  const [origin, text] = await Promise.all([polls.find(originId), records.find(recordOf(originId))]);
  if (!origin) return undefined;
  return { origin, state: text === undefined ? freshTwin(origin.results) : JSON.parse(text) };
}

function recordOf(originId: PollId): `rehearsal:${string}` {
  return `rehearsal:${originId}`;
}
