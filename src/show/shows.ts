import { randomBytes, randomUUID } from 'node:crypto';
import type { Engine } from '../engine/engine.ts';
import { isPollId, type NewPoll, type PollId, type PollOwner } from '../poll/poll.ts';
import { type Issue, PollError } from '../poll/poll-error.ts';
import { type PresentedKey, sameDigest } from '../poll/poll-key.ts';
import { originOfTwin } from '../poll/rehearsal.ts';
import { type Logo, logoRecord, writeLogo } from './logo.ts';
import { findText, rewriteShow, type ShowAccess, type ShowRequest } from './rewrite-show.ts';
import {
  type Aired,
  type Direction,
  type FindGone,
  MAX_RUNDOWN,
  newShow,
  ownsPoll,
  parseShow,
  type Step,
  type StoredShow,
  showTopic,
  stepFrom,
  withOnAir,
  withoutLastOnAir,
  withRundown,
} from './show.ts';
import type { ShowChange } from './show-schema.ts';

/** Shows: named places on air. An overlay points to a show once, and the poll that the show has on air changes. */

export interface Show
  extends Pick<
    StoredShow,
    'title' | 'onAir' | 'last' | 'rundown' | 'own' | 'place' | 'version' | 'look' | 'logo'
  > {
  readonly name: string;
  /** What `undo` puts on air. */
  readonly before: Aired | undefined;
}

type Ports = Pick<Engine, 'polls' | 'hints' | 'records' | 'events'>;

/** It owns all polls of its run-down. */
type NewShow = Pick<Show, 'name' | 'title'> & Partial<Pick<StoredShow, 'id' | 'look' | 'rundown'>>;

const ID_BYTES = 12;

/**
 * Creates a show. Safe to repeat with the same key.
 *
 * @param isKept created with an operator key, so that it never expires
 * @throws PollError `show_name_taken`
 */
export async function createShow(
  { records }: Pick<Ports, 'records'>,
  { name, title, id = createShowId(), look, rundown = [] }: NewShow,
  keyHash: string,
  isKept = false,
): Promise<void> {
  const show = newShow({
    title,
    keyHash,
    id,
    changedAtMs: Date.now(),
    rundown,
    own: rundown,
    ...(look && { look }),
    ...(isKept && { isKept }),
  });
  const stored = parseShow(await records.putIfAbsent(showTopic(name), JSON.stringify(show)));
  if (!sameDigest(stored.keyHash, keyHash)) throw new PollError('show_name_taken');
}

/**
 * Stores polls and the show that owns them. Safe to repeat with the same.
 *
 * @param logo of the show
 * @throws PollError `show_name_taken`
 */
export async function createShowOfPolls(
  engine: Ports,
  show: NewShow,
  keyHash: string,
  polls: readonly NewPoll[],
  { isKept, logo }: { readonly isKept: boolean; readonly logo: Logo | undefined },
): Promise<void> {
  const rundown = polls.map(({ poll }) => poll.id);
  try {
    await Promise.all(polls.map(poll => engine.polls.create(poll)));
    // Last, so that nothing shows half of it.
    await createShow(engine, { ...show, rundown }, keyHash, isKept);
  } catch (error) {
    // Rejected for good: a retry creates other polls.
    if (error instanceof PollError && error.status < 500)
      await Promise.all(rundown.map(id => engine.polls.remove(id)));
    throw error;
  }
  const key: PresentedKey = { hash: keyHash, carrier: 'header' };
  if (logo) await setLogo(engine, show.name, logo, { key, isOperatorKey: () => false });
}

/** @throws PollError `show_name_taken` unless the name is free, or its show has this key */
export async function requireFreeName(
  { records }: Pick<Ports, 'records'>,
  name: string,
  keyHash: string,
): Promise<void> {
  const text = await records.find(showTopic(name));
  if (text !== undefined && !sameDigest(parseShow(text).keyHash, keyHash))
    throw new PollError('show_name_taken');
}

export async function findShow({ records }: Pick<Ports, 'records'>, name: string): Promise<Show | undefined> {
  const text = await findText(records, name);
  return text === undefined ? undefined : toShow(name, parseShow(text));
}

/** Changes title, look, run-down and what is on air. @throws PollError `poll_not_found`, and what `rewriteShow` throws */
export async function changeShow(
  engine: Ports,
  name: string,
  { title, look, onAir, rundown }: ShowChange,
  request: ShowRequest,
): Promise<Show> {
  const show = await rewriteShow(engine, name, request, async stored => {
    if (onAir && onAir !== stored.onAir) await requirePolls(engine, stored, [onAir], () => 'show.on_air');
    let wanted = title === undefined || title === stored.title ? stored : { ...stored, title };
    if (look !== undefined && JSON.stringify(look ?? undefined) !== JSON.stringify(stored.look))
      wanted = { ...wanted, look: look ?? undefined };
    if (rundown && rundown.join() !== stored.rundown.join())
      wanted = withRundown(wanted, rundown, await findOwn(engine, stored, rundown));
    return onAir === undefined || onAir === wanted.onAir ? wanted : withOnAir(wanted, onAir);
  });
  return toShow(name, show);
}

