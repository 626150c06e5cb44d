import { type AnswerId, areResultsPublic, type Reading } from '../../poll/poll.ts';
import { html, type Markup } from './html.ts';
import { count, moment } from './moment.ts';

/**
 * The results, or the word that they are hidden. Nothing that moves when a ballot is cast is written for a voter who may
 * not see the counts: no count, no version, no time.
 */
export function resultsSection(reading: Reading, own: readonly AnswerId[]): Markup {
  const visible = areResultsPublic(reading.results);
  return html`<section class="results" data-results aria-labelledby="results-title">
<h2 id="results-title">Results</h2>
<p class="sealed" data-sealed${attribute(visible, 'hidden')}>${sealedWord(reading)}</p>
<div data-open${attribute(!visible, 'hidden')}>
${resultsList(reading, own, visible)}
<p class="total" data-total>${visible && totalWord(reading)}</p>
</div>
<p class="quiet" data-connection role="status"></p>
</section>`;
}

export function resultsList(reading: Reading, own: readonly AnswerId[], visible: boolean): Markup {
  return html`<ol class="bars">
${reading.poll.answers.map(
  ({ id, text }, index) => html`<li data-answer="${id}"${attribute(own.includes(id), 'class="own"')}>
<span class="label"><bdi>${text}</bdi>${own.includes(id) && html` <span class="mark">your choice</span>`}</span>
<span class="figures"><span data-votes>${visible && reading.results.votes[index]}</span> <span class="share" data-share></span></span>
<span class="track" aria-hidden="true"><span class="bar" data-bar></span></span>
</li>`,
)}
</ol>`;
}

export function totalWord({ poll, results }: Reading): string {
  const votes = results.votes.reduce((sum, one) => sum + one, 0);
  const voters = count(results.totalVoters, 'person', 'people');
  return poll.settings.ma ? `${count(votes, 'vote', 'votes')} from ${voters}` : count(votes, 'vote', 'votes');
}

/** When the results will be shown. */
export function sealedWord({ results: { resultsVisibility, deadlineMs, status } }: Reading): Markup {
  if (resultsVisibility === 'after_deadline' && deadlineMs !== null && status === 'open')
    return html`The results are hidden while people vote. They appear here when voting ends, ${moment(deadlineMs)}.`;
  if (resultsVisibility === 'after_deadline' && deadlineMs !== null)
    return html`The results appear here ${moment(deadlineMs)}.`;
  return html`The results are hidden. When the creator shows them, they appear here.`;
}

function attribute(condition: boolean, text: 'hidden' | 'class="own"'): Markup | false {
  return condition && (text === 'hidden' ? html` hidden` : html` class="own"`);
}
