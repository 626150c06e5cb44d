import { randomBytes, randomUUID } from 'node:crypto';
import type { Engine } from '../engine/engine.ts';
import { engineWith } from '../engine/engine-with.ts';
import type { Read } from '../engine/shared-read.ts';
import { changePoll, withRehearsal } from '../engine/with-rehearsal.ts';
import { LETTERS } from '../poll/chat-link.ts';
import {
  hasBallots,
  isPollId,
  type NewPoll,
  type NextRound,
  type PollId,
  type PollOwner,
  type Reading,
} from '../poll/poll.ts';
import { type Correction, markOfState, type PollChange, stateOf } from '../poll/poll-change.ts';
import { type Issue, PollError } from '../poll/poll-error.ts';
import { authorizeManage, type PresentedKey, sameDigest } from '../poll/poll-key.ts';
import { originOfTwin, REHEARSAL_ID } from '../poll/rehearsal.ts';
import type { StoredImage } from '../poll/stored-image.ts';
import { editOf, planEdit } from './edited-poll.ts';
import { drawJoinCode, keepJoinCode, ownerShow, sweepJoinCodes } from './join-codes.ts';
import {
  type AskedOptions,
  isOver,
  type PollButton,
  type PressedPoll,
  type PressOptions,
  planPress,
  planUndo,
} from './poll-press.ts';
import {
  type HistoryEntry,
  type PressName,
  type RecentPress,
  requireUnchanged,
  targetOf,
} from './press-guard.ts';
import {
  findText,
  opensShow,
  pressInTurn,
  rewriteShow,
  type ShowAccess,
  type ShowRequest,
} from './rewrite-show.ts';
import {
  type Direction,
  type FindGone,
  findUndoable,
  MAX_RUNDOWN,
  newShow,
  ownerKeysIn,
  ownsPoll,
  parseShow,
  type RundownStep,
  replacedLooks,
  type StoredShow,
  showTopic,
  stepFrom,
  withEntry,
  withLooks,
  withOnAir,
  withoutEntry,
  withRundown,
} from './show.ts';
import { imageRecord, SHOW_IMAGES, type ShowImageKind, type ShowImages, writeImage } from './show-images.ts';
import type { ShowChange } from './show-schema.ts';
import { nextCue, planWinners, type ShownWinner, winnersBefore } from './winner.ts';

/** Shows: named places on air. An overlay points to a show once, and the poll that the show has on air changes. */

/** A press that `undo` takes back or has taken back. Named as on the wire. */
export interface Undo {
  readonly id: string;
  readonly press: PressName;
  /** The poll that it changed, or put on air; null if it took one off air. */
  readonly poll: PollId | null;
  /** What undoing it puts or has put on air. */
  readonly on_air: PollId | null;
}

type ShowEngine = Pick<Engine, 'polls' | 'hints' | 'records' | 'events'>;

/** It owns all polls of its rundown. */
type NewShow = { readonly name: string; readonly id?: string } & Omit<
  Parameters<typeof newShow>[0],
  'id' | 'keyHash' | 'changedAtMs' | 'isKept' | 'own'
>;

const ID_BYTES = 12;

/**
 * Creates a show. Safe to repeat with the same key.
 *
 * @param isKept created with an operator key, so that it never expires
 * @throws PollError `show_name_taken`
 */
export async function createShow(
  engine: Pick<ShowEngine, 'polls' | 'records'>,
  { name, id = createShowId(), rundown = [], delay, nextLetter, ...members }: NewShow,
  keyHash: string,
  isKept = false,
): Promise<void> {
  const { joinCode } = members;
  const show = newShow({
    ...members,
    keyHash,
    id,
    changedAtMs: Date.now(),
    rundown,
    own: rundown,
    delay: delay || undefined,
    nextLetter: nextLetter || undefined,
    ...(isKept && { isKept }),
  });
  if (joinCode !== undefined) await keepJoinCode(engine, joinCode, ownerShow(name, id));
  const stored = parseShow(await engine.records.putIfAbsent(showTopic(name), JSON.stringify(show)));
  if (!sameDigest(stored.keyHash, keyHash)) throw new PollError('show_name_taken');
}

/**
 * Stores polls and the show that owns them. Safe to repeat with the same.
 *
 * @param images of the show
 * @throws PollError `show_name_taken`
 */
export async function createShowOfPolls(
  engine: ShowEngine,
  show: NewShow,
  keyHash: string,
  polls: readonly NewPoll[],
  { isKept, images }: { readonly isKept: boolean; readonly images: ShowImages },
): Promise<void> {
  const rundown = polls.map(({ poll }) => poll.id);
  let nextLetter = 0;
  const lettered = polls.map(created => {
    const firstLetter = nextLetter;
    nextLetter = letterAfter(firstLetter, created);
    return nextLetter === firstLetter ? created : withFirstLetter(created, firstLetter);
  });
  try {
    await Promise.all(lettered.map(poll => engine.polls.create(poll)));
    // Last, so that nothing shows half of it.
    await createShow(engine, { ...show, rundown, nextLetter }, keyHash, isKept);
  } catch (error) {
    // Rejected for good: a retry creates other polls.
    if (error instanceof PollError && error.status < 500)
      await Promise.all(rundown.map(id => engine.polls.remove(id)));
    throw error;
  }
  const key: PresentedKey = { hash: keyHash, carrier: 'header' };
  for (const kind of SHOW_IMAGES)
    if (images[kind])
      await setImage(engine, show.name, kind, images[kind], { key, isOperatorKey: () => false });
}

