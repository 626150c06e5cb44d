/** Cells of CSV that are safe to open in a spreadsheet. */

// A spreadsheet runs a cell that begins with one of these, the wide and small forms included, and some skip blanks, quotes
// and characters that nobody sees first.
const FORMULA =
  /^(?:[\t\r\n]|[\s"'\p{Default_Ignorable_Code_Point}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE62\uFE63\uFE66\uFE6B\u2212])/u;

/** An apostrophe in front is the spreadsheets' own mark for "this is text". */
export function defuse(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** By RFC 4180, in quotes whatever is in it. */
export function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
