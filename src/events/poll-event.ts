import type { ToldState } from '../engine/engine.ts';
import { formatTime } from '../poll/input-rules.ts';
import { areResultsPublic, hasBallots, type PollId, type Reading } from '../poll/poll.ts';
import type { ResultsBody } from '../protocol/messages.ts';
import { resultsBody } from '../protocol/results-body.ts';
import type { StoredShow } from '../show/show.ts';

/** What programs are told about polls and shows. An event follows from the state told last and the present one. */

/** A poll of a dozen answers. The log holds 100,000 events, so that each has to be small. */
const MAX_RESULTS_BYTES = 2_000;

export const EVENT_TYPES = [
  'poll.created',
  'poll.opened',
  'poll.progress',
  'poll.updated',
  'poll.closed',
  'poll.revealed',
  'poll.hidden',
  'poll.deleted',
  'show.changed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface PollEventData {
  readonly id: PollId;
  readonly title: string;
  readonly status: ResultsBody['status'];
  readonly deadline: string | null;
  readonly results_visibility: ResultsBody['results_visibility'];
  /** Name of the show that owns it. */
  readonly show: string | null;
  /** Distinguishes that show from others of the same name. */
  readonly show_id: string | null;
  /** Of `poll.progress`, and of `poll.closed` and `poll.revealed` if they have at most `MAX_RESULTS_BYTES`. */
  readonly results?: ResultsBody;
}

/** Of a deleted poll. */
export type DeletedPollData = Pick<PollEventData, 'id' | 'show_id'>;

export interface ShowEventData {
  readonly name: string;
  readonly title: string;
  readonly on_air: PollId | null;
  readonly rundown: readonly PollId[];
  readonly version: number;
  readonly show_id: string | null;
}

/** Of a deleted show. */
export type DeletedShowData = Pick<ShowEventData, 'name' | 'show_id'>;

export interface ProgramEvent {
  /** Equal for every delivery of this event. */
  readonly id: string;
  readonly type: EventType;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly data: PollEventData | DeletedPollData | ShowEventData | DeletedShowData;
}

/** What the log gets next about a subject. */
export type NextState = Omit<ToldState, 'subject' | 'known'>;

/**
 * @param known as in `ToldState`
 * @param nowMs the engine's clock, for what has no time of its own
 * @param sinceMs UNIX time in milliseconds: older polls that were never told are not reported as created
 */
export function nextOfPoll(
  id: PollId,
  known: string | undefined,
  reading: Reading | undefined,
  { nowMs, sinceMs }: { readonly nowMs: number; readonly sinceMs: number },
): NextState {
  const before = known === undefined ? undefined : parseState(known);
  if (!reading) {
    const data = { id, show_id: before?.showId ?? null };
    const event = { id: eventId(id, 'deleted'), type: 'poll.deleted' as const, data };
    return {
      state: undefined,
      dueAtMs: null,
      ...(before && { listed: listedAs(before.createdAtMs, id) }),
      events: before ? [textOf({ ...event, timestamp: formatTime(nowMs) })] : [],
    };
  }
  const { poll, results } = reading;
  const { createdAtMs } = poll;
  const { status, deadlineMs, version, readAtMs, resultsVisibility, edition } = results;
  const visible = areResultsPublic(results);
  const dueAtMs = deadlineMs !== null && deadlineMs > readAtMs ? deadlineMs : null;
  const events: string[] = [];
  type What = 'created' | 'opened' | 'updated' | 'closed' | 'revealed' | 'hidden';
  const add = (what: What, atMs = readAtMs) => {
    const results = what === 'closed' || what === 'revealed' ? smallResults(reading) : undefined;
    events.push(
      textOf({
        id: what === 'created' ? eventId(id, what) : eventId(id, what, version),
        type: `poll.${what}`,
        timestamp: formatTime(atMs),
        data: { ...dataOf(reading), ...(results && { results }) },
      }),
    );
  };
  const isNew = !before && createdAtMs >= sinceMs;
  const was = before ?? { status: isNew && status === 'closed' ? 'open' : status, visible, dueAtMs, edition };
  if (isNew) add('created');
  if (status !== was.status && status === 'open') add('opened');
  const isMoved = was.dueAtMs !== dueAtMs && !(was.dueAtMs !== null && was.dueAtMs <= readAtMs);
  // An opening was taken back.
  const isUpcomingAgain = status !== was.status && status === 'upcoming';
  if (edition !== was.edition || isUpcomingAgain || (isMoved && status === was.status)) add('updated');
  const closes = status !== was.status && status === 'closed';
  // Only what the deadline did bears its time: results may be revealed by hand long after it.
  const deadlinePassed = closes && deadlineMs !== null && deadlineMs <= readAtMs;
  if (closes) add('closed', deadlinePassed ? deadlineMs : readAtMs);
  if (visible && !was.visible)
    add('revealed', deadlinePassed && resultsVisibility !== 'always' ? deadlineMs : readAtMs);
  if (!visible && was.visible) add('hidden');
  const rest = poll.show ? [edition ?? '-', poll.show.id] : edition === undefined ? [] : [edition];
  const state = [createdAtMs, status, visible ? 'public' : 'hidden', dueAtMs ?? '-', ...rest].join(' ');
  return { state, dueAtMs, listed: listedAs(createdAtMs, id), events };
}