/** @throws PollError `show_name_taken` unless the name is free, or its show has this key */
export async function requireFreeName(
  { records }: Pick<ShowEngine, 'records'>,
  name: string,
  keyHash: string,
): Promise<void> {
  const text = await records.find(showTopic(name));
  if (text !== undefined && !sameDigest(parseShow(text).keyHash, keyHash))
    throw new PollError('show_name_taken');
}

export async function findShow(
  { records }: Pick<ShowEngine, 'records'>,
  name: string,
): Promise<StoredShow | undefined> {
  const text = await findText(records, name);
  return text === undefined ? undefined : parseShow(text);
}

/**
 * Changes title, look, delay, rundown, options and what is on air.
 *
 * @throws PollError `poll_not_found`, and what `rewriteShow` throws
 */
export async function changeShow(
  engine: ShowEngine,
  name: string,
  { onAir, rundown, looks, hasJoinCode, confirm, ...members }: ShowChange,
  request: ShowRequest,
): Promise<StoredShow> {
  let drawn: string | undefined;
  const drawFor = async ({ id }: StoredShow) => {
    drawn ??= await drawJoinCode(engine, ownerShow(name, id));
    await keepJoinCode(engine, drawn, ownerShow(name, id));
    return drawn;
  };
  const entry = newEntry(onAir === null ? 'clear' : 'take', request);
  const next = async (stored: StoredShow) => {
    const aired = await requireSeen(engine, stored, entry.press, request);
    const isTaken = onAir && onAir !== stored.onAir;
    const owned = isTaken && (await requirePolls(engine, stored, [onAir], () => 'show.on_air'));
    let wanted = withMembers(stored, members);
    if (hasJoinCode !== undefined && hasJoinCode !== (stored.joinCode !== undefined))
      wanted = { ...wanted, joinCode: hasJoinCode ? await drawFor(stored) : undefined };
    if (rundown && rundown.join() !== stored.rundown.join()) {
      if (!confirm) requireKeptOnAir(stored, rundown);
      const own = await findOwn(engine, stored, rundown);
      wanted = listedShow(wanted, withRundown(wanted, rundown, own), request);
    }
    if (looks) wanted = withChangedLooks(wanted, looks, request);
    if (onAir === undefined || onAir === wanted.onAir) return wanted;
    if (owned) wanted = { ...wanted, own: [...new Set([...wanted.own, ...owned])] };
    const isClosing = onAir !== null && !!wanted.closeBeforeNext;
    return withOnAir(wanted, onAir, {
      ...entry,
      poll: isClosing ? closingOf(stored, aired, request) : undefined,
    });
  };
  return onAir === undefined && rundown === undefined && looks === undefined
    ? rewriteShow(engine, name, request, next)
    : pressShow(engine, name, entry, request, next);
}

/** @throws PollError `confirm_required` for a rundown without its poll on air */
function requireKeptOnAir({ onAir, rundown: before }: StoredShow, rundown: readonly PollId[]): void {
  const id = originOfTwin(onAir ?? '') ?? onAir;
  if (id === null || !before.includes(id) || rundown.includes(id)) return;
  throw new PollError('confirm_required', {
    message: `The poll ${id} is on air. To remove it from the rundown, send {"show": {"confirm": true}}. It stays on air.`,
  });
}

/** @returns `after`, with an entry in the history */
function listedShow(stored: StoredShow, after: StoredShow, request: ShowRequest): StoredShow {
  const { rundown: before } = stored;
  const { rundown } = after;
  const added = rundown.find(id => !before.includes(id));
  const removed = before.find(id => !rundown.includes(id));
  const poll = added ?? removed ?? rundown.find((id, at) => id !== before[at]);
  const press = added !== undefined ? 'add' : removed !== undefined ? 'remove' : 'move';
  const listed = { poll, rundown: before, place: stored.place };
  return withEntry(after, { ...newEntry(press, request), listed, looks: replacedLooks(stored, after) });
}

