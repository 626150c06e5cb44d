import type { AnswerId, Reading } from '../../poll/poll.ts';
import { fillParts } from '../../web/i18n.ts';
import type { Phrases } from '../../web/phrases.ts';
import type { HumanCheck } from '../guard/human-check.ts';
import { type Fragment, html, type Markup } from '../page/html.ts';
import { type Notice, noticeBox } from '../page/notice.ts';
import { type Page, SITE_NAME } from '../page/page.ts';
import { publicPollState } from '../page/public-poll-state.ts';
import { type Figures, resultsSection, sealedWord } from '../page/results-section.ts';
import { relaySources } from '../page/security-headers.ts';
import { timeElement } from '../page/time-element.ts';
import { type VotingForm, votingForm } from './voting-form.ts';

export interface PollView {
  readonly reading: Reading;
  readonly notice?: Notice | undefined;
  /** The counted answers, where this voter's ballot is known to be counted. */
  readonly receipt?: readonly AnswerId[] | undefined;
  /** What to vote with; left out where this viewer cannot vote now. */
  readonly form?: VotingForm | undefined;
  /** What a signed-out viewer of a poll for signed-in people is offered. */
  readonly signIn?: Markup | undefined;
  /** The way out for a signed-in viewer. */
  readonly signedIn?: Markup | undefined;
  readonly comments?: Markup | undefined;
  /** Left out for one who may not see them. */
  readonly figures?: Figures | undefined;
  /** The engine's clock when it was read, for a countdown: UNIX time in milliseconds. */
  readonly nowMs: Fragment;
  /** Until the deadline, where there is one, in words. */
  readonly timeLeft: Fragment;
  /** An upcoming poll that is not on air: it is shown without its answers. */
  readonly isWithheld: boolean;
  /** Name of the show that the visitor came by. */
  readonly show: Fragment;
  readonly showLink: Fragment;
}

/** Characters that fill three lines of a phone. */
const LONG_TITLE = 70;

/** @param relayUrl where the page reads the live results */
export function pollPage(
  phrases: Phrases,
  view: PollView,
  relayUrl: string,
  check: Pick<HumanCheck, 'scripts' | 'sources'>,
): Page {
  const { poll } = view.reading;
  const { title, description, image, settings } = poll;
  return {
    phrases,
    // A private poll tells a link preview nothing but where it is.
    title: settings.isPrivate ? SITE_NAME : `${title} - ${SITE_NAME}`,
    preview: settings.isPrivate ? undefined : { title, description: description || phrases.vote.preview },
    noindex: settings.isPrivate,
    scripts: ['vote.js'],
    foreignScripts: view.form ? check.scripts : [],
    sources: {
      image,
      connect: relaySources(relayUrl),
      check: view.form ? check.sources : [],
    },
    body: pollBody(phrases, view, relayUrl),
  };
}

function pollBody(phrases: Phrases, view: PollView, relayUrl: string): Markup {
  const { reading, notice, receipt } = view;
  const { poll, results } = reading;
  const canVote = view.form !== undefined || view.signIn !== undefined;
  const { status } = results;
  const { upcoming, ended } = phrases.vote;
  return html`<article data-poll="${poll.id}" data-relay="${relayUrl}" data-status="${status}" data-mark="${publicPollState(results).mark}" data-deadline-ms="${results.deadlineMs}" data-now-ms="${results.deadlineMs !== null && view.nowMs}" data-multiple="${poll.settings.allowMultiple && '1'}" data-show="${view.show}"${view.isWithheld && html` data-withheld`}>
${view.showLink}
<header>
${poll.image !== null && html`<img class="picture" src="${poll.image}" alt="">`}
<h1 dir="auto"${poll.title.length > LONG_TITLE && html` class="long"`}>${poll.title}</h1>
${poll.description !== '' && html`<p class="description" dir="auto">${poll.description}</p>`}
${deadlineLine(phrases, view)}
</header>
${notice && noticeBox(notice)}
${receipt && html`<div data-counted>${noticeBox(countedNotice(phrases, reading, receipt))}</div>`}
${canVote && html`<section data-voting${status === 'upcoming' && html` hidden`}>${view.form ? votingForm(phrases, poll, view.form) : view.signIn}</section>`}
<div data-upcoming${status !== 'upcoming' && html` hidden`}>${noticeBox({ tone: 'calm', ...upcoming })}</div>
<div data-ended${status !== 'closed' && html` hidden`}>${noticeBox({ tone: 'calm', ...ended })}</div>
${
  view.isWithheld
    ? html`<p class="quiet" data-results><span data-connection role="status"></span></p>`
    : status !== 'closed' && canVote && !receipt
      ? peek(phrases, view)
      : resultsSection(phrases, reading, receipt ?? [], view.figures)
}
${view.signedIn}
${view.comments}
</article>`;
}

function deadlineLine({ live, wording }: Phrases, { reading, timeLeft }: PollView): Markup {
  const { deadlineMs, status } = reading.results;
  if (deadlineMs === null || status === 'closed') return html`<p class="deadline" data-deadline hidden></p>`;
  return html`<p class="deadline" data-deadline><span data-countdown role="timer">${timeLeft}</span> <span>${fillParts(live.closesAt, { moment: timeElement(wording, deadlineMs) })}</span></p>`;
}

function countedNotice(
  { vote: { counted } }: Phrases,
  { poll }: Reading,
  receipt: readonly AnswerId[],
): Notice {
  const chosen = poll.answers.filter(({ id }) => receipt.includes(id));
  return {
    tone: 'good',
    title: counted.title,
    text: fillParts(counted.text, {
      choices: chosen.map(({ text }, index) => html`${index > 0 && ', '}<b><bdi>${text}</bdi></b>`),
    }),
  };
}

/** Before the vote the results stay folded: who wants to choose freely is not shown what others chose. */
function peek(phrases: Phrases, { reading, figures }: PollView): Markup {
  if (!figures)
    return html`<div data-peek hidden>${resultsSection(phrases, reading, [], figures)}</div>
<p class="quiet" data-before-vote>${sealedWord(phrases, reading)}</p>`;
  return html`<details class="peek" data-peek><summary>${phrases.vote.peek}</summary>
${resultsSection(phrases, reading, [], figures)}
</details>`;
}
