import type { StoredBallot } from '../../poll/ballot.ts';
import type { Poll, PollKeys, Reading, ResultsVisibility } from '../../poll/poll.ts';

/** What never changes about a poll, so that it is read once and then kept. */
export interface Definition {
  readonly poll: Poll;
  readonly adminKeyHash: PollKeys['adminKeyHash'];
}

/** @param tallyText field and value in turn, each on a line, as read-poll sends them */
export function tallyToReading(
  { poll, adminKeyHash }: Definition,
  tallyText: string,
  readAtMs: number,
): Reading {
  const lines = tallyText.split('\n');
  const tally = new Map<string, string>();
  for (let index = 0; index < lines.length; index += 2) tally.set(lines[index]!, lines[index + 1]!);

  const deadlineMs = millisecondsOrNull(tally.get('deadline'));
  const over = deadlineMs !== null && readAtMs >= deadlineMs;
  return {
    poll,
    keys: { adminKeyHash, viewKeyHash: tally.get('view') ?? '' },
    results: {
      version: Number(tally.get('version')),
      epoch: Number(tally.get('epoch')),
      votes: poll.answers.map(answer => Number(tally.get(`votes:${answer.id}`))),
      totalVoters: Number(tally.get('voters')),
      status: over || tally.get('closed') !== '' ? 'closed' : 'open',
      deadlineMs,
      resultsVisibility: tally.get('visibility') as ResultsVisibility,
      readAtMs,
    },
  };
}

/** @param text milliseconds, or empty for none */
export function millisecondsOrNull(text: string | null | undefined): number | null {
  return text ? Number(text) : null;
}

/** @param text one entry of the list that cast-ballot writes */
export function parseBallot(text: string): StoredBallot {
  const { ballotId, answers, name, castAtMs } = JSON.parse(text) as StoredBallot;
  return { ballotId, answers, name, castAtMs };
}

/** @param time reply to TIME: seconds and microseconds, which some versions of the typings call strings */
export function timeToMs([seconds, microseconds]: readonly (number | string)[]): number {
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}