/** @throws PollError `invalid_request` for polls that are not in the rundown */
function withChangedLooks(
  stored: StoredShow,
  wanted: NonNullable<ShowChange['looks']>,
  request: ShowRequest,
): StoredShow {
  const { rundown, looks = {}, onAir } = stored;
  const known = [...rundown, ...Object.keys(looks), originOfTwin(onAir ?? '') ?? onAir];
  const issues: Issue[] = Object.entries(wanted)
    .filter(([id, look]) => look && !known.includes(id))
    .map(([id]) => ({ path: `show.looks.${id}`, message: 'is not in the rundown' }));
  if (issues.length > 0) throw new PollError('invalid_request', { issues });
  const changed = Object.entries(wanted).map(([id, members]) => {
    const kept = Object.entries({ ...looks[id], ...members }).filter(([, value]) => value !== null);
    return [id, members && kept.length > 0 ? Object.fromEntries(kept) : null];
  });
  const after = withLooks(stored, Object.fromEntries(changed));
  const replaced = replacedLooks(stored, after);
  return replaced ? withEntry(after, { ...newEntry('edit', request), looks: replaced }) : stored;
}

/** Returns the same object if all given members are as the show has them already. */
function withMembers(
  stored: StoredShow,
  {
    title,
    look,
    delay,
    finalTwo,
    closeBeforeNext,
    winner,
    chat,
  }: Omit<ShowChange, 'onAir' | 'rundown' | 'hasJoinCode'>,
): StoredShow {
  // As they are stored, where a default is absent.
  const wanted: Partial<StoredShow> = {
    ...(title !== undefined && { title }),
    ...(look !== undefined && { look: look ?? undefined }),
    ...(delay !== undefined && { delay: delay || undefined }),
    ...(finalTwo !== undefined && { finalTwo: finalTwo || undefined }),
    ...(closeBeforeNext !== undefined && { closeBeforeNext: closeBeforeNext || undefined }),
    ...(winner && { winner: winner === 'close' ? undefined : winner }),
    ...(chat && { chat: chat.length > 0 ? chat : undefined }),
  };
  const next = { ...stored, ...wanted };
  return JSON.stringify(next) === JSON.stringify(stored) ? stored : next;
}

/**
 * Puts the next or previous poll of the rundown on air and skips deleted polls.
 *
 * @param closesBefore whether an open poll on air is closed; absent: as the show has it
 * @throws PollError `rundown_end`, `rundown_start`, and what `rewriteShow` throws
 */
export async function stepShow(
  engine: ShowEngine,
  name: string,
  direction: Direction,
  request: ShowRequest,
  closesBefore?: boolean,
): Promise<{ readonly show: StoredShow } & Pick<RundownStep, 'skipped'>> {
  let skipped: readonly PollId[] = [];
  const entry = newEntry(direction, request);
  const show = await pressShow(engine, name, entry, request, async stored => {
    const aired = await requireSeen(engine, stored, entry.press, request);
    const step = await stepFrom(stored, direction, goneIn(engine));
    skipped = step.skipped;
    const isClosing = closesBefore ?? stored.closeBeforeNext;
    return withOnAir(stored, step.to, {
      ...entry,
      poll: isClosing ? closingOf(stored, aired, request) : undefined,
    });
  });
  return { show, skipped };
}

/**
 * Opens, closes, reveals or hides the poll on air, or another one. What already holds is left as it
 * is, without an entry in the history.
 *
 * The show is written first, with the press, and then the poll, only where it is still as it was
 * before. So a crash in between leaves a press that a retry with the same `Idempotency-Key` carries
 * out, and whose undo changes nothing.
 *
 * @throws PollError `nothing_on_air`, `poll_open`, `nothing_to_reveal`, `api_key_rejected` for a
 *   poll that the key does not manage, `poll_not_found`, and what `rewriteShow` throws
 */
export async function pressPoll(
  engine: ShowEngine,
  name: string,
  button: PollButton,
  options: AskedOptions,
  request: ShowRequest,
): Promise<StoredShow> {
  const entry = newEntry(button, request);
  const isOther = ({ key }: Pick<HistoryEntry, 'key'>) => key !== entry.key;
  return pressInTurn(engine, name, request, async () => {
    for (let attempt = request; ; ) {
      let isPlanned = false;
      const show = await rewriteShow(engine, name, attempt, async stored => {
        isPlanned = true;
        const { poll, winners } = await planOnAir(engine, stored, button, options, request);
        if (!poll) return stored;
        const now = winners ? { ...stored, winners } : stored;
        return withEntry(now, { ...entry, poll, winners: winners && (stored.winners ?? []) });
      });
      const planned = show.history.findLast(({ key }) => key === entry.key);
      if (!isPlanned && (await isCarriedOut(engine, show, planned, request))) return show;
      const isDone = await carryOut(engine, planned);
      if (planned?.winners && planned.poll) await takeWinnerBack(engine, planned.poll.id, name);
      if (isDone || !isPlanned) return show;
      // Another request changed the poll after it was read: planned again, without the first plan.
      attempt = { ...request, version: undefined, requireMatch: undefined, press: undefined };
      await rewriteShow(engine, name, attempt, async stored => ({
        ...stored,
        winners: planned ? winnersBefore(stored, planned) : stored.winners,
        history: stored.history.filter(isOther),
        recent: stored.recent.filter(isOther),
      }));
    }
  });
}