/** The counts so far. It is in no log, because the next one replaces it. @returns undefined unless the poll is open, its results public, and a ballot cast */
export function progressOf(reading: Reading): ProgramEvent | undefined {
  const { poll, results } = reading;
  if (results.status !== 'open' || !areResultsPublic(results) || !hasBallots(results)) return undefined;
  return {
    id: eventId(poll.id, 'progress', results.version),
    type: 'poll.progress',
    timestamp: formatTime(results.readAtMs),
    data: { ...dataOf(reading), results: resultsBody(reading) },
  };
}

/** @param nowMs the engine's clock */
export function nextOfShow(
  name: string,
  known: string | undefined,
  show: StoredShow | undefined,
  nowMs: number,
): NextState {
  const state = show && `${show.id} ${show.version}`;
  if (state === known) return { state, dueAtMs: null, events: [] };
  const id = show
    ? eventId('show', name, show.version, show.id || '0')
    : eventId('show', name, 'deleted', known?.replace(' ', '_') ?? '');
  const show_id = (show ? show.id : known?.split(' ')[0]) || null;
  const data = show
    ? { name, title: show.title, on_air: show.onAir, rundown: show.rundown, version: show.version, show_id }
    : { name, show_id };
  const event = { id, type: 'show.changed' as const, timestamp: formatTime(nowMs), data };
  return { state, dueAtMs: null, events: [textOf(event)] };
}

/** @returns the poll of an entry in the list of polls, which sorts by creation */
export function pollOfEntry(entry: string): PollId {
  return entry.slice(TIME_DIGITS);
}

const TIME_DIGITS = 15;

function listedAs(createdAtMs: number, id: PollId): string {
  return `${createdAtMs}`.padStart(TIME_DIGITS, '0') + id;
}

function parseState(state: string) {
  const [createdAtMs, status, visibility, due, corrected, showId] = state.split(' ');
  const dueAtMs = due === '-' ? null : Number(due);
  const edition = corrected === '-' ? undefined : corrected;
  const visible = visibility === 'public';
  return { createdAtMs: Number(createdAtMs), status, visible, dueAtMs, edition, showId };
}

/** Without a full stop, which separates the parts that a webhook signs. */
function eventId(...parts: readonly (string | number)[]): string {
  return ['evt', ...parts].join('_');
}

function dataOf({ poll, results }: Reading): PollEventData {
  const { status, deadlineMs, resultsVisibility } = results;
  return {
    id: poll.id,
    title: poll.title,
    status,
    deadline: deadlineMs === null ? null : formatTime(deadlineMs),
    results_visibility: resultsVisibility,
    show: poll.show?.name ?? null,
    show_id: poll.show?.id ?? null,
  };
}

function smallResults(reading: Reading): ResultsBody | undefined {
  const body = resultsBody(reading);
  return Buffer.byteLength(JSON.stringify(body)) <= MAX_RESULTS_BYTES ? body : undefined;
}

function textOf(event: ProgramEvent): string {
  return JSON.stringify(event);
}
