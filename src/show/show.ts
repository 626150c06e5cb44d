import type { Engine } from '../engine/engine.ts';
import type { Look, Looks } from '../picture/show-look.ts';
import type { AiredWinner } from '../poll/aired-winner.ts';
import type { ChatLink } from '../poll/chat-link.ts';
import {
  type PollId,
  type PollKeys,
  type PollOwner,
  type Reading,
  SHOW_NAME,
  type ShowKeys,
} from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { originOfTwin, twinOf } from '../poll/rehearsal.ts';
import {
  type ChangedLooks,
  type HistoryEntry,
  type RecentPress,
  targetOf,
  withRecent,
} from './press-guard.ts';
import { type ImageFiles, imagePaths } from './show-images.ts';
import { type Winners, winnerOnAir, winnersBefore } from './winner.ts';

/** A show as an engine's records hold it, the polls that it owns, and its rundown. */

export interface StoredShow extends ImageFiles, ShowKeys, Winners, Looks {
  readonly title: string;
  readonly onAir: PollId | null;
  /** Reads only. Sealed with the key of the show, so that its desk can show the link again. */
  readonly viewKey?: { readonly hash: string; readonly sealed: string } | undefined;
  /** Distinguishes it from later shows of the same name. Older shows have none until they own a poll. */
  readonly id: string;
  /** Grows with every change. */
  readonly version: number;
  /** Time of the newest change, UNIX time in milliseconds; absent in older shows. */
  readonly changedAtMs?: number | undefined;
  /** Created with an operator key, so the show never expires. */
  readonly isKept?: true | undefined;
  /** In order, none twice. */
  readonly rundown: readonly PollId[];
  /** Polls that were created in this show: in its rundown, on air, and the newest ones that were removed. */
  readonly own: readonly PollId[];
  /** The poll that is or was on air last. */
  readonly last: PollId | null;
  /** The poll of the rundown that is or was on air last. */
  readonly place: PollId | null;
  /** Absent without one. */
  readonly look?: Look | undefined;
  /** Seconds that viewers are behind, absent for 0. */
  readonly delay?: number | undefined;
  /** The last two places of a reveal by steps appear together. */
  readonly finalTwo?: boolean | undefined;
  /** An open poll is closed when another one takes its place on air. */
  readonly closeBeforeNext?: boolean | undefined;
  /** Chats whose messages are votes in its polls on air; absent for none. */
  readonly chat?: readonly ChatLink[] | undefined;
  /** The first letter of its next poll with `chatWords`, from 0 for A; absent for 0. */
  readonly nextLetter?: number | undefined;
  /** Six or seven digits: see `join-codes.ts`. Absent without one. */
  readonly joinCode?: string | undefined;
  /** What comes back when the rehearsal ends; absent without one. `last` is absent in older shows. */
  readonly rehearsal?: (Pick<StoredShow, 'place'> & Partial<Pick<StoredShow, 'last'>>) | undefined;
  /** The newest presses, oldest first, for `undo`. */
  readonly history: readonly HistoryEntry[];
  /** What pressed and changed something a moment ago, oldest first. */
  readonly recent: readonly RecentPress[];
  /** The newest changes sent with an `Idempotency-Key`, oldest first. */
  readonly presses: readonly Press[];
}

/** A change that may be sent twice. Both are digests. */
export interface Press {
  /** Digest of the `Idempotency-Key`. */
  readonly key: string;
  /** Digest of the change. */
  readonly what: string;
  /** An undo that took nothing back: its retries say so, too. */
  readonly isRejected?: boolean | undefined;
}

/** The name of the record, and the topic of its hints. */
export function showTopic(name: string): `show:${string}` {
  return `show:${name}`;
}