/**
 * Begins the next round of the poll on air, or of another one. The show is written first, as by `pressPoll`.
 *
 * @param draw the round after a reading
 * @param spend spends what it takes
 * @throws PollError `confirm_required`, and what `pressPoll`, `draw` and `spend` throw
 */
export async function pressAgain(
  engine: ShowEngine,
  name: string,
  { poll, confirm }: Pick<AskedOptions, 'poll' | 'confirm'>,
  request: ShowRequest,
  draw: (reading: Reading) => Promise<NextRound>,
  spend: (next: NextRound) => Promise<void>,
): Promise<StoredShow> {
  const entry = newEntry('again', request);
  return pressInTurn(engine, name, request, async () => {
    const show = await rewriteShow(engine, name, request, async stored => {
      const reading = await readPressed(engine, stored, entry.press, poll, request);
      if (hasBallots(reading.results) && !confirm)
        throw new PollError('confirm_required', {
          message: 'This round has ballots. To begin the next one, send {"show": {"confirm": true}}.',
        });
      await spend(await draw(reading));
      const { id } = reading.poll;
      return withEntry(stored, { ...entry, poll: { id, before: stateOf(reading), change: {}, again: true } });
    });
    const pressed = show.history.findLast(({ key }) => key === entry.key)?.poll;
    for (let isBegun = !pressed; !isBegun; ) {
      const reading = await findPoll(engine, pressed!.id);
      isBegun =
        !reading ||
        isOver(reading, { ...pressed!, again: undefined }) ||
        (await engine.polls.again(pressed!.id, onAirFor(show, await draw(reading))));
    }
    return show;
  });
}

/** The seconds of a prepared round are seconds on air. */
function onAirFor(show: StoredShow, next: NextRound): NextRound {
  const { deadlineMs, poll } = next;
  if (deadlineMs === null || poll.initial?.closesInMs === undefined) return next;
  return { ...next, deadlineMs: deadlineMs + airOf(show).delayMs! };
}

/**
 * Takes back the last press, up to twenty one after the other. The poll is restored first, which
 * may be repeated, and then the entry is taken away: after a crash in between, the same press is
 * taken back again. A press that is over leaves the history, too, and the request is rejected,
 * because it has taken nothing back.
 *
 * @returns also the press; undefined if the same request was carried out before
 * @throws PollError `nothing_to_undo`, `api_key_rejected` for a poll that the key does not manage,
 *   and what `rewriteShow` throws
 */
export async function undoShow(
  engine: ShowEngine,
  name: string,
  request: ShowRequest,
): Promise<{ readonly show: StoredShow; readonly undone: Undo | undefined }> {
  let undone: Undo | undefined;
  let isRejected = false;
  // The press is kept with its outcome, for retries.
  const sent: ShowRequest & { press?: ShowRequest['press'] } = { ...request };
  let restored: string | undefined;
  let crowned: PollId | undefined;
  const undo = async (stored: StoredShow) => {
    // The show was written after the poll was restored: the same press, not the one before it.
    const begun = stored.history.findLastIndex(({ key }) => key === restored);
    const choose = () =>
      request.undo === undefined
        ? findLast(engine, stored, request)
        : findNamed(engine, stored, request.undo);
    const at = begun >= 0 ? begun : await choose();
    const entry = stored.history[at]!;
    const { air, listed, looks } = entry;
    crowned = entry.winners && entry.poll?.id;
    const isBack = begun >= 0 || (await takeBack(engine, stored, entry, request));
    if (isBack) restored = entry.key;
    undone = isBack || air || listed || looks ? undoOf(stored, entry) : undefined;
    isRejected = !undone;
    sent.press = request.press && { ...request.press, ...(isRejected && { isRejected }) };
    return withoutEntry(stored, at, newEntry('undo', request));
  };
  const show = await pressInTurn(engine, name, request, () => rewriteShow(engine, name, sent, undo));
  if (crowned !== undefined) await takeWinnerBack(engine, crowned, name);
  const made = show.presses.find(({ key }) => key === request.press?.key);
  if (isRejected || made?.isRejected)
    throw new PollError('nothing_to_undo', {
      message:
        'The last press can no longer be taken back: its vote has ended, the next round has begun, or nothing is left of it. It has left the history, so the next undo takes back the press before it.',
    });
  return { show, undone };
}

/** @throws PollError `nothing_to_undo`, and what `requireUnchanged` throws */
async function findLast(engine: ShowEngine, stored: StoredShow, request: ShowRequest): Promise<number> {
  await requireSeen(engine, stored, 'undo', request);
  return findUndoable(stored, goneIn(engine));
}

/**
 * Finds the press that a request names. The ones after it must be over.
 *
 * @throws PollError `show_changed`
 */
async function findNamed(engine: ShowEngine, stored: StoredShow, id: string): Promise<number> {
  // The newest: one request may have changed the rundown, too.
  const at = stored.history.findLastIndex(({ key }) => key === id);
  const newest = await findNewest(engine, stored);
  if (at >= 0 && newest <= at) return at;
  const message =
    at < 0
      ? 'This press was taken back before, or more than 20 presses came after it. Nothing was changed.'
      : 'Another press came after the one that you named, so nothing was changed. Read the show again.';
  throw new PollError('show_changed', { message });
}

