import { defuse, quote } from '../http/csv.ts';
import { CHAT_NAMES, CHAT_PLATFORMS, type VotersBySource } from '../poll/chat-platform.ts';
import type { Reading } from '../poll/poll.ts';
import { percentages, percentagesOfVoters, rankAnswers } from '../poll/ranking.ts';
import type { HiddenMessage, ResultsAnswer, ResultsBody } from '../protocol/messages.ts';
import { editedAt, hiddenMessage, resultsBody } from '../protocol/results-body.ts';
import type { Reply } from './replies.ts';

/** Results as rows, CSV, XML and text, for tools that cannot read an object. */

/**
 * One answer with everything a graphic needs. Flat, because broadcast tools bind columns; and each
 * column has one type in all rows, because some tools take the type from the first row. Null is
 * what steps of a reveal have not shown; other formats leave it empty.
 */
export type ResultsRow = Reply<'ResultsRow'>;

const SOURCES = ['voters_page', 'voters_twitch', 'voters_youtube', 'voters_kick'] as const;
type SometimesColumn = (typeof SOURCES)[number] | 'round' | 'color' | 'image';
/** The same in every format, in this order. New columns are appended. */
const COLUMNS: readonly Exclude<keyof ResultsRow, SometimesColumn>[] = [
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
  'voided_votes',
  'revealed_from',
];
/** The columns that tell nothing of the votes. */
const OPEN_COLUMNS: readonly (typeof COLUMNS)[number][] = [
  'id',
  'answer',
  'sorting',
  'poll_id',
  'title',
  'status',
  'deadline',
  'results_visibility',
];

export const RESULTS_FORMATS = ['rows', 'csv', 'xml', 'text'] as const;
export type ResultsFormat = (typeof RESULTS_FORMATS)[number];

const CSV_TYPE = 'text/csv; charset=utf-8; header=present';
const NEEDS_QUOTES = /[",\r\n;\t']|^\s|\s$/u;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
};
// XML parsers reject a document with any other character.
const NOT_A_CHARACTER = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

export interface FormattedResults {
  readonly contentType: string;
  readonly body: string;
}

/** Contains the counts, so the caller must be authorized. */
export function formatResults(reading: Reading, format: ResultsFormat): FormattedResults {
  return formatRows(resultsRows(reading), format);
}

/** Contains what the steps of a reveal have shown. */
export function formatRevealed(reading: Reading, format: ResultsFormat): FormattedResults {
  return formatRows(revealedRows(reading), format);
}

function formatRows(rows: readonly ResultsRow[], format: ResultsFormat): FormattedResults {
  switch (format) {
    case 'rows':
      return {
        contentType: 'application/json; charset=utf-8',
        body: JSON.stringify(rows, [...columnsOf(rows)]),
      };
    case 'csv':
      return { contentType: CSV_TYPE, body: csvTable(columnsOf(rows), rows) };
    case 'xml':
      return { contentType: 'application/xml; charset=utf-8', body: xml(rows) };
    case 'text':
      return { contentType: 'text/plain; charset=utf-8', body: plainText(rows) };
  }
}

function columnsOf([first]: readonly ResultsRow[]): readonly (keyof ResultsRow)[] {
  const sources = first?.voters_page === undefined ? [] : SOURCES;
  const faces = first?.color === undefined ? [] : (['color', 'image'] as const);
  const rounds = first?.round === undefined ? [] : (['round'] as const);
  return [...COLUMNS, ...sources, ...rounds, ...faces];
}

/** A poll of a rundown: `reading` is absent if it was deleted. */
interface ShownPoll {
  readonly reading?: Reading | undefined;
  /** Otherwise the cells that tell of its votes are empty. */
  readonly mayRead?: boolean;
}

const SHOW_COLUMNS = ['place', ...COLUMNS, 'edited_at', ...SOURCES, 'round'] as const;

/** A row for each answer in a rundown: the place of its poll, the columns of a poll, and when a text was corrected. */
export const SHOW_CSV = {
  contentType: CSV_TYPE,
  head: csvLine(SHOW_COLUMNS),
  /**
   * @param index of the poll in the rundown
   * @param write `csvCell`, which is exact, or `spreadsheetCell`
   */
  linesOf({ reading, mayRead }: ShownPoll, index: number, write = csvCell): string {
    const rows = (reading ? resultsRows(reading) : []).map(row => ({
      place: index + 1,
      round: row.round,
      ...(mayRead ? row : Object.fromEntries(OPEN_COLUMNS.map(column => [column, row[column]]))),
      edited_at: mayRead ? editedAt(reading!.poll) : undefined,
    }));
    return csvLines(SHOW_COLUMNS, rows, write);
  },
};

type Cell = string | number | boolean | null;

/** RFC 4180. */
function csvTable<Column extends string>(
  columns: readonly Column[],
  rows: readonly { readonly [Name in Column]?: Cell | undefined }[],
): string {
  return csvLine(columns) + csvLines(columns, rows);
}

function csvLines<Column extends string>(
  columns: readonly Column[],
  rows: readonly { readonly [Name in Column]?: Cell | undefined }[],
  write = csvCell,
): string {
  const cell = eachOnce(write);
  return rows.map(row => csvLine(columns.map(column => cell(row[column] ?? '')))).join('');
}

function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}

/** Most cells of a poll, among them its title, are the same in all of its rows. */
function eachOnce<Value>(write: (value: Value) => string): (value: Value) => string {
  const written = new Map<Value, string>();
  return value => {
    const text = written.get(value) ?? write(value);
    written.set(value, text);
    return text;
  };
}

