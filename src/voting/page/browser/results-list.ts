import type { ResultsMessage } from '../../../client/watch-state.ts';
import { fill } from '../../../locales/i18n.ts';
import { completeBarRow, showRowState } from '../../../picture/browser/bar-row.ts';
import { rankAnswers } from '../../../poll/ranking.ts';
import { find } from './dom.ts';
import { phrases, wording } from './i18n.ts';

export interface Counts {
  readonly votes: readonly { readonly id: string; readonly votes: number }[];
  readonly voters: number;
  /** Votes that the creator removed. */
  readonly voided: number;
  readonly closed: boolean;
}

export function countsOf(results: ResultsMessage): Counts {
  const { poll_answers: votes, total_voters: voters, voided_votes: voided = 0, status } = results;
  return { votes, voters, voided, closed: status === 'closed' };
}

export function paintResults(section: HTMLElement, counts: Counts, multiple: boolean): void {
  const { votes, voters, voided, closed } = counts;
  const numbers = votes.map(answer => answer.votes);
  const { rows, total, tie } = rankAnswers(numbers, { closed, voters: multiple ? voters : undefined });
  for (const { index, votes: number, share, percent, isTop, winner } of rows) {
    const element = section.querySelector<HTMLElement>(`[data-answer="${CSS.escape(votes[index]!.id)}"]`);
    if (!element) continue;
    const row = completeBarRow(element);
    showRowState(row, { leads: isTop, wins: winner, lost: closed && !winner, length: share });
    write(row.tag, winner ? phrases[tie ? 'tie' : 'winner'] : '');
    write(row.values.querySelector('.count'), wording.number(number));
    write(row.values.querySelector('.percent'), wording.percent(percent));
  }
  write(find(section, 'total'), totalText(total, counts, multiple));
  write(find(section, 'voided'), voided > 0 ? wording.plural(phrases, 'voided', voided) : '');
}

function totalText(count: number, { voters, voided, closed }: Counts, multiple: boolean): string {
  if (count === 0 && voided === 0) return closed ? phrases.noVotesCast : phrases.noVotes;
  const votes = wording.plural(phrases, 'votes', count);
  const total = multiple
    ? fill(phrases.votesOf, { votes, people: wording.plural(phrases, 'people', voters) })
    : votes;
  return closed ? fill(phrases.final, { total }) : total;
}

function write(element: Element | null | undefined, text: string): void {
  if (element && element.textContent !== text) element.textContent = text;
}