/** The press that `undo` takes back. Presses that are over are skipped. */
export async function findUndo(engine: ShowEngine, stored: StoredShow): Promise<Undo | undefined> {
  const entry = stored.history[await findNewest(engine, stored)];
  return entry && undoOf(stored, entry);
}

/** @returns the index of the newest press that can be taken back, or -1 */
async function findNewest(engine: ShowEngine, stored: StoredShow): Promise<number> {
  const readings = new Map<PollId, Promise<Reading | undefined>>();
  const findOnce = (id: PollId) => {
    const reading = readings.get(id) ?? findPoll(engine, id);
    readings.set(id, reading);
    return reading;
  };
  for (let at = stored.history.length - 1; at >= 0; at -= 1) {
    const entry = stored.history[at]!;
    if (await isUndoable(findOnce, stored, entry)) return at;
    // Its round stays, so what was pressed in the one before is over.
    if (entry.poll?.again && !isSameRound(await findOnce(entry.poll.id), entry.poll)) return -1;
  }
  return -1;
}

async function isUndoable(find: Read, { onAir }: StoredShow, entry: HistoryEntry): Promise<boolean> {
  const { air, listed, looks } = entry;
  if (air && air.onAir === onAir) return false;
  const id = targetOf(entry);
  if (id === null) return true;
  const reading = id && (await find(id));
  return !!reading && (!!air || !!listed || !!looks || planBack(reading, entry) !== undefined);
}

/** @returns what restores the poll of a press, empty if only its show is; undefined if the press is over */
function planBack(reading: Reading, { poll, edit, winners }: HistoryEntry): PollChange | undefined {
  const correction = edit && planEdit(reading, edit);
  if (correction) return { correction };
  if (!poll || isOver(reading, poll)) return undefined;
  if (poll.again) return hasBallots(reading.results) ? undefined : {};
  return planUndo(reading.results, poll) ?? (winners && reading.results.status === 'closed' ? {} : undefined);
}

/** Remembers a correction of a poll that the key of its show has made, for `undo`. */
export async function recordEdit(
  engine: ShowEngine,
  correction: Correction,
  access: ShowAccess,
): Promise<void> {
  const { show } = correction.before;
  const edit = editOf(correction);
  const text = show && edit && (await findText(engine.records, show.name));
  const stored = text && parseShow(text);
  if (!stored || !ownsPoll(stored, show) || !opensShow(stored, access)) return;
  const entry = { ...newEntry('edit', access), edit };
  await pressInTurn(engine, show.name, access, () =>
    rewriteShow(engine, show.name, access, async stored => withEntry(stored, entry)),
  );
}

/** A winner comes after the close: takes back the one of an open poll, so that it comes on a press again. */
export async function takeWinnerBack(
  engine: ShowEngine,
  id: PollId,
  showName: string | undefined,
): Promise<void> {
  const isOther = (winner: ShownWinner) => winner.poll !== id;
  const text = showName && (await findText(engine.records, showName));
  if (!text || (parseShow(text).winners ?? []).every(isOther)) return;
  if ((await findPoll(engine, id))?.results.status !== 'open') return;
  await rewriteShow(engine, showName, OF_SERVER, async stored => ({
    ...stored,
    winners: stored.winners?.filter(isOther),
  }));
}

function newEntry<Name extends string>(
  press: Name,
  { press: sent, hand = '' }: ShowRequest,
): Pick<HistoryEntry, 'key' | 'hand' | 'atMs'> & { readonly press: Name } {
  return { key: sent?.key ?? createShowId(), press, hand, atMs: Date.now() };
}

/** @returns the poll on air @throws PollError what `requireUnchanged` throws */
async function requireSeen(
  engine: ShowEngine,
  stored: StoredShow,
  press: RecentPress['press'],
  request: ShowRequest,
): Promise<Reading | undefined> {
  const aired = stored.onAir === null ? undefined : await findPoll(engine, stored.onAir);
  requireUnchanged(stored, press, aired, request);
  return aired;
}

function undoOf({ onAir }: StoredShow, entry: HistoryEntry): Undo {
  const { key: id, press, air } = entry;
  const target = targetOf(entry) ?? null;
  return air ? { id, press, poll: onAir, on_air: target } : { id, press, poll: target, on_air: onAir };
}

/** Writes a change, which may put something on air, and then closes the poll that it closes. */
async function pressShow(
  engine: ShowEngine,
  name: string,
  { key }: Pick<HistoryEntry, 'key'>,
  request: ShowRequest,
  next: (stored: StoredShow) => Promise<StoredShow>,
): Promise<StoredShow> {
  return pressInTurn(engine, name, request, async () => {
    let isPlanned = false;
    const show = await rewriteShow(engine, name, request, stored => {
      isPlanned = true;
      return next(stored);
    });
    const entry = show.history.findLast(entry => entry.key === key);
    if (!isPlanned && (await isCarriedOut(engine, show, entry, request))) return show;
    const isDone = await carryOut(engine, entry);
    // Another request changed the poll after it was read, and it is off air.
    if (!isDone && isPlanned) await changePoll(engine, entry!.poll!.id, { closed: true });
    return show;
  });
}

