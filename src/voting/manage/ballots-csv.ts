import type { Engine } from '../../engine/engine.ts';
import type { Poll } from '../../poll/poll.ts';

/** Spreadsheets run a cell that begins like a formula, also behind spaces and quotes, and in full width. */
const FORMULA = /^[\s"']*[=+\-@＝＋－＠]|^[\t\r\n]/u;
const BYTE_ORDER_MARK = '\uFEFF';

/** Every ballot as a line of CSV, written while it is read: a large poll needs no memory for it. */
export async function* ballotsCsv(engine: Engine, poll: Poll): AsyncGenerator<string> {
  const texts = new Map(poll.answers.map(({ id, text }) => [id, text]));
  const named = poll.settings.enter_name;
  // Without the mark Excel reads UTF-8 as something else.
  yield BYTE_ORDER_MARK + line(['cast_at', ...(named ? ['name'] : []), 'answers']);
  for await (const ballot of engine.polls.readBallots(poll.id)) {
    const answers = ballot.answers.map(id => texts.get(id) ?? '').join(' | ');
    yield line([new Date(ballot.castAtMs).toISOString(), ...(named ? [ballot.name ?? ''] : []), answers]);
  }
}

function line(cells: readonly string[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

export function cell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
