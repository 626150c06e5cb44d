import type { PollId, Reading } from '../poll/poll.ts';
import type { PollChange } from '../poll/poll-change.ts';
import { changeTwinState, freshTwin, originOfTwin, type TwinState, twinAt } from '../poll/rehearsal.ts';
import type { Engine } from './engine.ts';
import type { Following, Hints } from './hints.ts';

/** A rehearsal is forgotten a day after its last step. */
const KEPT_MS = 24 * 3_600_000;
/** How often somebody votes, for those who watch. */
const CROWD_TICK_MS = 250;

type Ports = Pick<Engine, 'polls' | 'records'>;

/** The twin of a poll now; undefined where there is no such poll. */
export async function readTwin({ polls, records }: Ports, id: PollId): Promise<Reading | undefined> {
  const originId = originOfTwin(id)!;
  const [origin, text] = await Promise.all([polls.find(originId), records.find(recordOf(originId))]);
  return origin && twinAt(id, origin, stateOf(text, origin));
}

/** The last of two who change it at once wins: nothing that counts is lost. @returns false where there is no such poll */
export async function changeTwin(
  { polls, records, hints }: Ports & Pick<Engine, 'hints'>,
  id: PollId,
  change: PollChange,
): Promise<boolean> {
  const originId = originOfTwin(id)!;
  const record = recordOf(originId);
  const [origin, text] = await Promise.all([polls.find(originId), records.find(record)]);
  if (!origin) return false;
  const changed = changeTwinState(stateOf(text, origin), change, origin.results.readAtMs);
  await records.put(record, JSON.stringify(changed), KEPT_MS);
  await hints.publish(record).catch(() => {});
  return true;
}

/** Hints at the steps of a rehearsal, and at its simulated audience while anybody watches. */
export function followTwin(hints: Pick<Hints, 'follow'>, id: PollId, listener: () => void): Following {
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

function stateOf(text: string | undefined, { results }: Reading): TwinState {
  return text === undefined ? freshTwin(results) : JSON.parse(text);
}

function recordOf(originId: PollId): string {
  return `rehearsal:${originId}`;
}
