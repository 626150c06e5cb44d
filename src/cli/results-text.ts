import { styleText } from 'node:util';
import { type RankedAnswer, type Ranking, rankAnswers } from '../poll/ranking.ts';
import type { HiddenMessage, ResultsBody } from '../protocol/messages.ts';
import { fitCells, safeText, textWidth } from './terminal.ts';

/** Results as lines of text. Pure. */

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
  readonly color: boolean;
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
/** The largest share of a line for names; the rest is for the bars. */
const NAME_SHARE = 0.4;
const MIN_COLUMNS = 24;
/** Title, status and two blank lines. */
const FRAME_ROWS = 4;
const MARGIN = 2;
const GAP = 2;

const count = new Intl.NumberFormat('en');

export function drawResults(results: ResultsBody, status: string, size: TerminalSize): string[] {
  const columns = Math.max(MIN_COLUMNS, size.columns) - 2 * MARGIN;
  const { rows, ranked } = rankingOf(results);
  const names = results.poll_answers.map(({ answer }) => safeText(answer));
  const figures = figuresOf(rows);
  const nameWidth = Math.min(Math.max(...names.map(textWidth)), Math.floor(columns * NAME_SHARE));
  const barWidth = columns - nameWidth - 2 * GAP - figures[0]!.length;
  const most = Math.max(ranked[0]!.votes, 1);
  const lines = rows.map(({ votes, isTop, index }) => {
    const bar = drawBar(votes / most, barWidth);
    const color = isTop ? 'green' : 'cyan';
    return `${fitCells(names[index]!, nameWidth)}  ${paint(size, color, bar)}  ${figures[index]}`;
  });
  const title = paint(size, 'bold', fitCells(safeText(results.title), columns).trimEnd());
  const foot = paint(size, 'dim', fitCells(`${totals(results)} · ${status}`, columns).trimEnd());
  return [title, '', ...crop(lines, size.rows - FRAME_ROWS), '', foot].map(line =>
    line === '' ? '' : ' '.repeat(MARGIN) + line,
  );
}

export function describeResults(results: ResultsBody): string {
  const { rows } = rankingOf(results);
  const answers = results.poll_answers.map(
    ({ answer, votes }, index) => `${safeText(answer)}: ${votes} (${rows[index]!.percent} %)`,
  );
  const read = new Date(results.timestamp * 1_000).toISOString();
  return `${read} v${results.version} ${results.status}, ${totals(results)} | ${answers.join(' | ')}`;
}

/** Hidden results that are revealed by steps. Answers that are not revealed have no figures. */
export function drawRevealed(hidden: Omit<HiddenMessage, 'type'>): string[] {
  const { title, poll_answers, total_votes = 0 } = hidden;
  const answers = poll_answers.map(({ answer, votes, place }) =>
    votes === undefined ? safeText(answer) : `${safeText(answer)}: ${countOf(votes)}, place ${place}`,
  );
  const foot = `${countOf(total_votes)} · ${revealedTo(hidden)}`;
  return [safeText(title), '', ...answers, '', foot].map(line =>
    line === '' ? '' : ' '.repeat(MARGIN) + line,
  );
}

export function revealedTo({ revealed_from }: Pick<HiddenMessage, 'revealed_from'>): string {
  return `revealed up to place ${revealed_from}; a key shows all (--key)`;
}

/** Returns a bar of exactly this width, precise to an eighth of a cell. */
export function drawBar(share: number, width: number): string {
  if (width <= 0) return '';
  const eighths = Math.round(share * width * 8);
  // Even the smallest share is visible.
  const shown = share > 0 ? Math.max(1, eighths) : 0;
  const bar = '█'.repeat(Math.floor(shown / 8)) + EIGHTHS[shown % 8]!;
  return bar + ' '.repeat(width - bar.length);
}

export function winnersOf(results: ResultsBody): string[] {
  const { rows } = rankingOf(results);
  return results.poll_answers.filter((_, index) => rows[index]!.winner).map(({ answer }) => safeText(answer));
}

function rankingOf({ poll_answers, status }: ResultsBody): Ranking {
  const votes = poll_answers.map(answer => answer.votes);
  return rankAnswers(votes, { closed: status === 'closed' });
}

function figuresOf(rows: readonly RankedAnswer[]): string[] {
  const counts = rows.map(({ votes }) => count.format(votes));
  const width = Math.max(...counts.map(text => text.length));
  return rows.map(
    ({ percent, index }) => `${String(percent).padStart(3)} %  ${counts[index]!.padStart(width)}`,
  );
}

function totals({ total_votes, total_voters, by_source, voided_votes = 0 }: ResultsBody): string {
  const voters = total_voters === total_votes ? '' : ` from ${count.format(total_voters)} voters`;
  return `${countOf(total_votes)}${voters}${sourcesOf(by_source)}${removedOf(voided_votes)}`;
}

/** Returns ` (page 41, twitch 17)`, or nothing without votes from chat. */
function sourcesOf(sources: ResultsBody['by_source']): string {
  if (!sources) return '';
  return ` (${Object.entries(sources)
    .map(([source, voters]) => `${source} ${count.format(voters)}`)
    .join(', ')})`;
}

/** Returns `, 3 votes removed`, or nothing for none. */
export function removedOf(voidedVotes: number): string {
  return voidedVotes === 0 ? '' : `, ${countOf(voidedVotes)} removed`;
}

function countOf(votes: number): string {
  return `${count.format(votes)} ${votes === 1 ? 'vote' : 'votes'}`;
}

function crop(lines: string[], rows: number): string[] {
  if (lines.length <= rows) return lines;
  const shown = Math.max(1, rows - 1);
  return [...lines.slice(0, shown), `and ${lines.length - shown} more`];
}

function paint(size: TerminalSize, style: 'bold' | 'dim' | 'green' | 'cyan', text: string): string {
  return size.color ? styleText(style, text, { validateStream: false }) : text;
}
