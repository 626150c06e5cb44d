import type { ResultsMessage } from '../../client/watch-state.ts';
import { standings } from '../../poll/standings.ts';
import { find } from './page-manners.ts';

const NUMBER = new Intl.NumberFormat();

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
    write(find(row, 'votes'), NUMBER.format(number));
    write(find(row, 'share'), `${percent} %`);
    find(row, 'bar')?.style.setProperty('transform', `scaleX(${share})`);
  }
  write(find(section, 'total'), `${totalWord(total, voters, multiple)}${closed ? ', final' : ''}`);
}

function totalWord(total: number, voters: number, multiple: boolean): string {
  const votes = `${NUMBER.format(total)} ${total === 1 ? 'vote' : 'votes'}`;
  if (total === 0) return 'No votes yet';
  return multiple ? `${votes} from ${NUMBER.format(voters)} ${voters === 1 ? 'person' : 'people'}` : votes;
}

function write(element: HTMLElement | undefined, text: string): void {
  if (element && element.textContent !== text) element.textContent = text;
}