/** For files that people open in a spreadsheet: no text is evaluated there. */
export function spreadsheetCell(value: string | number | boolean): string {
  return csvCell(typeof value === 'string' ? defuse(value) : value);
}

/** Exact, for programs. */
export function csvCell(value: string | number | boolean): string {
  const text = String(value);
  return NEEDS_QUOTES.test(text) ? quote(text) : text;
}

/** XML 1.0 with elements only, for tools that select rows by an XPath such as `/results/row`. */
function xml(rows: readonly ResultsRow[]): string {
  const text = eachOnce(xmlText);
  const columns = columnsOf(rows);
  const elements = rows.map(row => {
    const cells = columns.map(column => `<${column}>${text(row[column] ?? '')}</${column}>`);
    return `  <row>${cells.join('')}</row>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<results>\n${elements.join('')}</results>\n`;
}

export function xmlText(value: string | number | boolean): string {
  return String(value)
    .replace(NOT_A_CHARACTER, '\uFFFD')
    .replace(/[&<>"'\r]/g, character => ENTITIES[character]!);
}

/**
 * Title, one line per answer, total, sources with votes from chat, removed votes if there are any,
 * and for a closed poll the outcome or how far it is revealed.
 */
function plainText(rows: readonly ResultsRow[]): string {
  const first = rows[0]!;
  const lines = [
    first.title,
    ...rows.map(({ answer, votes, percent }) =>
      votes === null ? answer : `${answer}: ${votes} (${percent} %)`,
    ),
    totalLine(first),
  ];
  const sources = sourcesLine(first);
  if (sources) lines.push(sources);
  const { voided_votes: voided, revealed_from: revealedFrom } = first;
  if (voided) lines.push(`${voided} ${voided === 1 ? 'vote' : 'votes'} removed`);
  if (revealedFrom > 0) lines.push(`Revealed up to place ${revealedFrom}`);
  else if (first.status === 'closed') lines.push(outcomeLine(rows));
  return `${lines.join('\n')}\n`;
}

/** Voters are mentioned only if they differ from votes. */
function totalLine({ total_votes, total_voters }: ResultsRow): string {
  return total_voters === total_votes
    ? `Total: ${total_votes}`
    : `Total: ${total_votes} from ${total_voters} voters`;
}

function sourcesLine({ voters_page: page, ...row }: ResultsRow): string {
  if (page === undefined) return '';
  const chats = CHAT_PLATFORMS.map(platform => [CHAT_NAMES[platform], row[`voters_${platform}`]] as const);
  const counted = chats.filter(([, count]) => count);
  return [['Page', page] as const, ...counted].map(([name, count]) => `${name}: ${count}`).join(', ');
}

function outcomeLine(rows: readonly ResultsRow[]): string {
  const winners = rows.filter(row => row.winner).map(row => row.answer);
  if (winners.length === 0) return 'Closed without a vote';
  return winners.length === 1 ? `Winner: ${winners[0]}` : `Tie: ${winners.join(', ')}`;
}

function resultsRows(reading: Reading): ResultsRow[] {
  const body = resultsBody(reading);
  const votes = body.poll_answers.map(answer => answer.votes);
  const { rows, tie } = rankAnswers(votes, { closed: body.status === 'closed' });
  const decimal = percentages(votes, 1);
  const { version, timestamp, voided_votes = 0, by_source } = body;
  const sources = by_source && votersOf(by_source);
  const questions = questionRows(body);
  return rows.map(({ percent, place, winner, leading }, index) => ({
    votes: votes[index]!,
    percent,
    percent_decimal: decimal[index]!.toFixed(1),
    rank: place,
    winner,
    leading,
    tie,
    version,
    timestamp,
    voided_votes,
    // Last, because in Node 20 each member after a spread takes microseconds.
    ...questions[index]!,
    ...sources,
  }));
}

function votersOf({ page, twitch = 0, youtube = 0, kick = 0 }: VotersBySource): Partial<ResultsRow> {
  return { voters_page: page, voters_twitch: twitch, voters_youtube: youtube, voters_kick: kick };
}

function revealedRows(reading: Reading): ResultsRow[] {
  const hidden = hiddenMessage(reading);
  const percentOf = (votes: number, decimals: number) =>
    percentagesOfVoters([votes], hidden.total_votes ?? 0, decimals)[0]!;
  const questions = questionRows(hidden);
  return hidden.poll_answers.map(({ votes = null, place = null }, index) => ({
    votes,
    percent: votes && percentOf(votes, 0),
    percent_decimal: votes === null ? null : percentOf(votes, 1).toFixed(1),
    rank: place,
    winner: votes === null ? null : false,
    leading: false,
    tie: null,
    version: null,
    timestamp: null,
    voided_votes: null,
    ...questions[index]!,
  }));
}

/** The columns that are the same for results and for what a reveal has shown of them. */
function questionRows(poll: ResultsBody | HiddenMessage) {
  const hasFaces = poll.poll_answers.some(hasFace);
  return poll.poll_answers.map(({ id, answer, sorting, color = '', image = '' }) => ({
    id,
    answer,
    sorting,
    poll_id: poll.id,
    title: poll.title,
    total_votes: poll.total_votes ?? 0,
    total_voters: poll.total_voters ?? 0,
    status: poll.status,
    deadline: poll.deadline ?? '',
    results_visibility: poll.results_visibility,
    revealed_from: poll.revealed_from ?? 0,
    round: poll.round,
    color: hasFaces ? color : undefined,
    image: hasFaces ? image : undefined,
  }));
}

function hasFace({ color, image }: Pick<ResultsAnswer, 'color' | 'image'>): boolean {
  return color !== undefined || image !== undefined;
}
