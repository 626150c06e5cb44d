import type { ResultsRow } from './results-rows.ts';

/** Lines for a text source: the title, one line per answer, the total, and the outcome once the poll is closed. */
export function plainText(rows: readonly ResultsRow[]): string {
  const first = rows[0]!;
  const lines = [
    first.title,
    ...rows.map(({ answer, votes, percent }) => `${answer}: ${votes} (${percent} %)`),
    totalLine(first),
  ];
  if (first.status === 'closed') lines.push(outcomeLine(rows));
  return `${lines.join('\n')}\n`;
}

/** Voters are named only where they differ from votes: several answers in one ballot. */
function totalLine({ total_votes, total_voters }: ResultsRow): string {
  return total_voters === total_votes
    ? `Total: ${total_votes}`
    : `Total: ${total_votes} from ${total_voters} voters`;
}

function outcomeLine(rows: readonly ResultsRow[]): string {
  const winners = rows.filter(row => row.winner).map(row => row.answer);
  if (winners.length === 0) return 'Closed without a vote';
  return winners.length === 1 ? `Winner: ${winners[0]}` : `Tie: ${winners.join(', ')}`;
}