/** What closes the poll on air because another one takes its place. A poll that the key does not manage stays open. */
function closingOf(
  stored: StoredShow,
  aired: Reading | undefined,
  access: ShowAccess,
): PressedPoll | undefined {
  const change = aired && planPress(aired.results, 'close', airOf(stored));
  if (!change || aired.results.status !== 'open' || !isManaged(stored, aired, access)) return undefined;
  return { id: aired.poll.id, before: stateOf(aired), change };
}

/** Changes the poll of a press, if any. Resolves to false if the poll is not as it was before the press. */
async function carryOut(engine: ShowEngine, entry: HistoryEntry | undefined): Promise<boolean> {
  if (!entry?.poll) return true;
  const { id, before, change } = entry.poll;
  if (Object.keys(change).length === 0) return true;
  return changePoll(engine, id, { ...change, expected: before });
}

/**
 * Whether a press that is sent again changed its poll before, or is over. Only a relay that died
 * between show and poll left it half done.
 *
 * @throws PollError `request_expired` if it is half done
 */
async function isCarriedOut(
  engine: ShowEngine,
  { history }: StoredShow,
  entry: HistoryEntry | undefined,
  request: ShowRequest,
): Promise<boolean> {
  if (!entry?.poll) return true;
  const { id, before } = entry.poll;
  // The opposite press brings back the state before.
  if (history.findLast(({ poll }) => poll?.id === id) !== entry) return true;
  const reading = await findPoll(engine, id);
  if (!reading || markOfState(stateOf(reading)) !== markOfState(before)) return true;
  request.rejectExpired?.();
  return false;
}

/** Whether the poll is in the round of the press. */
function isSameRound(reading: Reading | undefined, { before }: PressedPoll): boolean {
  return (reading?.poll.round ?? 1) === (before.round ?? 1);
}

/** Resolves to false if the press is over, or nothing is left of it. */
async function takeBack(
  engine: ShowEngine,
  stored: StoredShow,
  entry: HistoryEntry,
  access: ShowAccess,
): Promise<boolean> {
  const { poll, edit } = entry;
  for (;;) {
    const reading = (poll || edit) && (await findPoll(engine, (poll ?? edit)!.id));
    if (!reading) return false;
    requireManaged(stored, reading, access);
    if (poll?.again) {
      // A relay died before the round began.
      if (isSameRound(reading, poll)) return false;
      if (await engine.polls.takeBackRound(poll.id, poll.before)) return true;
      throw new PollError('nothing_to_undo', {
        message:
          'Ballots were cast in the new round, or another one has begun, so it stays. Nothing was changed.',
      });
    }
    const change = planBack(reading, entry);
    if (!change || Object.keys(change).length === 0) return !!change;
    access.rejectExpired?.();
    if (await changePoll(engine, reading.poll.id, { ...change, expected: reading.results })) return true;
  }
}

/** The poll, or its twin. */
function findPoll(engine: ShowEngine, id: PollId): Promise<Reading | undefined> {
  return withRehearsal(engine).polls.find(id);
}

/** What a show decides about each press. */
export function airOf({
  finalTwo = false,
  delay = 0,
}: StoredShow): Pick<PressOptions, 'finalTwo' | 'delayMs'> {
  return { finalTwo, delayMs: delay * 1_000 };
}

/** @returns without a poll if it already is as the button has it */
async function planOnAir(
  engine: ShowEngine,
  stored: StoredShow,
  button: PollButton,
  options: AskedOptions,
  request: ShowRequest,
): Promise<Pick<HistoryEntry, 'poll' | 'winners'>> {
  const reading = await readPressed(engine, stored, button, options.poll, request);
  // Where only the winner comes, nothing is left to reveal.
  const isCue = button === 'step' && nextCue(stored, reading) !== undefined;
  const change = isCue ? undefined : planPress(reading.results, button, { ...options, ...airOf(stored) });
  const winners = planWinners(stored, reading, button, change, options.to);
  if (!change && !winners) return {};
  return { poll: { id: reading.poll.id, before: stateOf(reading), change: change ?? {} }, winners };
}

/** The poll that a press is about. @param poll undefined for the one on air */
async function readPressed(
  engine: ShowEngine,
  stored: StoredShow,
  press: PressName,
  poll: PollId | undefined,
  request: ShowRequest,
): Promise<Reading> {
  const id = poll ?? stored.onAir;
  if (id === null) throw new PollError('nothing_on_air');
  const reading = await findPoll(engine, id);
  if (!reading || (press === 'again' && !isPollId(id))) throw new PollError('poll_not_found');
  requireManaged(stored, reading, request);
  requireUnchanged(stored, press, reading, request);
  return reading;
}

