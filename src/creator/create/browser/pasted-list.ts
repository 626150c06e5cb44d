/** With the boxes of checklists. */
const BULLET = /^(?:[-–—*•‣⁃◦▪▫■□●○·✓✔☐☑+]|\[[ x]?\])\s+/i;
const NUMBER = /^\(?(\p{Nd}{1,3})(?:[.)\]:、．）]\s*|\t)(?=\S)/u;

/**
 * Returns the entries of a pasted list without bullets and numbering: the lines of a text, or the
 * cells of one row of a table. Numbers are numbering only where each line has another one: "1. FC
 * Köln" and "1. FC Nürnberg" are names.
 */
export function pastedList(text: string): string[] {
  const lines = text.split(/[\r\n\u2028\u2029]+/).filter(line => line.trim() !== '');
  const cells = lines.length === 1 ? lines[0]!.split('\t') : lines;
  const entries = cells.map(entry => entry.trim().replace(BULLET, '')).filter(entry => entry !== '');
  const numbers = entries.map(entry => NUMBER.exec(entry)?.[1]);
  const isNumbered = !numbers.includes(undefined) && new Set(numbers).size === entries.length;
  return entries.map(entry => (isNumbered ? entry.replace(NUMBER, '') : entry).replace(/\s+/g, ' ').trim());
}
