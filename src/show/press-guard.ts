import type { Look } from '../picture/show-look.ts';
import {
  DESK_HAND,
  type PollId,
  type PollStatus,
  type Reading,
  type ResultsVisibility,
} from '../poll/poll.ts';
import type { PollChange } from '../poll/poll-change.ts';
import { PollError } from '../poll/poll-error.ts';
import type { Pressed } from '../poll/pressed.ts';
import type { EditedPoll } from './edited-poll.ts';
import { POLL_BUTTONS, type PressedPoll } from './poll-press.ts';
import type { ShownWinner } from './winner.ts';

/** Two hands on one cue: a press is carried out for what its operator saw, and for nothing else. Pure. */

interface Listed {
  readonly poll: PollId | undefined;
  readonly rundown: readonly PollId[];
  /** Absent in older shows. */
  readonly place?: PollId | null | undefined;
}

interface Aired {
  readonly onAir: PollId | null;
  readonly place: PollId | null;
}

export const PRESSES = [
  ...(['next', 'previous', 'take', 'clear', 'add', 'move', 'remove', 'edit', 'again'] as const),
  ...POLL_BUTTONS,
] as const;
export type PressName = (typeof PRESSES)[number];

/** Null for none. */
export type ChangedLooks = Readonly<Record<PollId, Look | null>>;

/** What a press changed, with what was before it. */
export interface HistoryEntry {
  /** That of its `Press`; random for a request without an `Idempotency-Key`. */
  readonly key: string;
  readonly press: PressName;
  /** The name of the desk or program, empty for one without. */
  readonly hand: string;
  /** UNIX time in milliseconds. */
  readonly atMs: number;
  /** Absent if the press left it as it was. */
  readonly air?: Aired | undefined;
  /** Absent if the press changed no poll. */
  readonly poll?: PressedPoll | undefined;
  /** The rundown and the place before; `poll` was added, moved or removed. */
  readonly listed?: Listed | undefined;
  /** The looks of polls before. */
  readonly looks?: ChangedLooks | undefined;
  /** What the correction of a poll replaced. */
  readonly edit?: EditedPoll | undefined;
  /** The winners before a press that showed one, or took it back. */
  readonly winners?: readonly ShownWinner[] | undefined;
}

/** What taking a press back puts on air, null for nothing; of other presses the poll that they changed. */
export function targetOf({ air, poll, listed, edit, looks = {} }: HistoryEntry): PollId | null | undefined {
  return air ? air.onAir : (poll?.id ?? listed?.poll ?? edit?.id ?? Object.keys(looks)[0]);
}

/** For so long after a change, a press may be meant for what was there before. */
const SETTLE_MS = 1_000;
/** Per show; more presses in a second are none of an operator. */
const MAX_RECENT = 20;

/** What an operator saw; absent members were not looked at. Named as on the wire. */
export interface Seen {
  readonly on_air?: PollId | null | undefined;
  readonly status?: PollStatus | undefined;
  readonly round?: number | undefined;
  readonly results_visibility?: ResultsVisibility | undefined;
  /** Null before the first step of a reveal. */
  readonly revealed_from?: number | null | undefined;
  /** UNIX time in milliseconds. */
  readonly deadline?: number | null | undefined;
}

type Member = keyof Seen;

export interface GuardedPress {
  readonly seen?: Seen | undefined;
  /** Distinguishes desks and programs that press with the same key. */
  readonly hand?: string | undefined;
  /** Rejects the press for a second after any other one of the show. */
  readonly guard?: boolean | undefined;
  /** The press that `undo` takes back, which is judged by this alone. */
  readonly undo?: string | undefined;
  /** For tests. */
  readonly settleMs?: number | undefined;
}

/** A press of the last second. */
export interface RecentPress extends Pick<HistoryEntry, 'key' | 'hand' | 'atMs'> {
  readonly press: PressName | 'undo';
  /** Undefined for another poll on air, which changes all members. */
  readonly poll?: PollId | undefined;
  readonly members: readonly Member[];
}

const MEMBERS: Readonly<Partial<Record<keyof PollChange, Member>>> = {
  closed: 'status',
  upcoming: 'status',
  deadlineMs: 'deadline',
  closesInMs: 'deadline',
  resultsVisibility: 'results_visibility',
  revealedFrom: 'revealed_from',
};

