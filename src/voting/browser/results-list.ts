import type { ResultsMessage } from '../../client/watch-state.ts';
import { standings } from '../../poll/standings.ts';
import { find } from './page-manners.ts';
import { phrases, wording } from './spoken.ts';

export interface Counts {
  readonly votes: readonly { readonly id: string; readonly votes: number }[];
  readonly voters: number;
  readonly closed: boolean;
}

export function countsOf(results: ResultsMessage): Counts {
  return { votes: results.poll_answers, voters: results.total_voters, closed: results.status === 'closed' };
}

/** Fills the list that the server wrote. Bars move by `transform` alone. */
export function paintResults(
  section: HTMLElement,
  { votes, voters, closed }: Counts,
  multiple: boolean,
): void {
  const counts = votes.map(answer => answer.votes);
  const { rows, total } = standings(counts, { closed });
  for (const { index, votes: number, share, percent, isTop } of rows) {
    const row = section.querySelector<HTMLElement>(`[data-answer="${CSS.escape(votes[index]!.id)}"]`);
    if (!row) continue;
    row.classList.toggle('leads', isTop);
    write(find(row, 'votes'), wording.number(number));
    write(find(row, 'share'), wording.percent(percent));
    find(row, 'bar')?.style.setProperty('transform', `scaleX(${share})`);
  }
  const word = totalWord(total, voters, multiple);
  write(find(section, 'total'), closed ? phrases.final(word) : word);
}

function totalWord(total: number, voters: number, multiple: boolean): string {
  if (total === 0) return phrases.noVotes;
  const votes = phrases.votes(wording.count(total));
  return multiple ? phrases.votesOf(votes, phrases.people(wording.count(voters))) : votes;
}

function write(element: HTMLElement | undefined, text: string): void {
  if (element && element.textContent !== text) element.textContent = text;
}
