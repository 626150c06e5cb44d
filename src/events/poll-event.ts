import type { ToldState } from '../engine/engine.ts';
import { formatTime } from '../poll/input-rules.ts';
import { areResultsPublic, hasBallots, type Poll, type PollId, type Reading } from '../poll/poll.ts';
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
  'poll.again',
  'poll.deleted',
  'show.changed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface PollEventData
  extends Pick<ResultsBody, 'id' | 'title' | 'status' | 'deadline' | 'results_visibility' | 'round'> {
  /** Name of the show that owns it. */
  readonly show: string | null;
  /** Distinguishes that show from others of the same name. */
  readonly show_id: string | null;
  /** In `poll.progress`, and in `poll.closed` and `poll.revealed` if it has at most `MAX_RESULTS_BYTES`. */
  readonly results?: ResultsBody;
  /** In `poll.again`: the round before, with its results if they are public and have at most `MAX_RESULTS_BYTES`. */
  readonly ended?: { readonly round: number; readonly results?: ResultsBody };
}

/** What is told of a deleted poll. */
export type DeletedPollData = Pick<PollEventData, 'id' | 'show_id'>;

export interface ShowEventData {
  readonly name: string;
  readonly title: string;
  readonly on_air: PollId | null;
  readonly rundown: readonly PollId[];
  readonly version: number;
  readonly show_id: string | null;
}

/** What is told of a deleted show. */
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

/** What was told of a round, or stands for it. */
type Told = Pick<ReturnType<typeof parseState>, 'status' | 'visible' | 'dueAtMs' | 'edition'>;

/** Rounds that have ended since the events told last, oldest first. @param known as in `ToldState` */
export function roundsEnded(known: string | undefined, { round = 1 }: Poll): number[] {
  const told = known === undefined ? round : parseState(known).round;
  return Array.from({ length: Math.max(0, round - told) }, (_, index) => told + index);
}

/**
 * @param known as in `ToldState`
 * @param readings by `roundsEnded`, and of the poll last; none if there is no such poll
 * @param nowMs the engine's clock, for what has no time of its own
 * @param sinceMs UNIX time in milliseconds: older polls that were never told are not reported as created
 */
export function nextOfPoll(
  id: PollId,
  known: string | undefined,
  readings: readonly Reading[],
  { nowMs, sinceMs }: { readonly nowMs: number; readonly sinceMs: number },
): NextState {
  const before = known === undefined ? undefined : parseState(known);
  const reading = readings.at(-1);
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
  const { createdAtMs, round, show } = reading.poll;
  const isPublic = areResultsPublic(reading.results);
  const events: string[] = [];
  let told: Told | undefined = before;
  if (!before && createdAtMs >= sinceMs) {
    events.push(textOfPoll('created', reading));
    const { status } = reading.results;
    told = { ...presentOf(reading, isPublic), status: status === 'closed' ? 'open' : status };
  }
  for (const [index, one] of readings.entries()) {
    // An earlier round is public while the present one is, or was until the present one began.
    const present = presentOf(one, isPublic || told?.visible === true);
    const ended = readings[index - 1];
    if (ended) {
      const shown = told?.visible === true && withResults(ended);
      events.push(textOfPoll('again', one, { ended: { round: ended.poll.round ?? 1, ...shown } }));
      told = { ...present, status: 'upcoming', visible: told?.visible ?? present.visible };
    }
    events.push(...changesOf(told ?? present, present, one));
    told = present;
  }
  const { status, visible, dueAtMs, edition } = presentOf(reading, true);
  const rest = [edition ?? '-', show?.id ?? '-', round ?? '-'];
  while (rest.at(-1) === '-') rest.pop();
  const state = [createdAtMs, status, visible ? 'public' : 'hidden', dueAtMs ?? '-', ...rest].join(' ');
  return { state, dueAtMs, listed: listedAs(createdAtMs, id), events };
}

/** @param canBePublic false if readers cannot see the round */
function presentOf({ results }: Reading, canBePublic: boolean): Told {
  const { status, deadlineMs, readAtMs, edition } = results;
  const dueAtMs = deadlineMs !== null && deadlineMs > readAtMs ? deadlineMs : null;
  return { status, visible: canBePublic && areResultsPublic(results), dueAtMs, edition };
}

function changesOf(was: Told, { status, visible, dueAtMs, edition }: Told, reading: Reading): string[] {
  const { deadlineMs, readAtMs, resultsVisibility } = reading.results;
  const events: string[] = [];
  const isNew = (wanted: string) => status === wanted && was.status !== wanted;
  if (isNew('open')) events.push(textOfPoll('opened', reading));
  const isMoved = was.dueAtMs !== dueAtMs && !(was.dueAtMs !== null && was.dueAtMs <= readAtMs);
  // An opening was taken back.
  if (edition !== was.edition || isNew('upcoming') || (isMoved && status === was.status))
    events.push(textOfPoll('updated', reading));
  // Only what the deadline did bears its time: results may be revealed by hand long after it.
  const deadlinePassed = isNew('closed') && deadlineMs !== null && deadlineMs <= readAtMs;
  if (isNew('closed'))
    events.push(textOfPoll('closed', reading, withResults(reading), deadlinePassed ? deadlineMs : readAtMs));
  const revealedMs = deadlinePassed && resultsVisibility !== 'always' ? deadlineMs : readAtMs;
  if (visible && !was.visible) events.push(textOfPoll('revealed', reading, withResults(reading), revealedMs));
  if (!visible && was.visible) events.push(textOfPoll('hidden', reading));
  return events;
}

function textOfPoll(
  what: string,
  reading: Reading,
  more: Partial<PollEventData> = {},
  atMs = reading.results.readAtMs,
): string {
  const { id } = reading.poll;
  return textOf({
    id: what === 'created' ? eventId(id, what) : eventId(id, what, reading.results.version),
    type: `poll.${what}` as EventType,
    timestamp: formatTime(atMs),
    data: { ...dataOf(reading), ...more },
  });
}

/**
 * The counts so far. It is in no log, because the next one replaces it.
 *
 * @returns undefined unless the poll is open, its results public, and a ballot cast
 */
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
  const [createdAtMs, status, visibility, due, ...rest] = state.split(' ');
  const dueAtMs = due === '-' ? null : Number(due);
  const [edition, showId, round = 1] = rest.map(part => (part === '-' ? undefined : part));
  const visible = visibility === 'public';
  return {
    createdAtMs: Number(createdAtMs),
    status,
    visible,
    dueAtMs,
    edition,
    showId,
    round: Number(round),
  };
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
    ...(poll.round !== undefined && { round: poll.round }),
    show: poll.show?.name ?? null,
    show_id: poll.show?.id ?? null,
  };
}

function withResults(reading: Reading): Pick<PollEventData, 'results'> {
  const results = resultsBody(reading);
  return Buffer.byteLength(JSON.stringify(results)) <= MAX_RESULTS_BYTES ? { results } : {};
}

function textOf(event: ProgramEvent): string {
  return JSON.stringify(event);
}
