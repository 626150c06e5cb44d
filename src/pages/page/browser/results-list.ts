import type { HiddenMessage, ResultsMessage } from '../../../client/watch-state.ts';
import { fill, fillParts } from '../../../locales/i18n.ts';
import { completeBarRow, showRowState } from '../../../picture/browser/bar-row.ts';
import { rankAnswers } from '../../../poll/ranking.ts';
import { create, find, quietButton } from './dom.ts';
import { phrases, wording } from './i18n.ts';
import { readStored, store } from './stored.ts';

export interface Counts {
  readonly votes: readonly { readonly id: string; readonly votes?: number }[];
  readonly voters: number;
  /** Votes that the creator removed. */
  readonly voided: number;
  readonly closed: boolean;
  /** All votes, while steps of a reveal have shown only some of them. */
  readonly stepped?: number | undefined;
}

export function countsOf(results: ResultsMessage): Counts {
  const { poll_answers: votes, total_voters: voters, voided_votes: voided = 0, status } = results;
  return { votes, voters, voided, closed: status === 'closed' };
}

/** There is no winner yet. */
export function steppedCountsOf({ poll_answers, total_votes, total_voters = 0 }: HiddenMessage): Counts {
  return { votes: poll_answers, voters: total_voters, voided: 0, closed: false, stepped: total_votes };
}

export function paintResults(section: HTMLElement, counts: Counts, multiple: boolean): void {
  const { votes, voters, voided, closed, stepped } = counts;
  const numbers = votes.map(answer => answer.votes ?? 0);
  // Shares of revealed answers are rounded one by one: together, they would tell of the hidden ones.
  const { rows, total, tie } = rankAnswers(numbers, { closed, voters: multiple ? voters : stepped });
  let turn = 0;
  for (const { index, votes: number, share, percent, isTop, winner } of rows) {
    const { id, votes: known } = votes[index]!;
    const element = section.querySelector<HTMLElement>(`[data-answer="${CSS.escape(id)}"]`);
    if (!element) continue;
    const row = completeBarRow(element);
    row.track.style.cssText = `--from: ${turn}turn; --to: ${turn + share}turn`;
    turn += share;
    showRowState(row, { leads: isTop && !stepped, wins: winner, lost: closed && !winner, length: share });
    write(row.tag, winner ? phrases[tie ? 'tie' : 'winner'] : '');
    write(row.values.querySelector('.count'), known === undefined ? '' : wording.number(number));
    write(row.values.querySelector('.percent'), known === undefined ? '' : wording.percent(percent));
  }
  writeTotal(find(section, 'total'), stepped ?? total, counts, multiple);
  const removed = voided > 0 ? wording.plural(phrases, 'voided', voided) : '';
  write(find(section, 'voided'), stepped ? phrases.restFollows : removed);
}

/** The total of hidden results, where the poll shows it. */
export function paintHiddenTotal(section: HTMLElement, hidden: HiddenMessage, multiple: boolean): void {
  const { total_votes: total, status } = hidden;
  const isShown = total !== undefined && status !== 'upcoming';
  const line = find(section, 'hidden-total');
  if (isShown) writeTotal(line, total, steppedCountsOf(hidden), multiple);
  else write(line, '');
}

/** With the number of votes in large figures. */
function writeTotal(
  line: HTMLElement | undefined,
  count: number,
  { voters, voided, closed }: Counts,
  multiple: boolean,
): void {
  if (count === 0 && voided === 0) {
    write(line, closed ? phrases.noVotesCast : phrases.noVotes);
    return;
  }
  const votes = wording.plural(phrases, 'votes', count, '{{count}}');
  const people = wording.plural(phrases, 'people', voters);
  const total = multiple ? fill(phrases.votesOf, { votes, people }) : votes;
  const text = closed ? fill(phrases.final, { total }) : total;
  const number = wording.number(count);
  if (line?.textContent === fill(text, { count: number })) return;
  line?.replaceChildren(...fillParts<string | Node>(text, { count: create('b', {}, number) }));
}

function write(element: Element | null | undefined, text: string): void {
  if (element && element.textContent !== text) element.textContent = text;
}

/** Marks results that change as votes arrive. */
export function markLive(section: HTMLElement, isLive: boolean): void {
  const known = section.querySelector('.live');
  if (!isLive) known?.remove();
  if (!isLive || known) return;
  section.querySelector('h2')?.after(create('span', { class: 'live' }, phrases.now));
}

const CHART_SLOT = 'tallycast-chart';

/** Shows results as bars or as a ring, as this browser did last. */
export function chartButton(section: HTMLElement): HTMLElement {
  const show = (isRing: boolean) => {
    section.classList.toggle('ring', isRing);
    button.textContent = phrases[isRing ? 'bars' : 'donut'];
  };
  const button = quietButton(phrases.donut, () => {
    const isRing = !section.classList.contains('ring');
    show(isRing);
    store('localStorage', CHART_SLOT, isRing ? 'donut' : 'bars');
  });
  button.classList.add('chart');
  show(readStored('localStorage', CHART_SLOT) === 'donut');
  return button;
}
