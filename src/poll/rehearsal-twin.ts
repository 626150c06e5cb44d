import type { PollId, PollStatus, Reading, Results, ResultsVisibility } from './poll.ts';
import { endAfter, type PollChange } from './poll-change.ts';
import { drawWeighted, seededRandom } from './seeded-random.ts';

/**
 * The simulated twin of a poll, so that a show can be rehearsed with its own questions: it is opened, closed and shown as the poll
 * would be, its audience is simulated, and the poll itself is not touched.
 */

const PREFIX = 'rehearsal-';
const TWIN = /^rehearsal-([0-9A-Za-z]{12})$/;

/** A show's evening in small: most come in the first half minute. */
const BALLOTS = 400;
const CROWD_MS = 90_000;
/** More than the ballots: each change has higher versions than the one before. */
const VERSIONS_OF_CHANGE = 512;

/** What a rehearsal has made of the poll so far. */
export interface TwinState {
  readonly status: PollStatus;
  /** For how long it had been open at `sinceMs`. */
  readonly openMs: number;
  /** When this state began. UNIX time in milliseconds. */
  readonly sinceMs: number;
  readonly deadlineMs: number | null;
  /** As in the results of the poll. */
  readonly closesInMs?: number | undefined;
  readonly resultsVisibility: ResultsVisibility;
  readonly changes: number;
}

/** The poll whose twin this is; undefined where it is no twin's id. */
export function originOfTwin(id: string): PollId | undefined {
  return TWIN.exec(id)?.[1];
}

export function twinOf(id: PollId): PollId {
  return PREFIX + id;
}

/** Ready, as every poll of a run-down before its time. */
export function freshTwin({ resultsVisibility, closesInMs, readAtMs }: Results): TwinState {
  const waits = resultsVisibility === 'after_deadline' && closesInMs === undefined;
  return {
    status: 'upcoming',
    openMs: 0,
    sinceMs: readAtMs,
    deadlineMs: null,
    closesInMs,
    // The end that they would wait for is the poll's own, and not the rehearsal's.
    resultsVisibility: waits ? 'hidden' : resultsVisibility,
    changes: 0,
  };
}

/** @param origin the poll now: of it the twin has the words, the keys and the clock, and no count */
export function twinAt(id: PollId, { poll, keys, results }: Reading, state: TwinState): Reading {
  const { readAtMs } = results;
  const { status, openMs } = progress(state, readAtMs);
  const votes = poll.answers.map(() => 0);
  let totalVoters = 0;
  for (const { atMs, answer } of status === 'upcoming' ? [] : ballotsOf(poll.id, votes.length)) {
    if (atMs > openMs) break;
    totalVoters += 1;
    votes[answer] = votes[answer]! + 1;
  }
  const ended = status !== state.status ? 1 : 0;
  return {
    hintedAtMs: 0,
    poll: { ...poll, id, rehearsal: true },
    keys,
    results: {
      version: 1 + state.changes * VERSIONS_OF_CHANGE + totalVoters + ended,
      ...{ votes, totalVoters, status, readAtMs },
      deadlineMs: state.deadlineMs,
      closesInMs: state.closesInMs,
      resultsVisibility: state.resultsVisibility,
    },
  };
}

/** @param nowMs the engine's clock */
export function changeTwinState(state: TwinState, change: PollChange, nowMs: number): TwinState {
  const { status, openMs } = progress(state, nowMs);
  const turned = change.closed === undefined ? status : change.closed ? 'closed' : 'open';
  return {
    status: turned,
    openMs,
    sinceMs: nowMs,
    ...endAfter(state, change, nowMs),
    resultsVisibility: change.resultsVisibility ?? state.resultsVisibility,
    changes: state.changes + 1,
  };
}

function progress(
  { status, openMs, sinceMs, deadlineMs }: TwinState,
  nowMs: number,
): { readonly status: PollStatus; readonly openMs: number } {
  if (status !== 'open') return { status, openMs };
  const isOver = deadlineMs !== null && deadlineMs <= nowMs;
  const untilMs = isOver ? deadlineMs : nowMs;
  return { status: isOver ? 'closed' : 'open', openMs: openMs + Math.max(0, untilMs - sinceMs) };
}

interface SimulatedBallot {
  /** Milliseconds that the poll had been open. */
  readonly atMs: number;
  readonly answer: number;
}

let newest: { readonly id: PollId; readonly ballots: readonly SimulatedBallot[] } | undefined;

/** The same in every process, and another favourite for every poll. */
function ballotsOf(id: PollId, answers: number): readonly SimulatedBallot[] {
  if (newest?.id === id) return newest.ballots;
  const random = seededRandom([...id].reduce((seed, character) => seed * 31 + character.charCodeAt(0), 7));
  const appeal = Array.from({ length: answers }, () => 0.2 + random());
  const ballots = Array.from({ length: BALLOTS }, () => ({
    atMs: CROWD_MS * random() ** 2,
    answer: drawWeighted(appeal, random),
  }));
  newest = { id, ballots: ballots.sort((one, other) => one.atMs - other.atMs) };
  return newest.ballots;
}
