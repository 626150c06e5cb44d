import type { HiddenMessage, ResultsBody } from '../../src/protocol/messages.ts';

/** Results with these counts, as the stream would send them. */
export function knownResults(votes: readonly number[], changes: Partial<ResultsBody> = {}): ResultsBody {
  const total = votes.reduce((sum, count) => sum + count, 0);
  return {
    id: 'p1',
    title: 'A question',
    poll_answers: votes.map((count, at) => ({
      id: `a${at + 1}`,
      answer: `Answer ${at + 1}`,
      sorting: at + 1,
      type: 'text',
      votes: count,
    })),
    total_votes: total,
    success: 1,
    timestamp: 1_800_000_000,
    version: 1,
    position: '1-digest',
    total_voters: total,
    status: 'open',
    deadline: null,
    results_visibility: 'always',
    ...changes,
  };
}

export function knownHidden(changes: Partial<HiddenMessage> = {}): HiddenMessage {
  const { id, title, poll_answers, status, deadline } = knownResults([0, 0]);
  const answers = poll_answers.map(({ id, answer, sorting, type }) => ({ id, answer, sorting, type }));
  const poll = { id, title, poll_answers: answers, status, deadline };
  return { ...poll, type: 'hidden', success: 1, results_visibility: 'hidden', ...changes };
}
