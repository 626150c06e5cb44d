import type { Language } from '../../locales/catalogues.ts';
import { type AnswerId, countVotes, type Poll, type Reading, type Results } from '../../poll/poll.ts';
import { percentages } from '../../poll/ranking.ts';
import { fill, fillParts } from '../../web/i18n.ts';
import type { Phrases } from '../../web/phrases.ts';
import { type Fragment, html, type Markup } from './html.ts';
import { timeElement } from './time-element.ts';

/** What changes with each ballot, as it is shown. */
export interface Figures {
  /** In the order of the poll. */
  readonly rows: readonly { readonly votes: Fragment; readonly share: Fragment }[];
  readonly total: Fragment;
}

export interface WrittenFigures extends Figures {
  readonly rows: readonly { readonly votes: string; readonly share: string }[];
  readonly total: string;
}

/**
 * The results, or the word that they are hidden. Nothing that moves when a ballot is cast is written for a voter who may
 * not see the counts: no count, no version, no time.
 *
 * @param figures undefined for one who may not see them
 */
export function resultsSection(
  phrases: Phrases,
  reading: Reading,
  own: readonly AnswerId[],
  figures: Figures | undefined,
): Markup {
  return html`<section class="results" data-results aria-labelledby="results-title">
<h2 id="results-title">${phrases.live.results}</h2>
<p class="sealed" data-sealed${figures && html` hidden`}>${sealedWord(phrases, reading)}</p>
<div data-open${!figures && html` hidden`}>
${resultsList(phrases, reading.poll, own, figures)}
<p class="total" data-total>${figures?.total}</p>
</div>
<p class="quiet" data-connection role="status"></p>
</section>`;
}

/** As much of a row as `row/browser/bar-row.ts` completes: a poll may have a hundred answers, and a phone pays for every byte. */
export function resultsList(
  { live }: Phrases,
  poll: Poll,
  own: readonly AnswerId[],
  figures: Figures | undefined,
): Markup {
  return html`<ol class="rows">
${poll.answers.map(({ id, text }, index) => {
  const row = figures?.rows[index];
  const chosen = own.includes(id);
  return html`<li data-answer="${id}"><span class="name"><bdi class="label">${text}</bdi>${chosen && html` <span class="tag own">${live.ownChoice}</span>`}</span><span class="values"><span class="count">${row?.votes}</span><span class="percent">${row?.share}</span></span></li>
`;
})}
</ol>`;
}

/** Many who come in the same moment share one reading, and its figures. */
const known = new WeakMap<Results, Map<Language, WrittenFigures>>();

export function figuresOf(phrases: Phrases, reading: Reading): WrittenFigures {
  const written = known.get(reading.results) ?? new Map<Language, WrittenFigures>();
  known.set(reading.results, written);
  const figures = written.get(phrases.language) ?? writeFigures(phrases, reading);
  written.set(phrases.language, figures);
  return figures;
}

function writeFigures({ live, wording }: Phrases, { poll, results }: Reading): WrittenFigures {
  const percents = percentages(results.votes);
  const votes = wording.plural(live, 'votes', countVotes(results));
  return {
    rows: results.votes.map((count, index) => ({
      votes: wording.number(count),
      share: wording.percent(percents[index] ?? 0),
    })),
    total: poll.settings.allowMultiple
      ? fill(live.votesOf, { votes, people: wording.plural(live, 'people', results.totalVoters) })
      : votes,
  };
}

/** When the results will be shown. */
export function sealedWord({ live, wording }: Phrases, { results }: Reading): Fragment {
  const { resultsVisibility, deadlineMs, status } = results;
  if (resultsVisibility !== 'after_deadline' || deadlineMs === null) return live.hidden;
  const phrase = status === 'closed' ? live.appearAt : live.hiddenUntilEnd;
  return fillParts(phrase, { moment: timeElement(wording, deadlineMs) });
}
