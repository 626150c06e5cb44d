import { defuse, quote } from '../../http/csv.ts';
import type { Reading } from '../../poll/poll.ts';
import { COLUMNS, type ResultsRow, resultsRows } from './results-rows.ts';

/** The other shapes of the results: all from one reading, so all show the same version. */

export const RESULTS_FORMATS = ['rows', 'csv', 'xml', 'text'] as const;
export type ResultsFormat = (typeof RESULTS_FORMATS)[number];

const NEEDS_QUOTES = /[",\r\n;\t']|^\s|\s$/u;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
};
// Everything outside the production Char: one such character and a parser refuses the whole document.
const NOT_A_CHARACTER = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

export interface FormattedResults {
  readonly contentType: string;
  readonly body: string;
}

/** Shows the counts: the caller has judged that whoever asks may see them. */
export function formatResults(reading: Reading, format: ResultsFormat): FormattedResults {
  const rows = resultsRows(reading);
  switch (format) {
    case 'rows':
      return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(rows) };
    case 'csv':
      return { contentType: 'text/csv; charset=utf-8; header=present', body: csv(rows) };
    case 'xml':
      return { contentType: 'application/xml; charset=utf-8', body: xml(rows) };
    case 'text':
      return { contentType: 'text/plain; charset=utf-8', body: plainText(rows) };
  }
}

/** Comma-separated values by RFC 4180, safe to open in a spreadsheet. */
function csv(rows: readonly ResultsRow[]): string {
  const lines = rows.map(row => COLUMNS.map(column => csvCell(row[column])).join(','));
  return [COLUMNS.join(','), ...lines, ''].join('\r\n');
}

export function csvCell(value: string | number | boolean): string {
  const text = defuse(String(value));
  return NEEDS_QUOTES.test(text) ? quote(text) : text;
}

/** Well-formed XML 1.0 with elements only, for tools that pick rows by an XPath: `/results/row`. */
function xml(rows: readonly ResultsRow[]): string {
  const elements = rows.map(row => {
    const cells = COLUMNS.map(column => `<${column}>${xmlText(row[column])}</${column}>`);
    return `  <row>${cells.join('')}</row>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<results>\n${elements.join('')}</results>\n`;
}

export function xmlText(value: string | number | boolean): string {
  return String(value)
    .replace(NOT_A_CHARACTER, '\uFFFD')
    .replace(/[&<>"'\r]/g, character => ENTITIES[character]!);
}

/** Lines for a text source: the title, one line per answer, the total, and the outcome once the poll is closed. */
function plainText(rows: readonly ResultsRow[]): string {
  const first = rows[0]!;
  const lines = [
    first.title,
    ...rows.map(({ answer, votes, percent }) => `${answer}: ${votes} (${percent} %)`),
    totalLine(first),
  ];
  if (first.status === 'closed') lines.push(outcomeLine(rows));
  return `${lines.join('\n')}\n`;
}

/** Voters are named only where they differ from votes: several answers in one ballot. */
function totalLine({ total_votes, total_voters }: ResultsRow): string {
  return total_voters === total_votes
    ? `Total: ${total_votes}`
    : `Total: ${total_votes} from ${total_voters} voters`;
}

function outcomeLine(rows: readonly ResultsRow[]): string {
  const winners = rows.filter(row => row.winner).map(row => row.answer);
  if (winners.length === 0) return 'Closed without a vote';
  return winners.length === 1 ? `Winner: ${winners[0]}` : `Tie: ${winners.join(', ')}`;
}
