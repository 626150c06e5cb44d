import { randomUUID } from 'node:crypto';
import type { Engine } from '../engine/engine.ts';
import { isPollId } from '../poll/create-poll.ts';
import { originOfTwin } from '../poll/rehearsal-twin.ts';
import { parseShow, type StoredShow, showTopic } from './stored-show.ts';

/** Gives back the names of shows that hold no poll and have not been changed for a while. */

const LOOK_MS = 600_000;
/** One process sweeps in this time, however many there are. */
const SWEEP_EVERY_MS = 3_600_000;
const TURN = 'limits:show-sweep';

type Ports = Pick<Engine, 'archive' | 'hints' | 'polls' | 'records'>;

/**
 * Removes the shows whose time is up. Polls that are gone do not count.
 *
 * @param keptMs milliseconds since its last change for which a show without a poll is kept
 * @param nowMs UNIX time in milliseconds
 */
export async function removeEmptyShows(engine: Ports, keptMs: number, nowMs: number): Promise<void> {
  const { archive, hints, records } = engine;
  for await (const { name, text } of archive.readRecords(name => name.startsWith(showTopic('')))) {
    const { changedAtMs, isKept, ...show } = parseShow(text);
    const isDue = !isKept && changedAtMs !== undefined && changedAtMs + keptMs <= nowMs;
    if (!isDue || (await hasPoll(engine, show))) continue;
    // A change that came meanwhile keeps it.
    if (await records.replace(name, text, undefined)) await hints.publish(name).catch(() => {});
  }
}

async function hasPoll(
  { polls }: Pick<Ports, 'polls'>,
  { rundown, onAir }: Pick<StoredShow, 'rundown' | 'onAir'>,
): Promise<boolean> {
  const ids = [...rundown, ...(onAir === null ? [] : [originOfTwin(onAir) ?? onAir])].filter(isPollId);
  const revisions = ids.length === 0 ? [] : await polls.findRevisions(ids);
  return revisions.some(revision => revision !== undefined);
}

/** Sweeps for as long as the process runs. @returns stops it */
export function sweepShows(engine: Ports, keptMs: number): () => void {
  const id = randomUUID();
  const sweep = async () => {
    if ((await engine.records.putIfAbsent(TURN, id, SWEEP_EVERY_MS)) !== id) return;
    await removeEmptyShows(engine, keptMs, Date.now());
  };
  // What fails is done the next time.
  const timer = setInterval(() => void sweep().catch(() => {}), LOOK_MS).unref();
  return () => clearInterval(timer);
}