export function newShow(
  show: Pick<StoredShow, 'title' | 'keyHash' | 'id' | 'changedAtMs' | 'isKept'> &
    Partial<
      Pick<
        StoredShow,
        | ('viewKey' | 'look' | 'looks' | 'delay' | 'rundown' | 'own')
        | ('finalTwo' | 'closeBeforeNext' | 'winner' | 'nextLetter' | 'joinCode')
      >
    >,
): StoredShow {
  return {
    onAir: null,
    version: 1,
    rundown: [],
    own: [],
    last: null,
    place: null,
    history: [],
    recent: [],
    presses: [],
    ...show,
  };
}

/** Before shows had keys, a record was the bare id of a poll. Only operator keys change such a show. */
export function parseShow(text: string): StoredShow {
  const stored: Partial<StoredShow> = text.startsWith('{') ? JSON.parse(text) : { onAir: text };
  return { ...newShow({ title: '', keyHash: '', id: '' }), last: stored.onAir ?? null, ...stored };
}

/** What anyone may see of a show; its images as paths on the relay. */
export interface PublicShow extends ImageFiles, Looks {
  readonly id: PollId | null;
  /** There is no such show, and its deletion is not stored. */
  readonly missing?: true | undefined;
  readonly look?: Look | undefined;
  /** Absent for 0. */
  readonly delay?: number | undefined;
  /** Absent where the winner comes with the close. */
  readonly airedWinner?: AiredWinner | undefined;
  /** Chats that the show links count for the poll on air, if it takes votes from chat. */
  readonly chat?: true | undefined;
  readonly joinCode?: string | undefined;
}

/** @param found undefined if there is no such show: nothing is on air */
export function publicShow(name: string, found: StoredShow | undefined, isMissing = false): PublicShow {
  const { onAir: id = null, look, looks, delay, own = [], chat = [], joinCode, ...rest } = found ?? {};
  const entry = entryOf(id ?? '');
  const ownLook = looks?.[entry];
  const airedWinner = winnerOnAir(rest, id);
  return {
    id,
    ...(isMissing && { missing: true as const }),
    ...(look && { look }),
    // The rundown is not public before it is on air.
    ...(ownLook && { looks: { [entry]: ownLook } }),
    ...imagePaths(name, rest),
    ...(delay && { delay }),
    ...(airedWinner && { airedWinner }),
    ...(chat.length > 0 && id !== null && own.includes(id) && { chat: true as const }),
    ...(joinCode !== undefined && { joinCode }),
  };
}

/** Whether a poll was created in this show, not in an earlier one of the same name. */
export function ownsPoll({ id }: StoredShow, owner: PollOwner | undefined): boolean {
  return id !== '' && id === owner?.id;
}

/** All keys of a poll. Costs one more read if a show owns it. */
export async function keysOf(
  engine: Pick<Engine, 'records'>,
  { poll, keys }: Pick<Reading, 'poll' | 'keys'>,
): Promise<PollKeys> {
  const owner = poll.show;
  if (!owner) return keys;
  const text = SHOW_NAME.test(owner.name) ? await engine.records.find(showTopic(owner.name)) : undefined;
  return { ...keys, showKeys: text === undefined ? undefined : ownerKeysIn(parseShow(text), owner) };
}

/** @param show that has the owner's name now @returns undefined if the owner is gone */
export function ownerKeysIn(
  show: StoredShow | undefined,
  owner: PollOwner | undefined,
): ShowKeys | undefined {
  return show && ownsPoll(show, owner) ? show : undefined;
}

/** As many as one connection of the live stream can watch, because a desk watches all of them. */
export const MAX_RUNDOWN = 100;
/** With the newest removed polls. */
const MAX_OWN = 2 * MAX_RUNDOWN;

export type Direction = 'next' | 'previous';

export interface RundownStep {
  readonly to: PollId;
  /** Deleted polls that were skipped. */
  readonly skipped: readonly PollId[];
}

/** Presses that can be undone. */
const MAX_HISTORY = 20;

