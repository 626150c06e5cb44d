import type { ResultsMessage } from '../../../client/watch-state.ts';
import { rankAnswers } from '../../../poll/ranking.ts';
import { completeBarRow, showRowState } from '../../../row/browser/bar-row.ts';
import { fill } from '../../../web/i18n.ts';
import { find } from './dom.ts';
import { phrases, wording } from './i18n.ts';

export interface Counts {
  readonly votes: readonly { readonly id: string; readonly votes: number }[];
  readonly voters: number;
  readonly closed: boolean;
}

export function countsOf(results: ResultsMessage): Counts {
  return { votes: results.poll_answers, voters: results.total_voters, closed: results.status === 'closed' };
}

export function paintResults(
  section: HTMLElement,
  { votes, voters, closed }: Counts,
  multiple: boolean,
): void {
  const counts = votes.map(answer => answer.votes);
  const { rows, total, tie } = rankAnswers(counts, { closed });
  for (const { index, votes: number, share, percent, isTop, winner } of rows) {
    const element = section.querySelector<HTMLElement>(`[data-answer="${CSS.escape(votes[index]!.id)}"]`);
    if (!element) continue;
    const row = completeBarRow(element);
    showRowState(row, { leads: isTop, wins: winner, lost: closed && !winner, length: share });
    write(row.tag, winner ? phrases[tie ? 'tie' : 'winner'] : '');
    write(row.values.querySelector('.count'), wording.number(number));
    write(row.values.querySelector('.percent'), wording.percent(percent));
  }
  const text = totalText(total, voters, multiple);
  write(find(section, 'total'), closed ? fill(phrases.final, { total: text }) : text);
}

function totalText(total: number, voters: number, multiple: boolean): string {
  if (total === 0) return phrases.noVotes;
  const votes = wording.plural(phrases, 'votes', total);
  return multiple
    ? fill(phrases.votesOf, { votes, people: wording.plural(phrases, 'people', voters) })
    : votes;
}

function write(element: Element | null | undefined, text: string): void {
  if (element && element.textContent !== text) element.textContent = text;
}
