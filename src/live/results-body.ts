import { hash } from 'node:crypto';
import { areSameResults, countVotes, type Poll, type Reading, type Results } from '../poll/poll.ts';
import { formatTime } from '../poll/time.ts';
import type { CountsMessage, HiddenMessage, ResultsBody } from '../protocol/messages.ts';

/** Results as the contract shows them, the same for REST and for the live stream. */

interface EncodedResults {
  readonly results: Results;
  readonly position: string;
  /** The text before the time of reading, and after it. */
  readonly head: string;
  readonly tail: string;
}

/** Quotes inside a text are escaped, so that this cannot be part of one. */
const TIMESTAMP = '"timestamp":';
/** Characters of base64url: 72 bits. */
const DIGEST_LENGTH = 12;

const newest = new WeakMap<Poll, EncodedResults>();

export function resultsBody(reading: Reading): ResultsBody {
  return { ...pictureOf(reading), position: positionOf(reading) };
}

/** The body of results in JSON, encoded once for all readings of a poll that differ in the time of reading alone. */
export function resultsText(reading: Reading): string {
  const { head, tail } = encodedOf(reading);
  return `${head}${Math.floor(reading.results.readAtMs / 1000)}${tail}`;
}

/**
 * `<version>-<digest>`, where the digest covers all that the body shows but the time of reading. Equal positions are equal
 * pictures, whatever the engine has lost: the same picture has the same position at every relay and with every engine.
 */
export function positionOf(reading: Reading): string {
  return encodedOf(reading).position;
}

function encodedOf(reading: Reading): EncodedResults {
  const { poll, results } = reading;
  const known = newest.get(poll);
  if (known && areSameResults(known.results, results)) return known;
  const text = JSON.stringify(pictureOf(reading));
  const start = text.indexOf(TIMESTAMP) + TIMESTAMP.length;
  const [head, rest] = [text.slice(0, start), text.slice(text.indexOf(',', start), -1)];
  const digest = hash('sha256', head + rest, 'base64url').slice(0, DIGEST_LENGTH);
  const position = `${results.version}-${digest}`;
  const encoded = { results, position, head, tail: `${rest},"position":"${position}"}` };
  newest.set(poll, encoded);
  return encoded;
}

function pictureOf({ poll, results }: Reading): Omit<ResultsBody, 'position'> {
  return {
    id: poll.id,
    title: poll.title,
    poll_answers: poll.answers.map((answer, index) => ({
      id: answer.id,
      answer: answer.text,
      sorting: index + 1,
      type: 'text',
      votes: results.votes[index] ?? 0,
    })),
    total_votes: countVotes(results),
    success: 1,
    timestamp: Math.floor(results.readAtMs / 1000),
    version: results.version,
    total_voters: results.totalVoters,
    status: results.status,
    ...endOf(results),
    results_visibility: results.resultsVisibility,
    ...(poll.rehearsal && { rehearsal: true }),
  };
}

/** What a ballot changes, and nothing else. */
export function countsMessage(reading: Reading): CountsMessage {
  const { poll, results } = reading;
  return {
    type: 'counts',
    id: poll.id,
    version: results.version,
    timestamp: Math.floor(results.readAtMs / 1000),
    votes: poll.answers.map((_, index) => results.votes[index] ?? 0),
    total_voters: results.totalVoters,
    position: positionOf(reading),
  };
}

/** Carries nothing that moves when a ballot is cast: no count, no version or position, no time of reading. */
export function hiddenMessage({ poll, results }: Reading): HiddenMessage {
  return {
    type: 'hidden',
    id: poll.id,
    title: poll.title,
    poll_answers: poll.answers.map(({ id, text }, index) => ({
      id,
      answer: text,
      sorting: index + 1,
      type: 'text',
    })),
    success: 1,
    status: results.status,
    ...endOf(results),
    results_visibility: results.resultsVisibility,
  };
}

function endOf({ deadlineMs, closesInMs }: Results): Pick<ResultsBody, 'deadline' | 'closes_in'> {
  const deadline = deadlineMs === null ? null : formatTime(deadlineMs);
  return closesInMs === undefined ? { deadline } : { deadline, closes_in: closesInMs / 1000 };
}
