import { writeMoment } from '../poll/moment.ts';
import { countVotes, type Reading } from '../poll/poll.ts';
import type { CountsMessage, HiddenMessage, ResultsBody } from '../protocol/messages.ts';

/** Results as the contract shows them, the same for REST and for the live stream. */

export function resultsBody({ poll, results }: Reading): ResultsBody {
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
    deadline: isoOrNull(results.deadlineMs),
    results_visibility: results.resultsVisibility,
    ...(poll.rehearsal && { rehearsal: true }),
  };
}

/** What a ballot changes, and nothing else. */
export function countsMessage({ poll, results }: Reading): CountsMessage {
  return {
    type: 'counts',
    id: poll.id,
    version: results.version,
    timestamp: Math.floor(results.readAtMs / 1000),
    votes: poll.answers.map((_, index) => results.votes[index] ?? 0),
    total_voters: results.totalVoters,
  };
}

/** Carries nothing that moves when a ballot is cast: no count, no version, no time of reading. */
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
    deadline: isoOrNull(results.deadlineMs),
    results_visibility: results.resultsVisibility,
  };
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : writeMoment(ms);
}
