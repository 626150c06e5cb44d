import { fill, fillParts } from '../../locales/i18n.ts';
import type { Phrases } from '../../locales/phrases.ts';
import {
  type Answer,
  type AnswerId,
  areResultsPublic,
  countVotes,
  type Poll,
  type Reading,
} from '../../poll/poll.ts';
import { percentages, percentagesOfVoters } from '../../poll/ranking.ts';
import { imagePath } from '../../poll/rehearsal.ts';
import { revealedAnswers } from '../../poll/reveal-steps.ts';
import { timeElement } from './components.ts';
import { type Fragment, html, type Markup } from './html.ts';

export interface Figures {
  readonly rows: readonly { readonly votes: Fragment; readonly share: Fragment }[];
  readonly total: Fragment;
  /** Says how many votes the creator removed, or that more results will follow; empty for neither. */
  readonly voided: Fragment;
}

/**
 * Hidden results include nothing that changes with a ballot, but for the total where the poll shows
 * it.
 *
 * @param figures undefined for hidden results
 */
export function resultsSection(
  phrases: Phrases,
  reading: Reading,
  own: readonly AnswerId[],
  figures: Figures | undefined,
  relayUrl: string,
): Markup {
  return html`<section class="results" data-results aria-labelledby="results-title">
<h2 id="results-title">${phrases.vote.results}</h2>
<p data-hidden-note${figures && html` hidden`}>${hiddenNote(phrases, reading)}</p>
${
  reading.poll.settings.showTotal &&
  html`<p class="total" data-hidden-total>${!figures && hiddenTotal(phrases, reading)}</p>
`
}<div data-open${!figures && html` hidden`}>
<p class="total" data-total>${figures?.total}</p>
${resultsList(phrases, reading.poll, own, figures, relayUrl)}
<p class="quiet" data-voided>${figures?.voided}</p>
${shareNote(phrases, reading.poll)}
</div>
<p class="quiet" data-connection role="status"></p>
</section>`;
}

/** States what the percentages of a poll with several answers are parts of. */
export function shareNote({ vote }: Phrases, { settings }: Poll): Fragment {
  return settings.allowMultiple && html`<p class="quiet">${vote.shareOfVoters}</p>`;
}

/**
 * Renders the minimum of each row; `picture/browser/bar-row.ts` adds the rest. A poll may have a
 * hundred answers, so the rows have no end tags, which HTML lets a list item omit.
 */
export function resultsList(
  { vote }: Phrases,
  poll: Poll,
  own: readonly AnswerId[],
  figures: Figures | undefined,
  relayUrl: string,
): Markup {
  const face = facesOf(poll, relayUrl);
  return html`<ol class="rows">
${poll.answers.map((answer, index) => {
  const { id, text } = answer;
  const row = figures?.rows[index];
  const faceOfRow = face(answer);
  const chosen = own.includes(id);
  return html`<li data-answer="${id}"${faceOfRow && html` class=faced`}>${faceOfRow}<span class=name><bdi class=label${languageOf(text)}>${text}</bdi>${chosen && html` <span class="tag own">${vote.ownChoice}</span>`}</span><span class=values><span class=count>${row?.votes}</span><span class=percent>${row?.share}</span></span>`;
})}
</ol>`;
}

/** Returns the attribute `lang` for Japanese: only then do lines end between its phrases. */
export function languageOf(text: string): Fragment {
  return /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) && html` lang=ja`;
}

export function hasImages({ answers }: Pick<Poll, 'answers'>): boolean {
  return answers.some(({ image }) => image !== undefined);
}

/**
 * Returns the box of an answer's picture, which has its color until the picture is there; nothing
 * for all if none has a picture. The name is beside it, so it has no alternative text.
 */
export function facesOf(poll: Poll, relayUrl: string): (answer: Answer) => Markup | undefined {
  if (!hasImages(poll)) return () => undefined;
  return ({ id, image, imageFocus }) =>
    html`<i class="face">${
      image !== undefined &&
      html`<img src="${relayUrl}${imagePath(poll, image)}"${imageFocus && html` class="focus-${id}"`} alt="" loading="lazy" decoding="async" fetchpriority="low">`
    }</i>`;
}

export function figuresOf(phrases: Phrases, { poll, results }: Reading): Figures {
  const { live, wording } = phrases;
  const percents = poll.settings.allowMultiple
    ? percentagesOfVoters(results.votes, results.totalVoters)
    : percentages(results.votes);
  return {
    rows: results.votes.map((count, index) => ({
      votes: wording.number(count),
      share: wording.percent(percents[index] ?? 0),
    })),
    total: totalOf(phrases, { poll, results }),
    voided: results.voidedVotes ? wording.plural(live, 'voided', results.voidedVotes) : '',
  };
}

/** What steps of a reveal have shown. Each share follows from its count and the total alone. */
export function revealedFigures(phrases: Phrases, { poll, results }: Reading): Figures {
  const { live, wording } = phrases;
  const total = countVotes(results);
  const whole = poll.settings.allowMultiple ? results.totalVoters : total;
  return {
    rows: revealedAnswers(results).map(answer => ({
      votes: answer && wording.number(answer.votes),
      share: answer && wording.percent(percentagesOfVoters([answer.votes], whole)[0]!),
    })),
    total: totalOf(phrases, { poll, results }),
    voided: live.restFollows,
  };
}

/** With the number of votes in large figures. */
function totalOf({ live, wording }: Phrases, { poll, results }: Pick<Reading, 'poll' | 'results'>): Fragment {
  const count = countVotes(results);
  const votes = wording.plural(live, 'votes', count, '{{count}}');
  const people = wording.plural(live, 'people', results.totalVoters);
  const total = poll.settings.allowMultiple ? fill(live.votesOf, { votes, people }) : votes;
  return fillParts(total, { count: html`<b>${wording.number(count)}</b>` });
}

/** Shown while results are hidden, in polls that show their total. */
function hiddenTotal(phrases: Phrases, reading: Reading): Fragment {
  const { results } = reading;
  const isHidden = !areResultsPublic(results) && results.revealedFrom === undefined;
  return isHidden && results.status !== 'upcoming' && totalOf(phrases, reading);
}

export function hiddenNote({ live, vote, wording }: Phrases, { results }: Reading): Fragment {
  const { resultsVisibility, deadlineMs, status } = results;
  if (resultsVisibility === 'after_vote') return live.hiddenUntilVote;
  if (resultsVisibility !== 'after_deadline' || deadlineMs === null) return live.hidden;
  const phrase = status === 'closed' ? vote.appearAt : live.hiddenUntilEnd;
  return fillParts(phrase, { moment: timeElement(wording, deadlineMs) });
}
