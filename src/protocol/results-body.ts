import { hash } from 'node:crypto';
import { chatLabels, takesChat } from '../poll/chat-link.ts';
import { votersBySource } from '../poll/chat-platform.ts';
import { formatTime } from '../poll/input-rules.ts';
import {
  areSameResults,
  countVotes,
  editedAtMs,
  type Poll,
  type PollNow,
  type Reading,
  type Results,
} from '../poll/poll.ts';
import { imagePath } from '../poll/rehearsal.ts';
import { revealedAnswers } from '../poll/reveal-steps.ts';
import type { CountsMessage, HiddenMessage, ResultsAnswer, ResultsBody } from './messages.ts';

interface EncodedResults {
  readonly results: Results;
  readonly position: string;
  readonly head: string;
  readonly tail: string;
}

/** Cannot occur inside a text, where quotes are escaped. */
const TIMESTAMP = '"timestamp":';
const DIGEST_LENGTH = 12;

/** Goes with the poll, which a channel or a cache holds. */
const newest = new WeakMap<Poll, EncodedResults>();

export function resultsBody(reading: Reading): ResultsBody {
  return { ...contentOf(reading), position: positionOf(reading) };
}

/** Returns the JSON of `resultsBody`, encoded once for all readings that differ only in their time. */
export function resultsText(reading: Reading): string {
  const { head, tail } = encodedOf(reading);
  return `${head}${Math.floor(reading.results.readAtMs / 1000)}${tail}`;
}

/**
 * Returns `<version>-<digest>`. The digest covers the body without its timestamp, so it is the same
 * at every relay and engine.
 */
export function positionOf(reading: Reading): string {
  return encodedOf(reading).position;
}

function encodedOf(reading: Reading): EncodedResults {
  const { poll, results } = reading;
  const known = newest.get(poll);
  if (known && areSameResults(known.results, results)) return known;
  const text = JSON.stringify(contentOf(reading));
  const start = text.indexOf(TIMESTAMP) + TIMESTAMP.length;
  const head = text.slice(0, start);
  const rest = text.slice(text.indexOf(',', start), -1);
  const digest = hash('sha256', head + rest, 'base64url').slice(0, DIGEST_LENGTH);
  const position = `${results.version}-${digest}`;
  const encoded = { results, position, head, tail: `${rest},"position":"${position}"}` };
  newest.set(poll, encoded);
  return encoded;
}

/** Members without a value are undefined: JSON leaves them out. */
function contentOf({ poll, results }: Reading): Omit<ResultsBody, 'position'> {
  return {
    id: poll.id,
    title: poll.title,
    poll_answers: writtenAnswers(poll).map((answer, at) => ({ ...answer, votes: results.votes[at] ?? 0 })),
    total_votes: countVotes(results),
    success: 1,
    timestamp: Math.floor(results.readAtMs / 1000),
    version: results.version,
    total_voters: results.totalVoters,
    by_source: votersBySource(results),
    voided_votes: voidedVotesOf(results),
    status: results.status,
    join_code: joinCodeOf({ poll, results }),
    deadline: timeOrNull(results.deadlineMs),
    closes_in: secondsOf(results.closesInMs),
    results_visibility: results.resultsVisibility,
    revealed_from: results.revealedFrom,
    edited_at: editedAt(poll),
    // From the second one on.
    round: poll.round,
    chat_labels: labelsOf(poll),
    rehearsal: poll.rehearsal ? true : undefined,
  };
}

export function writtenAnswers(poll: Poll): readonly Omit<ResultsAnswer, 'votes'>[] {
  return poll.answers.map(({ id, text, color, image, imageFocus }, index) => {
    const path = image && imagePath(poll, image);
    return {
      id,
      answer: text,
      sorting: index + 1,
      type: 'text',
      color,
      image: path,
      image_focus: imageFocus,
    };
  });
}

export function editedAt(poll: Poll): string | undefined {
  const editedMs = editedAtMs(poll);
  return editedMs === undefined ? undefined : formatTime(editedMs);
}

export function countsMessage(reading: Reading): CountsMessage {
  const { poll, results } = reading;
  return {
    type: 'counts',
    id: poll.id,
    version: results.version,
    timestamp: Math.floor(results.readAtMs / 1000),
    votes: poll.answers.map((_, index) => results.votes[index] ?? 0),
    total_voters: results.totalVoters,
    by_source: votersBySource(results),
    voided_votes: voidedVotesOf(results),
    position: positionOf(reading),
  };
}

/**
 * Contains nothing that a ballot changes: no count, version, position or timestamp, and no
 * `edited_at`. With `show_total_while_hidden` it has the total, and from the first step of a reveal
 * on also the revealed answers, and still nothing that differs with the others.
 */
export function hiddenMessage(reading: Reading): HiddenMessage {
  const { poll, results } = reading;
  const { revealedFrom } = results;
  const revealed = revealedAnswers(results);
  const question = questionBody(reading);
  const hasTotal = revealedFrom !== undefined || poll.settings.showTotal;
  return {
    type: 'hidden',
    ...question,
    poll_answers: question.poll_answers.map((answer, index) => ({ ...answer, ...revealed[index] })),
    revealed_from: revealedFrom,
    total_votes: hasTotal ? countVotes(results) : undefined,
    total_voters: hasTotal ? results.totalVoters : undefined,
  };
}

/** The poll without anything that a ballot or a step of a reveal changes. */
export function questionBody({ poll, results }: Reading): Omit<HiddenMessage, 'type'> {
  return {
    id: poll.id,
    title: poll.title,
    poll_answers: writtenAnswers(poll),
    success: 1,
    status: results.status,
    join_code: joinCodeOf({ poll, results }),
    deadline: timeOrNull(results.deadlineMs),
    closes_in: secondsOf(results.closesInMs),
    results_visibility: results.resultsVisibility,
    round: poll.round,
    chat_labels: labelsOf(poll),
    rehearsal: poll.rehearsal ? true : undefined,
  };
}

function labelsOf(poll: Poll): readonly string[] | undefined {
  if (!poll.show) return undefined;
  if (!takesChat(poll)) return [];
  return poll.settings.chatWords ? chatLabels(poll) : undefined;
}

export function voidedVotesOf({ voidedVotes }: Results): number | undefined {
  return voidedVotes || undefined;
}

/** Not of a closed poll: a day later the code may lead to another one, and equal results must stay equal. */
function joinCodeOf({ poll, results }: PollNow): string | undefined {
  return results.status === 'closed' ? undefined : poll.joinCode;
}

export function timeOrNull(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : formatTime(ms);
}

export function secondsOf(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}
