import { resultsBody } from '../../live/results-body.ts';
import type { PollStatus, Reading, ResultsVisibility } from '../../poll/poll.ts';
import { percentages, rankAnswers } from '../../poll/ranking.ts';

/**
 * One answer with all that a graphic needs, flat: broadcast tools bind columns and cannot look up in another table, so
 * what belongs to the poll is repeated in every row. A column has the same type in every row, because some readers take
 * the type from the first one: hence no fractions among whole numbers and no null among texts.
 */
export interface ResultsRow {
  readonly id: string;
  readonly answer: string;
  /** Position in the order given, counting from 1. */
  readonly sorting: number;
  readonly votes: number;
  /** Whole percent. Equal votes have equal figures; beyond that the rows add up to 100. All 0 before the first vote. */
  readonly percent: number;
  /** The same with one digit behind the point, such as `33.4`. */
  readonly percent_decimal: string;
  /** Place by votes, counting from 1; equal counts share a place (1, 1, 3). */
  readonly rank: number;
  /** The poll is closed, and no answer has more votes; false without a vote. In a tie several rows are winners. */
  readonly winner: boolean;
  /** Two or more rows have the most votes, whether the poll is open or closed. */
  readonly tie: boolean;
  readonly poll_id: string;
  readonly title: string;
  readonly total_votes: number;
  readonly total_voters: number;
  readonly status: PollStatus;
  /** ISO 8601, UTC; empty where no deadline is active. */
  readonly deadline: string;
  readonly results_visibility: ResultsVisibility;
  readonly version: number;
  /** UNIX time in whole seconds. */
  readonly timestamp: number;
  /** What `winner` will be if the poll closes now: said while it is open only. */
  readonly leading: boolean;
}

/** The columns in the order in which every shape shows them. New ones are added at the end only. */
export const COLUMNS = [
  'id',
  'answer',
  'sorting',
  'votes',
  'percent',
  'percent_decimal',
  'rank',
  'winner',
  'tie',
  'poll_id',
  'title',
  'total_votes',
  'total_voters',
  'status',
  'deadline',
  'results_visibility',
  'version',
  'timestamp',
  'leading',
] as const satisfies readonly (keyof ResultsRow)[];

export function resultsRows(reading: Reading): ResultsRow[] {
  const body = resultsBody(reading);
  const votes = body.poll_answers.map(answer => answer.votes);
  const { rows, tie } = rankAnswers(votes, { closed: body.status === 'closed' });
  const decimal = percentages(votes, 1);
  return body.poll_answers.map((answer, index) => ({
    id: answer.id,
    answer: answer.answer,
    sorting: answer.sorting,
    votes: answer.votes,
    percent: rows[index]!.percent,
    percent_decimal: decimal[index]!.toFixed(1),
    rank: rows[index]!.place,
    winner: rows[index]!.winner,
    tie,
    poll_id: body.id,
    title: body.title,
    total_votes: body.total_votes,
    total_voters: body.total_voters,
    status: body.status,
    deadline: body.deadline ?? '',
    results_visibility: body.results_visibility,
    version: body.version,
    timestamp: body.timestamp,
    leading: rows[index]!.leading,
  }));
}
