import { randomBytes } from 'node:crypto';
import type { Engine } from '../engine/engine.ts';
import { isPollId } from '../poll/create-poll.ts';
import type { PollId } from '../poll/poll.ts';
import { type Issue, PollError } from '../poll/poll-error.ts';
import { sameDigest } from '../poll/poll-key.ts';
import { readShow, rewriteShow, type ShowAccess, type ShowRequest } from './rewrite-show.ts';
import { type Direction, stepFrom, withOnAir, withRundown } from './rundown.ts';
import type { ShowChange } from './show-schema.ts';
import { newShow, ownsPoll, parseShow, type StoredShow, showTopic } from './stored-show.ts';

/**
 * A show is a named place on air: overlays point to it once, and what it shows changes under them. Whoever took the name owns
 * it.
 */

export interface Show
  extends Pick<StoredShow, 'title' | 'onAir' | 'last' | 'rundown' | 'own' | 'place' | 'version'> {
  readonly name: string;
}

/** What a button has led to. */
export interface Stepped {
  readonly show: Show;
  /** Polls of the run-down that were deleted, and passed over. */
  readonly skipped: readonly PollId[];
}

type Ports = Pick<Engine, 'polls' | 'hints' | 'records'>;

const ID_BYTES = 12;

/**
 * Takes a name. Safe to do again with the same key.
 *
 * @param show what `createShowBody` has let pass
 * @param isKept where an operator's key takes it: then the name never expires
 * @throws PollError `show_name_taken`
 */
export async function createShow(
  { records }: Pick<Ports, 'records'>,
  { name, title }: Pick<Show, 'name' | 'title'>,
  keyHash: string,
  isKept = false,
): Promise<void> {
  const show = newShow({
    ...{ title, keyHash, id: createShowId(), changedAtMs: Date.now() },
    ...(isKept && { isKept }),
  });
  const stored = parseShow(await records.putIfAbsent(showTopic(name), JSON.stringify(show)));
  if (!sameDigest(stored.keyHash, keyHash)) throw new PollError('show_name_taken');
}

export function createShowId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}

export async function findShow(engine: Pick<Ports, 'records'>, name: string): Promise<Show | undefined> {
  try {
    return shown(name, await readShow(engine, name));
  } catch (error) {
    if (error instanceof PollError && error.code === 'show_not_found') return undefined;
    throw error;
  }
}

/**
 * Followers hear of it at once. Two changes at the same moment are made one after the other, and none is lost.
 *
 * @throws PollError `poll_not_found`, and what `rewriteShow` throws
 */
export async function changeShow(
  engine: Ports,
  name: string,
  { title, onAir, rundown }: ShowChange,
  request: ShowRequest,
): Promise<Show> {
  const show = await rewriteShow(engine, name, request, async stored => {
    if (onAir && onAir !== stored.onAir) await requirePolls(engine, stored, [onAir], () => 'show.on_air');
    let wanted = title === undefined || title === stored.title ? stored : { ...stored, title };
    if (rundown && rundown.join() !== stored.rundown.join())
      wanted = withRundown(wanted, rundown, await findOwn(engine, stored, rundown));
    return onAir === undefined || onAir === wanted.onAir ? wanted : withOnAir(wanted, onAir);
  });
  return shown(name, show);
}

/**
 * Puts the poll on air that comes next in the run-down, or before. Polls that were deleted are passed over.
 *
 * @throws PollError `rundown_end`, `rundown_start`, and what `rewriteShow` throws
 */
export async function stepShow(
  engine: Ports,
  name: string,
  direction: Direction,
  request: ShowRequest,
): Promise<Stepped> {
  let skipped: readonly PollId[] = [];
  const show = await rewriteShow(engine, name, request, async stored => {
    const step = await stepFrom(stored, direction, ids => findGone(engine, ids));
    skipped = step.skipped;
    return withOnAir(stored, step.to);
  });
  return { show: shown(name, show), skipped };
}

/** Takes everything off the air; the place in the run-down stays. @throws PollError what `rewriteShow` throws */
export async function clearShow(engine: Ports, name: string, request: ShowRequest): Promise<Show> {
  return changeShow(engine, name, { onAir: null }, request);
}

/**
 * The old key ends at once, for the show and for the polls that it owns. Safe to do again with the same new one.
 *
 * @throws PollError what `rewriteShow` throws
 */
export async function renewShowKey(
  engine: Ports,
  name: string,
  keyHash: string,
  access: ShowAccess,
): Promise<void> {
  // The old key opens nothing any more when the same is asked for again.
  const isMade = (stored: StoredShow) => sameDigest(stored.keyHash, keyHash);
  await rewriteShow(engine, name, { ...access, isMade }, async stored => ({ ...stored, keyHash }));
}

/**
 * Gives the name back. The polls stay, and followers hear that nothing is on air.
 *
 * @throws PollError what `rewriteShow` throws
 */
export async function removeShow(engine: Ports, name: string, access: ShowAccess): Promise<void> {
  await rewriteShow(engine, name, access, async () => undefined);
}

export function shown(name: string, show: StoredShow): Show {
  const { title, onAir, last, rundown, own, place, version } = show;
  return { name, title, onAir, last, rundown, own, place, version };
}

/** What has come into the run-down has to be there; what stands in it already may be gone, so that the rest can be put in order. */
async function findOwn(engine: Ports, stored: StoredShow, rundown: readonly PollId[]): Promise<PollId[]> {
  const fresh = rundown.filter(id => !stored.rundown.includes(id));
  const own = await requirePolls(engine, stored, fresh, id => `show.rundown.${rundown.indexOf(id)}`);
  return rundown.filter(id => stored.own.includes(id) || own.has(id));
}

/** @returns those of the polls that the show owns @throws PollError `poll_not_found` */
async function requirePolls(
  { polls }: Pick<Ports, 'polls'>,
  stored: StoredShow,
  ids: readonly PollId[],
  pathOf: (id: PollId) => string,
): Promise<Set<PollId>> {
  // What is simulated is there, and nobody's.
  const readings = await Promise.all(
    ids.filter(isPollId).map(async id => ({ id, found: await polls.find(id) })),
  );
  const issues: Issue[] = readings
    .filter(({ found }) => !found)
    .map(({ id }) => ({
      path: pathOf(id),
      message: `There is no poll with the id ${id}: it was deleted, or mistyped`,
    }));
  if (issues.length > 0) throw new PollError('poll_not_found', { issues });
  return new Set(readings.filter(({ found }) => ownsPoll(stored, found?.poll.show)).map(({ id }) => id));
}

async function findGone({ polls }: Pick<Ports, 'polls'>, ids: readonly PollId[]): Promise<Set<PollId>> {
  const stored = ids.filter(isPollId);
  const revisions = await polls.findRevisions(stored);
  return new Set(stored.filter((_, index) => revisions[index] === undefined));
}