export function withEntry(show: StoredShow, entry: HistoryEntry): StoredShow {
  const history = [...show.history, entry].slice(-MAX_HISTORY);
  const isOnAir = entry.air || entry.poll;
  return { ...show, history, recent: isOnAir ? withRecent(show.recent, entry) : show.recent };
}

/** @param onAir null clears the air and keeps the place in the rundown */
export function withOnAir(
  show: StoredShow,
  onAir: PollId | null,
  entry: Omit<HistoryEntry, 'air'>,
): StoredShow {
  const before = isTwin(show.onAir) && !isTwin(onAir) ? withoutRehearsal(show) : show;
  const air = { onAir: before.onAir, place: before.place };
  const pressed = air.onAir === onAir ? before : withEntry(before, { ...entry, air });
  if (onAir === null) return { ...pressed, onAir };
  const place = entryOf(onAir);
  const rehearsal = isTwin(onAir) ? (show.rehearsal ?? { place: show.place, last: show.last }) : undefined;
  const isListed = show.rundown.includes(place);
  return { ...pressed, onAir, last: onAir, place: isListed ? place : before.place, rehearsal };
}

function isTwin(id: PollId | null): boolean {
  return originOfTwin(id ?? '') !== undefined;
}

/** The show as its rehearsal found it. Corrections and changes of the rundown stay. */
function withoutRehearsal(show: StoredShow): StoredShow {
  const { place, last = null } = show.rehearsal ?? show;
  const isOfRehearsal = ({ air, poll }: HistoryEntry) => isTwin(poll?.id ?? null) || !!air;
  const start = show.history.findLastIndex(({ air }) => air && !isTwin(air.onAir));
  const history = show.history.filter((entry, at) => at < start || !isOfRehearsal(entry));
  const winners = show.winners?.filter(({ poll }) => !isTwin(poll));
  return { ...show, onAir: null, place, last, history, winners, rehearsal: undefined };
}

/**
 * Finds the newest press that can be undone. Presses of deleted polls are skipped.
 *
 * @param findGone which of these polls were deleted
 * @returns its index in the history
 * @throws PollError `nothing_to_undo`
 */
export async function findUndoable({ history, onAir }: StoredShow, findGone: FindGone): Promise<number> {
  const target = (entry: HistoryEntry) => targetOf(entry) ?? '';
  const gone = await findGone(history.map(target));
  const at = history.findLastIndex(
    entry => !gone.has(target(entry)) && !(entry.air && entry.air.onAir === onAir),
  );
  if (at < 0) throw new PollError('nothing_to_undo');
  return at;
}

/** The show before a press, without it and what was pressed since. @param undo the press that takes it back */
export function withoutEntry(
  show: StoredShow,
  at: number,
  undo: Pick<HistoryEntry, 'key' | 'hand' | 'atMs'> & { readonly press: 'undo' },
): StoredShow {
  const { air, poll, listed, looks, winners } = show.history[at]!;
  const { rundown = [], place = show.place } = listed ?? {};
  const own = rundown.filter(id => show.own.includes(id));
  const relisted = listed ? withRundown({ ...show, rundown, place }, rundown, own) : show;
  return {
    ...withLooks(relisted, looks ?? {}),
    ...(air && {
      ...air,
      last: air.onAir ?? show.last,
      rehearsal: isTwin(air.onAir) ? show.rehearsal : undefined,
    }),
    winners: winnersBefore(show, { poll, winners }),
    history: show.history.slice(0, at),
    recent: air || poll ? withRecent(show.recent, { ...undo, air, poll, winners }) : show.recent,
  };
}

/** Finds which of these polls were deleted. */
export type FindGone = (ids: readonly PollId[]) => Promise<ReadonlySet<PollId>>;

