import { type AnswerId, countVotes, type Poll, type Reading, type Results } from '../../poll/poll.ts';
import { percentages } from '../../poll/standings.ts';
import { type Fragment, html, type Markup } from './html.ts';
import { count, moment } from './moment.ts';

/** What changes with each ballot, as it is shown. */
export interface Figures {
  /** In the order of the poll. */
  readonly rows: readonly { readonly votes: Fragment; readonly share: Fragment }[];
  readonly total: Fragment;
}

export interface WrittenFigures extends Figures {
  readonly rows: readonly { readonly votes: number; readonly share: string }[];
  readonly total: string;
}

/**
 * The results, or the word that they are hidden. Nothing that moves when a ballot is cast is written for a voter who may
 * not see the counts: no count, no version, no time.
 *
 * @param figures undefined for one who may not see them
 */
export function resultsSection(
  reading: Reading,
  own: readonly AnswerId[],
  figures: Figures | undefined,
): Markup {
  return html`<section class="results" data-results aria-labelledby="results-title">
<h2 id="results-title">Results</h2>
<p class="sealed" data-sealed${figures && html` hidden`}>${sealedWord(reading)}</p>
<div data-open${!figures && html` hidden`}>
${resultsList(reading.poll, own, figures)}
<p class="total" data-total>${figures?.total}</p>
</div>
<p class="quiet" data-connection role="status"></p>
</section>`;
}

/** A poll may have a hundred answers, and a phone pays for every byte of a row. */
export function resultsList(poll: Poll, own: readonly AnswerId[], figures: Figures | undefined): Markup {
  return html`<ol class="bars">
${poll.answers.map(({ id, text }, index) => {
  const row = figures?.rows[index];
  const chosen = own.includes(id);
  return html`<li data-answer="${id}"${chosen && html` class="own"`}><span><bdi>${text}</bdi>${chosen && html` <span class="mark">your choice</span>`}</span><span class="figures"><span data-votes>${row?.votes}</span> <span data-share>${row?.share}</span></span><span class="track"><span data-bar></span></span></li>
`;
})}
</ol>`;
}

/** Many who come in the same moment share one reading, and its figures. */
const known = new WeakMap<Results, WrittenFigures>();

export function figuresOf(reading: Reading): WrittenFigures {
  const figures = known.get(reading.results) ?? writeFigures(reading);
  known.set(reading.results, figures);
  return figures;
}

function writeFigures(reading: Reading): WrittenFigures {
  const { votes } = reading.results;
  const percents = percentages(votes);
  return {
    rows: votes.map((count, index) => ({ votes: count, share: `${percents[index]} %` })),
    total: totalWord(reading),
  };
}

function totalWord({ poll, results }: Reading): string {
  const votes = countVotes(results);
  const voters = count(results.totalVoters, 'person', 'people');
  return poll.settings.ma ? `${count(votes, 'vote', 'votes')} from ${voters}` : count(votes, 'vote', 'votes');
}

/** When the results will be shown. */
export function sealedWord({ results: { resultsVisibility, deadlineMs, status } }: Reading): Markup {
  if (resultsVisibility === 'after_deadline' && deadlineMs !== null && status !== 'closed')
    return html`The results are hidden while people vote. They appear here when voting ends, ${moment(deadlineMs)}.`;
  if (resultsVisibility === 'after_deadline' && deadlineMs !== null)
    return html`The results appear here ${moment(deadlineMs)}.`;
  return html`The results are hidden. When the creator shows them, they appear here.`;
}