/** @throws PollError `api_key_rejected` */
function requireManaged(stored: StoredShow, reading: Reading, access: ShowAccess): void {
  if (isManaged(stored, reading, access)) return;
  throw new PollError('api_key_rejected', {
    message:
      'The show does not own this poll, so its key does not open, close or reveal it. Send the poll’s admin_key with PATCH /api/poll/<id>.',
  });
}

/** The poll `rehearsal` has no key, and an operator’s does not change it either. */
function isManaged(stored: StoredShow, { poll, keys }: Reading, { key, isOperatorKey }: ShowAccess): boolean {
  const showKeys = ownerKeysIn(stored, poll.show);
  return poll.id !== REHEARSAL_ID && authorizeManage(key, { ...keys, showKeys }, isOperatorKey) === 'granted';
}

export function goneIn({ polls }: Pick<ShowEngine, 'polls'>): FindGone {
  return async ids => {
    const real = ids.filter(isPollId);
    const revisions = real.length === 0 ? [] : await polls.findRevisions(real);
    return new Set(real.filter((_, index) => revisions[index] === undefined));
  };
}

/**
 * Replaces the key of a show, which also manages the polls it owns. Safe to repeat with the same new key.
 *
 * @param sealAgain seals the view key with the new key; undefined where the old one does not open it
 * @throws PollError what `rewriteShow` throws
 */
export async function renewShowKey(
  engine: ShowEngine,
  name: string,
  keyHash: string,
  access: ShowAccess,
  sealAgain: (stored: StoredShow) => StoredShow['viewKey'],
): Promise<void> {
  // When repeated, the old key is already invalid.
  const isMade = (stored: StoredShow) => sameDigest(stored.keyHash, keyHash);
  await rewriteShow(engine, name, { ...access, isMade }, async stored => ({
    ...stored,
    keyHash,
    viewKey: sealAgain(stored),
  }));
}

/**
 * Replaces an image; undefined removes it. Safe to repeat.
 *
 * @throws PollError what `rewriteShow` throws
 */
export async function setImage(
  engine: ShowEngine,
  name: string,
  kind: ShowImageKind,
  image: StoredImage | undefined,
  access: ShowAccess,
): Promise<StoredShow> {
  const { records } = engine;
  const record = imageRecord(kind, name);
  let text: string | undefined;
  try {
    return await rewriteShow(engine, name, access, async stored => {
      // Written first: a show never names an image that is not there yet.
      text = image && writeImage(image);
      if (text !== undefined) await records.put(record, text);
      else if (stored[kind] !== undefined) await records.remove(record);
      return stored[kind] === image?.file ? stored : { ...stored, [kind]: image?.file };
    });
  } catch (error) {
    // The show was deleted meanwhile.
    if (text !== undefined && error instanceof PollError && error.code === 'show_not_found')
      await records.replace(record, text, undefined);
    throw error;
  }
}

/** Frees the name; the polls stay. @throws PollError what `rewriteShow` throws */
export async function removeShow(engine: ShowEngine, name: string, access: ShowAccess): Promise<void> {
  await rewriteShow(engine, name, access, async stored => {
    for (const kind of SHOW_IMAGES)
      if (stored[kind] !== undefined) await engine.records.remove(imageRecord(kind, name));
    return undefined;
  });
}

/**
 * The owner of polls that are about to be created in a show.
 *
 * @throws PollError `show_not_found`, `api_key_required`, `api_key_rejected`
 */
export async function openShow(
  engine: ShowEngine,
  name: string,
  access: ShowAccess,
): Promise<{ readonly owner: PollOwner; readonly isKept: boolean }> {
  const { id, isKept = false } = (await rewriteShow(engine, name, access, async stored =>
    stored.id === '' ? { ...stored, id: createShowId() } : stored,
  ))!;
  return { owner: { name, id }, isKept };
}

/**
 * Stores a poll and adds it to the rundown of the show that owns it. Safe to repeat.
 *
 * @param after the poll that it follows; else it is the last one
 * @throws PollError `rundown_full`, and what `rewriteShow` throws
 */
export async function addPoll(
  engine: ShowEngine,
  given: NewPoll,
  access: ShowAccess,
  after?: PollId,
): Promise<void> {
  const { id, show } = given.poll;
  let isStored = false;
  try {
    const created = await withLetters(engine, given, access);
    // The letters have changed the show.
    const second = created === given ? access : { ...access, requireMatch: undefined };
    const add = async (stored: StoredShow) => {
      if (!ownsPoll(stored, show)) throw new PollError('show_not_found');
      if (stored.rundown.includes(id)) return stored;
      if (stored.rundown.length >= MAX_RUNDOWN) throw new PollError('rundown_full');
      isStored = (await engine.polls.create(created)) || isStored;
      const at = after === undefined ? -1 : stored.rundown.indexOf(after);
      const rundown = stored.rundown.toSpliced(at < 0 ? stored.rundown.length : at + 1, 0, id);
      const own = rundown.filter(listed => listed === id || stored.own.includes(listed));
      return listedShow(stored, withRundown(stored, rundown, own), access);
    };
    await pressInTurn(engine, show!.name, second, () => rewriteShow(engine, show!.name, second, add));
  } catch (error) {
    // Rejected for good: a retry creates another poll.
    if (isStored && error instanceof PollError && error.status < 500) await engine.polls.remove(id);
    throw error;
  }
}

