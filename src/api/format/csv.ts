import { COLUMNS, type ResultsRow } from './results-rows.ts';

/** Comma-separated values by RFC 4180, safe to open in a spreadsheet. */

// A spreadsheet runs a cell that begins with one of these, the wide and small forms included, and some skip blanks first.
const FORMULA =
  /^(?:[\t\r\n]|[\s\p{Default_Ignorable_Code_Point}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE62\uFE63\uFE66\uFE6B\u2212])/u;
const NEEDS_QUOTES = /[",\r\n;\t']|^\s|\s$/u;

export function csv(rows: readonly ResultsRow[]): string {
  const lines = rows.map(row => COLUMNS.map(column => csvCell(row[column])).join(','));
  return [COLUMNS.join(','), ...lines, ''].join('\r\n');
}

/** An apostrophe in front is the spreadsheets' own mark for "this is text". */
export function csvCell(value: string | number | boolean): string {
  const text = String(value);
  const defused = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(defused) ? `"${defused.replaceAll('"', '""')}"` : defused;
}
