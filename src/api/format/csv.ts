import { defuse, quote } from '../../http/csv.ts';
import { COLUMNS, type ResultsRow } from './results-rows.ts';

/** Comma-separated values by RFC 4180, safe to open in a spreadsheet. */

const NEEDS_QUOTES = /[",\r\n;\t']|^\s|\s$/u;

export function csv(rows: readonly ResultsRow[]): string {
  const lines = rows.map(row => COLUMNS.map(column => csvCell(row[column])).join(','));
  return [COLUMNS.join(','), ...lines, ''].join('\r\n');
}

export function csvCell(value: string | number | boolean): string {
  const text = defuse(String(value));
  return NEEDS_QUOTES.test(text) ? quote(text) : text;
}