/** @param own the polls of the rundown that the show owns. Removed ones stay its own */
export function withRundown(
  show: StoredShow,
  rundown: readonly PollId[],
  own: readonly PollId[],
): StoredShow {
  const removed = show.own.filter(id => !own.includes(id));
  const place = placeIn(rundown, show, show.place);
  const rehearsal = show.rehearsal && {
    ...show.rehearsal,
    place: placeIn(rundown, { ...show, onAir: null }, show.rehearsal.place),
  };
  const owned = [...own, ...removed].slice(0, MAX_OWN);
  // The picture on air stays as it is.
  const ended = Object.keys(show.looks ?? {}).filter(
    id => !rundown.includes(id) && id !== entryOf(show.onAir ?? ''),
  );
  const looked = withLooks(show, Object.fromEntries(ended.map(id => [id, null])));
  return { ...looked, rundown, own: owned, place, rehearsal };
}

/** Replaces the looks of these polls; null removes one. */
export function withLooks(show: StoredShow, changed: ChangedLooks): StoredShow {
  const all = Object.entries({ ...show.looks, ...changed }).filter(([, look]) => look !== null);
  return { ...show, looks: all.length > 0 ? (Object.fromEntries(all) as Looks['looks']) : undefined };
}

/** The looks that a change replaced; null for none. Undefined if all are as they were. */
export function replacedLooks({ looks: before = {} }: StoredShow, { looks: after = {} }: StoredShow) {
  const changed = Object.keys({ ...before, ...after }).filter(
    id => JSON.stringify(before[id]) !== JSON.stringify(after[id]),
  );
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map(id => [id, before[id] ?? null])) satisfies ChangedLooks;
}

/** The entry of the rundown for a poll on air, which may be a twin. */
function entryOf(id: PollId): PollId {
  return originOfTwin(id) ?? id;
}

/** If the poll at the place was removed, the one before it takes over, so that the next poll stays the same. */
function placeIn(
  rundown: readonly PollId[],
  { rundown: before, onAir }: StoredShow,
  place: PollId | null,
): PollId | null {
  if (onAir !== null && rundown.includes(entryOf(onAir))) return entryOf(onAir);
  const passed = place === null ? [] : before.slice(0, before.indexOf(place) + 1);
  return passed.findLast(id => rundown.includes(id)) ?? null;
}

/**
 * Finds the next or previous poll; in a rehearsal, its twin. If nothing of the rundown is on air,
 * `next` continues after the place and `previous` returns to it.
 *
 * @param findGone which of these polls were deleted
 * @throws PollError `rundown_end`, `rundown_start`
 */
export async function stepFrom(
  { rundown, onAir, place }: StoredShow,
  direction: Direction,
  findGone: FindGone,
): Promise<RundownStep> {
  const at = place === null ? -1 : rundown.indexOf(place);
  const isOnAir = onAir !== null && place === entryOf(onAir);
  const ahead =
    direction === 'next'
      ? rundown.slice(at + 1)
      : rundown.slice(0, isOnAir ? Math.max(at, 0) : at + 1).reverse();
  // Usually the first one exists, and the others need no read.
  const first = await findGone(ahead.slice(0, 1));
  const gone = first.size === 0 ? first : await findGone(ahead);
  const to = ahead.find(id => !gone.has(id));
  const isRehearsal = onAir !== null && entryOf(onAir) !== onAir;
  if (to !== undefined)
    return { to: isRehearsal ? twinOf(to) : to, skipped: ahead.slice(0, ahead.indexOf(to)) };
  const code = direction === 'next' ? 'rundown_end' : 'rundown_start';
  if (rundown.length === 0)
    throw new PollError(code, {
      message: 'The rundown is empty. Add polls first: POST /api/show/<name>/poll, or PATCH.',
    });
  if (gone.size === 0) throw new PollError(code);
  const what =
    gone.size === 1 ? 'The last poll left was deleted' : `All ${gone.size} polls left were deleted`;
  throw new PollError(code, {
    message: `${what}. Remove deleted polls from the rundown, or put another poll on air. Nothing was changed.`,
  });
}
