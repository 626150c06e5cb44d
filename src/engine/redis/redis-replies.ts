import type { Poll, PollStatus, Reading, ResultsVisibility } from '../../poll/poll.ts';
import { fromStoredPoll, type StoredPoll } from '../../poll/poll.ts';
import type { Revision } from '../polls.ts';

/** What never changes about a poll, so that it is read once and then kept. */
export interface Definition {
  readonly poll: Poll;
  /** Names of the answers' counters, as read-poll wants them. */
  readonly counters: string;
}

const STATE_LINES = 11;
/** What the field `closed` holds of a poll that was never opened: whoever does not know it takes no ballot either. */
export const UPCOMING = 'upcoming';

/** @param text the definition that create-poll writes; null where there is none */
export function parseDefinition(text: string | null): Definition | undefined {
  if (!text) return undefined;
  const poll = fromStoredPoll(JSON.parse(text) as StoredPoll);
  return { poll, counters: poll.answers.map(({ id }) => `votes:${id}`).join(' ') };
}

/** @param text the reply of read-poll */
export function parseReading({ poll }: Definition, text: string): Reading {
  const lines = text.split('\n');
  const readAtMs = Number(lines[0]);
  const deadlineMs = millisecondsOrNull(lines[2]);
  const over = deadlineMs !== null && readAtMs >= deadlineMs;
  const votes: number[] = [];
  for (let index = STATE_LINES; index < lines.length; index += 1) votes.push(Number(lines[index]));
  return {
    poll,
    keys: { adminKeyHash: lines[10]!, viewKeyHash: lines[7]! },
    hintedAtMs: Number(lines[8]),
    results: {
      version: Number(lines[1]),
      votes,
      totalVoters: Number(lines[5]),
      status: over ? 'closed' : statusOf(lines[4]),
      deadlineMs,
      closesInMs: millisecondsOrNull(lines[9]) ?? undefined,
      resultsVisibility: lines[6] as ResultsVisibility,
      readAtMs,
    },
  };
}

/** @param closed the field of the hash that create-poll writes */
function statusOf(closed: string | null | undefined): PollStatus {
  if (closed === UPCOMING) return 'upcoming';
  return closed ? 'closed' : 'open';
}

/** What a sweep reads of a poll, before its counters. */
export const REVISION_FIELDS = [
  ...(['version', 'deadline', 'settled', 'closed', 'voters', 'visibility', 'closes_in'] as const),
];

/** @param fields of a poll: `REVISION_FIELDS`, and its counters where they are known by name */
export function parseRevision(
  [version, deadline, settled, closed, voters, visibility, closesIn, ...counts]: readonly (string | null)[],
  readAtMs: number,
): Revision | undefined {
  if (!version) return undefined;
  const deadlineMs = millisecondsOrNull(deadline);
  const isOver = deadlineMs !== null && readAtMs >= deadlineMs;
  return {
    // A deadline that has passed gives a version of its own, noted or not.
    version: Number(version) + (isOver && settled !== deadline ? 1 : 0),
    ...(counts.length > 0 && { votes: counts.map(Number) }),
    totalVoters: Number(voters),
    status: isOver ? 'closed' : statusOf(closed),
    deadlineMs,
    closesInMs: millisecondsOrNull(closesIn) ?? undefined,
    resultsVisibility: visibility as ResultsVisibility,
    readAtMs,
  };
}

/** @param text milliseconds, or empty for none */
function millisecondsOrNull(text: string | null | undefined): number | null {
  return text ? Number(text) : null;
}

/** @param time reply to TIME: seconds and microseconds, which some versions of the typings call strings */
export function timeToMs([seconds, microseconds]: readonly (number | string)[]): number {
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}
