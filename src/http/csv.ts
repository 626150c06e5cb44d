// A spreadsheet evaluates a cell that begins with one of these, full-width forms included. Some
// skip blanks, quotes and invisible characters first.
const FORMULA =
  /^(?:[\t\r\n]|[\s"'\p{Default_Ignorable_Code_Point}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE62\uFE63\uFE66\uFE6B\u2212])/u;

/** Prefixes a formula with an apostrophe, which marks text in spreadsheets. */
export function defuse(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

export function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
