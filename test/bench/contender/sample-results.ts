const ANSWERS = ['Dancing Queen', 'Bohemian Rhapsody', 'Smells Like Teen Spirit', 'Take On Me'];

export const SAMPLE_POLL = { title: 'Which song should we play next?', answers: ANSWERS };

/** Far from a change of digits, so that a run's frames are all of one length. */
export const FIRST_VERSION = 100_000;

/** A message like the relay's own, word for word and of the same length, for the control rows to send. */
export function sampleResults(version: number): string {
  return JSON.stringify({
    type: 'results',
    id: 'aB3dE6gH9jK2',
    title: SAMPLE_POLL.title,
    poll_answers: ANSWERS.map((answer, index) => ({
      id: `aBcDeFg${index}`,
      answer,
      sorting: index + 1,
      type: 'text',
      votes: index === 0 ? version : 0,
    })),
    total_votes: version,
    success: 1,
    timestamp: 1_700_000_000,
    version,
    total_voters: version,
    status: 'open',
    deadline: null,
    results_visibility: 'always',
  });
}
