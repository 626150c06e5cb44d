import type { ResultsMessage, ServerMessage } from '../../src/protocol/messages.ts';

/** What compact messages say in full, by PROTOCOL.md alone: each `counts` is completed by the `results` before it. */
export function completed(messages: readonly ServerMessage[]): ServerMessage[] {
  let full: ResultsMessage | undefined;
  return messages.map(message => {
    if (message.type === 'results') full = message;
    if (message.type !== 'counts') return message;
    if (!full || full.id !== message.id) throw new Error('counts without results before them');
    const { type, votes, ...newer } = message;
    const { reset, by_source, voided_votes, ...rest } = full;
    const total_votes = votes.reduce((sum, count) => sum + count, 0);
    if (votes.length !== full.poll_answers.length) throw new Error(`${votes.length} counts`);
    const poll_answers = rest.poll_answers.map((answer, index) => ({ ...answer, votes: votes[index] ?? -1 }));
    return { ...rest, ...newer, type: 'results', poll_answers, total_votes };
  });
}
