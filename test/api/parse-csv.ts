/** Reads RFC 4180 strictly, character by character: a second opinion on what the writer wrote. */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let at = 0;
  while (at < text.length) {
    const [cell, end] = text[at] === '"' ? quoted(text, at + 1) : bare(text, at);
    record.push(cell);
    if (text[end] === ',') {
      at = end + 1;
      continue;
    }
    if (!text.startsWith('\r\n', end)) throw new Error(`neither a comma nor CRLF at ${end}`);
    records.push(record);
    record = [];
    at = end + 2;
  }
  return records;
}

function quoted(text: string, start: number): [string, number] {
  let at = start;
  while (text[at] !== '"' || text[at + 1] === '"') {
    if (at >= text.length) throw new Error('a quoted cell never ends');
    at += text[at] === '"' ? 2 : 1;
  }
  return [text.slice(start, at).replaceAll('""', '"'), at + 1];
}

function bare(text: string, start: number): [string, number] {
  const cell = /^[^",\r\n]*/.exec(text.slice(start))![0];
  return [cell, start + cell.length];
}