/**
 * Puts the next or previous poll of the run-down on air and skips deleted polls.
 *
 * @throws PollError `rundown_end`, `rundown_start`, and what `rewriteShow` throws
 */
export async function stepShow(
  engine: Ports,
  name: string,
  direction: Direction,
  request: ShowRequest,
): Promise<{ readonly show: Show } & Pick<Step, 'skipped'>> {
  let skipped: readonly PollId[] = [];
  const show = await rewriteShow(engine, name, request, async stored => {
    const step = await stepFrom(stored, direction, goneIn(engine));
    skipped = step.skipped;
    return withOnAir(stored, step.to);
  });
  return { show: toShow(name, show), skipped };
}

/**
 * Takes back the last change of what is on air, up to twenty one after the other.
 *
 * @returns also what was on air until now; undefined if the same request was carried out before
 * @throws PollError `nothing_to_undo`, and what `rewriteShow` throws
 */
export async function undoShow(
  engine: Ports,
  name: string,
  request: ShowRequest,
): Promise<{ readonly show: Show; readonly undone: Pick<Show, 'onAir'> | undefined }> {
  let undone: Pick<Show, 'onAir'> | undefined;
  const show = await rewriteShow(engine, name, request, async stored => {
    undone = { onAir: stored.onAir };
    return withoutLastOnAir(stored, goneIn(engine));
  });
  return { show: toShow(name, show), undone };
}

function goneIn({ polls }: Pick<Ports, 'polls'>): FindGone {
  return async ids => {
    const real = ids.filter(isPollId);
    const revisions = real.length === 0 ? [] : await polls.findRevisions(real);
    return new Set(real.filter((_, index) => revisions[index] === undefined));
  };
}

/**
 * Replaces the key of a show, which also manages the polls it owns. Safe to repeat with the same new key.
 *
 * @throws PollError what `rewriteShow` throws
 */
export async function renewShowKey(
  engine: Ports,
  name: string,
  keyHash: string,
  access: ShowAccess,
): Promise<void> {
  // When repeated, the old key is already invalid.
  const isMade = (stored: StoredShow) => sameDigest(stored.keyHash, keyHash);
  await rewriteShow(engine, name, { ...access, isMade }, async stored => ({ ...stored, keyHash }));
}

/**
 * Replaces the logo; undefined removes it. Safe to repeat.
 *
 * @throws PollError what `rewriteShow` throws
 */
export async function setLogo(
  engine: Ports,
  name: string,
  logo: Logo | undefined,
  access: ShowAccess,
): Promise<Show> {
  const { records } = engine;
  let text: string | undefined;
  try {
    const show = await rewriteShow(engine, name, access, async stored => {
      // Written first: a show never names a logo that is not there yet.
      text = logo && writeLogo(logo);
      if (text !== undefined) await records.put(logoRecord(name), text);
      else if (stored.logo !== undefined) await records.remove(logoRecord(name));
      return stored.logo === logo?.file ? stored : { ...stored, logo: logo?.file };
    });
    return toShow(name, show);
  } catch (error) {
    // The show was deleted meanwhile.
    if (text !== undefined && error instanceof PollError && error.code === 'show_not_found')
      await records.replace(logoRecord(name), text, undefined);
    throw error;
  }
}

/** Frees the name; the polls stay. @throws PollError what `rewriteShow` throws */
export async function removeShow(engine: Ports, name: string, access: ShowAccess): Promise<void> {
  await rewriteShow(engine, name, access, async ({ logo }) => {
    if (logo !== undefined) await engine.records.remove(logoRecord(name));
    return undefined;
  });
}

/**
 * The owner of polls that are about to be created in a show.
 *
 * @throws PollError `show_not_found`, `api_key_required`, `api_key_rejected`
 */
export async function openShow(
  engine: Ports,
  name: string,
  access: ShowAccess,
): Promise<{ readonly owner: PollOwner; readonly isKept: boolean }> {
  const { id, isKept = false } = (await rewriteShow(engine, name, access, async stored =>
    stored.id === '' ? { ...stored, id: createShowId() } : stored,
  ))!;
  return { owner: { name, id }, isKept };
}

