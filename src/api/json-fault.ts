/** Where a text stops being JSON, in words for whoever wrote it. */

/** Strings, numbers, words and marks of JSON, one after the other, with the blanks between them. */
const TOKEN =
  /[ \t\n\r]*(?:"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:])|[ \t\n\r]+$/y;

/** @param text what the parser of request bodies has refused */
export function jsonFault(text: string): string {
  const fault = faultOfParser(text);
  if (fault === undefined)
    return 'The body has a member called __proto__, or prototype in constructor: leave it out.';
  const { extraComma, end } = scan(text);
  if (extraComma !== undefined)
    return `The body is not valid JSON: one comma too many ${place(text, extraComma)}.`;
  // Where a text is short, engines quote it and name no position.
  const position = Number(/at position (\d+)/.exec(fault)?.[1] ?? end);
  if (position >= text.trimEnd().length) return 'The body is not valid JSON: its end is missing.';
  return `The body is not valid JSON: look ${place(text, position)}.`;
}

/** @returns undefined for JSON that has a member which no body may have, because it could change what is not the caller's */
function faultOfParser(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** @returns the comma before a closing bracket, if there is one, and how far the text consists of what JSON consists of */
function scan(text: string): { extraComma?: number; end: number } {
  TOKEN.lastIndex = 0;
  let comma: number | undefined;
  for (let end = 0; ; end = TOKEN.lastIndex) {
    const token = TOKEN.exec(text)?.[0].trimStart();
    if (token === undefined || token === '') return { end: end + /^\s*/.exec(text.slice(end))![0].length };
    if (comma !== undefined && /^[}\]]/.test(token)) return { extraComma: comma, end };
    comma = token === ',' ? TOKEN.lastIndex - 1 : undefined;
  }
}

/** Counted from 1, as editors do. */
function place(text: string, position: number): string {
  const before = text.slice(0, position).split('\n');
  return `in line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
