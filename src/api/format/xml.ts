import { COLUMNS, type ResultsRow } from './results-rows.ts';

/** Well-formed XML 1.0 with elements only, for tools that pick rows by an XPath: `/results/row`. */

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

export function xml(rows: readonly ResultsRow[]): string {
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