/** Remembers a press for as long as the next ones are compared with it. */
export function withRecent(
  recent: readonly RecentPress[],
  { key, press, hand, atMs, air, poll, winners }: Omit<HistoryEntry, 'press'> & Pick<RecentPress, 'press'>,
): readonly RecentPress[] {
  const changed = Object.keys(poll?.change ?? {}).flatMap(name => MEMBERS[name as keyof PollChange] ?? []);
  if (winners) changed.push('results_visibility', 'revealed_from');
  const members = poll?.again ? [...new Set([...Object.values(MEMBERS), 'round' as const])] : changed;
  const added = air
    ? { key, press, hand, atMs, members: [] }
    : { key, press, hand, atMs, poll: poll?.id, members };
  return [...recent.filter(({ atMs: at }) => Math.abs(atMs - at) < SETTLE_MS), added].slice(-MAX_RECENT);
}

/**
 * @param press the same hand may follow its own press with another one, but not repeat it
 * @param reading the poll that the press is about, if any
 * @throws PollError `on_air_changed`, `poll_changed`
 */
export function requireUnchanged(
  { onAir, recent }: { readonly onAir: PollId | null; readonly recent: readonly RecentPress[] },
  press: RecentPress['press'],
  reading: Reading | undefined,
  { seen = {}, hand = '', guard = false, settleMs = SETTLE_MS }: GuardedPress,
): void {
  const nowMs = Date.now();
  const isRecent = (atMs: number) => Math.abs(nowMs - atMs) < settleMs;
  const newest = recent.findLast(({ atMs }) => isRecent(atMs));
  if (guard && newest)
    throw new PollError(newest.poll ? 'poll_changed' : 'on_air_changed', {
      issues: [{ path: 'show.guard', message: pressedBefore(newest, hand, nowMs) }],
      pressed: pressedOf(newest),
    });
  const id = reading?.poll.id;
  const now: Seen = {
    on_air: onAir,
    status: reading?.results.status,
    round: reading && (reading.poll.round ?? 1),
    results_visibility: reading?.results.resultsVisibility,
    revealed_from: reading && (reading.results.revealedFrom ?? null),
    deadline: reading?.results.deadlineMs,
  };
  for (const member of Object.keys(seen) as Member[]) {
    if (seen[member] === undefined) continue;
    const isSame = seen[member] === now[member];
    const by = recent.findLast(
      one =>
        isRecent(one.atMs) &&
        (!one.poll ? member === 'on_air' || id === onAir : one.poll === id && one.members.includes(member)) &&
        (one.hand !== hand || areOneKey(one.press, press)),
    );
    const values = isSame ? '' : `is ${textOf(member, now)}, not ${textOf(member, seen)}. `;
    if (!isSame || by)
      throw changed(member, values + (by ? pressedBefore(by, hand, nowMs) : 'Read the show again'), by);
    const { deadlineMs = null, readAtMs = 0 } = reading?.results ?? {};
    const sinceEndMs = deadlineMs === null ? -1 : readAtMs - deadlineMs;
    if (member === 'status' && sinceEndMs >= 0 && sinceEndMs < settleMs)
      throw changed(member, 'has just changed: the deadline has passed');
  }
}

/** Presses of one key of a desk. */
const OPPOSITES: readonly (readonly RecentPress['press'][])[] = [
  ['open', 'close'],
  ['close', 'keep_open'],
  ['reveal', 'hide'],
  ['take', 'clear'],
];

function areOneKey(one: RecentPress['press'], other: RecentPress['press']): boolean {
  return one === other || OPPOSITES.some(pair => pair.includes(one) && pair.includes(other));
}

function changed(member: Member, message: string, by?: RecentPress): PollError {
  return new PollError(member === 'on_air' ? 'on_air_changed' : 'poll_changed', {
    issues: [{ path: `show.if.${member}`, message }],
    pressed: by && pressedOf(by),
  });
}

export function pressedOf({ press, hand, atMs }: RecentPress): Pressed {
  return { press, hand, at: atMs / 1_000 };
}

function pressedBefore({ press, hand, atMs }: RecentPress, own: string, nowMs: number): string {
  const kind = hand.startsWith(DESK_HAND) ? 'desk' : 'program';
  const by = hand === '' ? 'a program' : `${hand === own ? 'this' : 'another'} ${kind}`;
  return `"${press}" was pressed ${((nowMs - atMs) / 1_000).toFixed(1)} s ago by ${by}`;
}

function textOf(member: Member, values: Seen): string {
  const value = values[member] ?? null;
  return JSON.stringify(member === 'deadline' && value !== null ? new Date(value).toISOString() : value);
}