/**
 * Stores a poll and adds it to the run-down of the show that owns it. Safe to repeat.
 *
 * @param after the poll that it follows; else it is the last one
 * @throws PollError `rundown_full`, and what `rewriteShow` throws
 */
export async function addPoll(
  engine: Ports,
  created: NewPoll,
  access: ShowAccess,
  after?: PollId,
): Promise<void> {
  const { id, show } = created.poll;
  let isStored = false;
  try {
    await rewriteShow(engine, show!.name, access, async stored => {
      if (!ownsPoll(stored, show)) throw new PollError('show_not_found');
      if (stored.rundown.includes(id)) return stored;
      if (stored.rundown.length >= MAX_RUNDOWN) throw new PollError('rundown_full');
      isStored = (await engine.polls.create(created)) || isStored;
      const at = after === undefined ? -1 : stored.rundown.indexOf(after);
      const rundown = stored.rundown.toSpliced(at < 0 ? stored.rundown.length : at + 1, 0, id);
      return withRundown(stored, rundown, [...stored.own, id]);
    });
  } catch (error) {
    // Rejected for good: a retry creates another poll.
    if (isStored && error instanceof PollError && error.status < 500) await engine.polls.remove(id);
    throw error;
  }
}

export function toShow(name: string, show: StoredShow): Show {
  const { title, onAir, last, rundown, own, place, version, look, logo, aired } = show;
  return { name, title, onAir, last, rundown, own, place, version, look, logo, before: aired?.at(-1) };
}

export function createShowId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}

/** New polls of a run-down must exist. Polls already in it may have been deleted, so that the rest can be reordered. */
async function findOwn(engine: Ports, stored: StoredShow, rundown: readonly PollId[]): Promise<PollId[]> {
  const fresh = rundown.filter(id => !stored.rundown.includes(id));
  const own = await requirePolls(engine, stored, fresh, id => `show.rundown.${rundown.indexOf(id)}`);
  return rundown.filter(id => stored.own.includes(id) || own.has(id));
}

/** @returns the polls that the show owns @throws PollError `poll_not_found` */
async function requirePolls(
  { polls }: Pick<Ports, 'polls'>,
  stored: StoredShow,
  ids: readonly PollId[],
  pathOf: (id: PollId) => string,
): Promise<Set<PollId>> {
  // Simulated polls always exist and have no owner.
  const readings = await Promise.all(
    ids.filter(isPollId).map(async id => ({ id, found: await polls.find(id) })),
  );
  const issues: Issue[] = readings
    .filter(({ found }) => !found)
    .map(({ id }) => ({
      path: pathOf(id),
      message: `There is no poll with the id ${id}: it was deleted, or the id is wrong`,
    }));
  if (issues.length > 0) throw new PollError('poll_not_found', { issues });
  return new Set(readings.filter(({ found }) => ownsPoll(stored, found?.poll.show)).map(({ id }) => id));
}

const CHECK_MS = 600_000;
/** One process sweeps within this time, however many there are. */
const SWEEP_EVERY_MS = 3_600_000;
const TURN = 'limits:show-sweep';

type SweptPorts = Ports & Pick<Engine, 'archive'>;

/** Removes empty shows from time to time. @returns stops */
export function sweepShows(engine: SweptPorts, keptMs: number): () => void {
  const id = randomUUID();
  const sweep = async () => {
    if ((await engine.records.putIfAbsent(TURN, id, SWEEP_EVERY_MS)) !== id) return;
    await removeEmptyShows(engine, keptMs, Date.now());
  };
  // A failed sweep is repeated at the next check.
  const timer = setInterval(() => void sweep().catch(() => {}), CHECK_MS).unref();
  return () => clearInterval(timer);
}

/**
 * Removes shows that have expired and have no poll left.
 *
 * @param keptMs milliseconds for which a show without a poll is kept after its last change
 * @param nowMs UNIX time in milliseconds
 */
export async function removeEmptyShows(engine: SweptPorts, keptMs: number, nowMs: number): Promise<void> {
  const { archive, hints, records, events } = engine;
  for await (const { name, text } of archive.readRecords(name => name.startsWith(showTopic('')))) {
    const { changedAtMs, isKept, ...show } = parseShow(text);
    const isDue = !isKept && changedAtMs !== undefined && changedAtMs + keptMs <= nowMs;
    if (!isDue || (await hasPoll(engine, show))) continue;
    const logo = logoRecord(name.slice(showTopic('').length));
    const image = show.logo && (await records.find(logo));
    await events.markDeleted(name);
    // A concurrent change keeps the show.
    if (!(await records.replace(name, text, undefined))) continue;
    if (image !== undefined) await records.replace(logo, image, undefined);
    await hints.publish(name).catch(() => {});
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