/** The key was checked for the poll. */
const OF_SERVER: ShowAccess = { key: { hash: '', carrier: 'header' }, isOperatorKey: () => true };

/** Gives the next round of a poll with `chatWords` letters that its show has not given out yet. */
export function withNextLetters(engine: Engine): Engine {
  const again = async (id: PollId, next: NextRound) => {
    const lettered = await withLetters(engine, next, OF_SERVER).catch((error: unknown) => {
      // Chats of a deleted show have no votes.
      if (error instanceof PollError && error.code === 'show_not_found') return next;
      throw error;
    });
    return engine.polls.again(id, lettered);
  };
  return engineWith(engine, { polls: { again } });
}

/** Takes the letters of a poll with `chatWords` first, so that no two polls or rounds get the same ones. */
async function withLetters<New extends Pick<NewPoll, 'poll'>>(
  engine: ShowEngine,
  created: New,
  access: ShowAccess,
): Promise<New> {
  let firstLetter = 0;
  const { show } = created.poll;
  if (!show || letterAfter(0, created) === 0) return created;
  await rewriteShow(engine, show.name, access, async stored => {
    firstLetter = stored.nextLetter ?? 0;
    return { ...stored, nextLetter: letterAfter(firstLetter, created) };
  });
  return withFirstLetter(created, firstLetter);
}

function letterAfter(letter: number, { poll: { settings, answers } }: Pick<NewPoll, 'poll'>): number {
  return settings.chatWords ? (letter + answers.length) % LETTERS.length : letter;
}

function withFirstLetter<New extends Pick<NewPoll, 'poll'>>(created: New, firstLetter: number): New {
  return { ...created, poll: { ...created.poll, firstLetter } };
}

export function createShowId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}

/** New polls of a rundown must exist. Polls already in it may have been deleted, so that the rest can be reordered. */
async function findOwn(
  engine: ShowEngine,
  stored: StoredShow,
  rundown: readonly PollId[],
): Promise<PollId[]> {
  const fresh = rundown.filter(id => !stored.rundown.includes(id));
  const own = await requirePolls(engine, stored, fresh, id => `show.rundown.${rundown.indexOf(id)}`);
  return rundown.filter(id => stored.own.includes(id) || own.has(id));
}

/** @returns the polls that the show owns @throws PollError `poll_not_found` */
async function requirePolls(
  { polls }: Pick<ShowEngine, 'polls'>,
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

type SweptEngine = ShowEngine & Pick<Engine, 'archive'>;

/** Removes empty shows and free join codes from time to time. @param keptMs undefined keeps shows @returns stops */
export function sweepShows(engine: SweptEngine, keptMs: number | undefined): () => void {
  const id = randomUUID();
  const sweep = async () => {
    if ((await engine.records.putIfAbsent(TURN, id, SWEEP_EVERY_MS)) !== id) return;
    if (keptMs !== undefined) await removeEmptyShows(engine, keptMs, Date.now());
    await sweepJoinCodes(engine);
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
export async function removeEmptyShows(engine: SweptEngine, keptMs: number, nowMs: number): Promise<void> {
  const { archive, hints, records, events } = engine;
  for await (const { name, text } of archive.readRecords(name => name.startsWith(showTopic('')))) {
    const { changedAtMs, isKept, ...show } = parseShow(text);
    const isDue = !isKept && changedAtMs !== undefined && changedAtMs + keptMs <= nowMs;
    if (!isDue || (await hasPoll(engine, show))) continue;
    const stored = SHOW_IMAGES.filter(kind => show[kind]).map(kind =>
      imageRecord(kind, name.slice(showTopic('').length)),
    );
    const images = await Promise.all(
      stored.map(async record => ({ record, text: await records.find(record) })),
    );
    await events.markDeleted(name);
    // A concurrent change keeps the show.
    if (!(await records.replace(name, text, undefined))) continue;
    for (const { record, text } of images)
      if (text !== undefined) await records.replace(record, text, undefined);
    await hints.publish(name).catch(() => {});
  }
}

async function hasPoll(
  engine: Pick<ShowEngine, 'polls'>,
  { rundown, onAir }: Pick<StoredShow, 'rundown' | 'onAir'>,
): Promise<boolean> {
  const ids = [...rundown, ...(onAir === null ? [] : [originOfTwin(onAir) ?? onAir])].filter(isPollId);
  return (await goneIn(engine)(ids)).size < new Set(ids).size;
}
