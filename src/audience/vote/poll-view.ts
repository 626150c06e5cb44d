import type { Language } from '../../locales/catalogues.ts';
import { fill, fillParts } from '../../locales/i18n.ts';
import type { Phrases } from '../../locales/phrases.ts';
import { editedNote, type Notice, noticeBox, timeElement } from '../../pages/page/components.ts';
import { type CreateSlot, type Fragment, html, type Markup } from '../../pages/page/html.ts';
import { markedPollState, type PageLook } from '../../pages/page/messages.ts';
import { noticePage } from '../../pages/page/notice-page.ts';
import { type Page, SITE_NAME } from '../../pages/page/page.ts';
import { pollSheet } from '../../pages/page/page-look.ts';
import {
  type Figures,
  facesOf,
  hasImages,
  hiddenNote,
  languageOf,
  resultsSection,
} from '../../pages/page/results-section.ts';
import { relaySources } from '../../pages/page/security-headers.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import {
  type Answer,
  type AnswerId,
  choicesOf,
  imageFiles,
  type Poll,
  type Reading,
} from '../../poll/poll.ts';
import { questionImage } from '../../poll/rehearsal.ts';
import { type FilledForm, MAX_NAME_LENGTH } from './ballot-box.ts';
import { choiceRule } from './ballot-rejection.ts';

/** By what a poll's page differs between viewers, apart from its slots. */
export interface PageVariant {
  readonly language: Language;
  /** The counted answers of this voter; none of a withdrawn ballot, undefined where this browser has no receipt. */
  readonly receipt: readonly AnswerId[] | undefined;
  readonly hasVoted: boolean;
  readonly notice: Notice | undefined;
  readonly hasForm: boolean;
  readonly asksForAccount: boolean;
  readonly isSignedIn: boolean;
  readonly hasComments: boolean;
  readonly showsFigures: boolean;
  /** Sees results that only voters see. */
  readonly seesAsVoter: boolean;
  /** The voter may change the counted ballot. */
  readonly mayChange: boolean;
  /** The form changes that ballot. */
  readonly isChange: boolean;
  /** The form asks for the human check. */
  readonly hasCheck: boolean;
  /** An upcoming poll that is not on air is shown without its answers. */
  readonly isWithheld: boolean;
}

/** The values of the slots, which differ between readers or change by themselves. */
export interface PollValues {
  /** Ballot id, sealed for this poll and voter. */
  readonly token: Fragment;
  readonly check: Fragment;
  readonly comments: Fragment;
  /** The engine's clock: UNIX time in milliseconds. */
  readonly nowMs: Fragment;
  /** Time until the deadline, in words. */
  readonly timeLeft: Fragment;
  /** Name of the show that led here; empty without one. */
  readonly show: Fragment;
  /** Keeps the show in links; empty without one. */
  readonly showQuery: Fragment;
  /** The query of the form that changes a ballot. */
  readonly changeQuery: Fragment;
  readonly showLink: Fragment;
  /** The query of the picture of the results. */
  readonly picture: Fragment;
  readonly figures: Figures | undefined;
  /** The index of the answer at each place of the form; undefined for the given order. */
  readonly order: readonly number[] | undefined;
}

interface PollView {
  readonly phrases: Phrases;
  readonly reading: Reading;
  readonly variant: PageVariant;
  readonly slot: CreateSlot<PollValues>;
  /** A rejected form, shown again. */
  readonly filled: FilledForm | undefined;
  readonly look: PageLook | undefined;
  /** Puts the answers of the form in the order of each voter. */
  readonly arrange: (rows: readonly Markup[]) => Fragment;
}

/** Characters that fill three lines of a phone. */
const LONG_TITLE = 70;

export function pollPage(view: PollView, site: PageDependencies): Page {
  const { phrases, reading, variant, look } = view;
  const { id, title, description, image, settings } = reading.poll;
  const hasRelayImages = look !== undefined || imageFiles(reading.poll).length > 0;
  const { scripts = [], sources = [] } = variant.hasForm && variant.hasCheck ? site.humanCheck : {};
  return {
    phrases,
    title: `${title} - ${SITE_NAME}`,
    preview: { title, description: description || phrases.vote.preview },
    image: hasPicture(reading)
      ? {
          url: html`${site.relayUrl}/api/poll/${id}/picture.png${view.slot(({ picture }) => picture)}`,
          alt: title,
        }
      : undefined,
    noindex: settings.isPrivate,
    scripts: ['vote.js'],
    styles: hasImages(reading.poll) ? ['faces.css'] : [],
    foreignScripts: scripts,
    sources: {
      image,
      check: sources,
      connect: relaySources(site.relayUrl),
      logo: hasRelayImages ? new URL(site.relayUrl).origin : undefined,
    },
    look,
    css: pollSheet(reading.poll),
    body: pollBody(view, site),
  };
}

/** A private poll is in previews once its show has opened it. */
function hasPicture({ poll, results }: Reading): boolean {
  return !poll.settings.isPrivate || (poll.show !== undefined && results.status !== 'upcoming');
}

function pollBody(view: PollView, { relayUrl, signInName }: PageDependencies): Markup {
  const { phrases, reading, variant, slot } = view;
  const { poll, results } = reading;
  const { receipt, notice } = variant;
  const canVote = variant.hasForm || variant.asksForAccount;
  const { status } = results;
  const { upcoming, ended } = phrases.vote;
  // A rejection may have said so.
  const once = (words: typeof ended) =>
    words.title !== notice?.title && noticeBox({ tone: 'calm', ...words });
  return html`<article data-poll="${poll.id}" data-relay="${relayUrl}" data-status="${status}" data-mark="${markedPollState(results).mark}" data-deadline-ms="${results.deadlineMs}" data-now-ms="${results.deadlineMs !== null && slot(({ nowMs }) => nowMs)}" data-multiple="${poll.settings.allowMultiple && '1'}" data-edition="${poll.edition ?? ''}" data-round="${poll.round ?? 1}"${variant.hasVoted && html` data-voted="${variant.seesAsVoter ? 'sees' : ''}"`} data-show="${slot(({ show }) => show)}"${variant.isWithheld && html` data-withheld`}>
<header>
${poll.image !== null && html`<img class="picture" src="${questionImage(poll, relayUrl)}" alt="">`}
<div class="wording" data-wording>
<h1 dir="auto"${languageOf(poll.title)}${poll.title.length > LONG_TITLE && html` class="long"`}>${poll.title}</h1>
${poll.description !== '' && html`<p class="description" dir="auto">${poll.description}</p>`}
${editedNote(phrases, poll)}
</div>
${deadlineLine(view)}
</header>
${slot(({ showLink }) => showLink)}
${notice && noticeBox(notice)}
${variant.hasVoted && html`<div data-counted>${(receipt || !notice) && noticeBox(countedNotice(phrases, reading, receipt))}${variant.mayChange && !canVote && changeLink(view)}</div>`}
${canVote && html`<section data-voting${status === 'upcoming' && html` hidden`}>${variant.hasForm ? votingForm(view, relayUrl) : signInOffer(phrases, signInName, poll.id)}</section>`}
<div data-upcoming${status !== 'upcoming' && html` hidden`}>${once(upcoming)}</div>
<div data-ended${status !== 'closed' && html` hidden`}>${once(ended)}</div>
${
  variant.isWithheld
    ? html`<p class="quiet" data-results><span data-connection role="status"></span></p>`
    : status !== 'closed' && canVote && !variant.hasVoted
      ? foldedResults(view, relayUrl)
      : resultsSection(phrases, reading, receipt ?? [], figureSlots(view), relayUrl)
}
${poll.settings.isVerifiable && html`<p class="actions"><a class="button quiet" href="/${poll.id}/check${slot(({ showQuery }) => showQuery)}">${phrases.check[receipt ? 'vote' : 'result'].title}</a></p>`}
${variant.isSignedIn && signOutForm(phrases, signInName, poll.id)}
${variant.hasComments && slot(({ comments }) => comments)}
</article>`;
}

function deadlineLine({ phrases: { live, wording }, reading, slot }: PollView): Markup {
  const { deadlineMs, status } = reading.results;
  if (deadlineMs === null || status === 'closed') return html`<p class="deadline" data-deadline hidden></p>`;
  return html`<p class="deadline" data-deadline><span data-countdown role="timer">${slot(({ timeLeft }) => timeLeft)}</span> <span>${fillParts(live.closesAt, { moment: timeElement(wording, deadlineMs) })}</span></p>`;
}

function changeLink({ phrases, reading: { poll, results }, slot }: PollView): Markup {
  return html`<p class="actions" data-change${results.status !== 'open' && html` hidden`}><a class="button quiet" href="/${poll.id}${slot(({ changeQuery }) => changeQuery)}">${phrases.vote.change.change}</a></p>`;
}

function countedNotice(
  { vote: { counted, change, notCounted } }: Phrases,
  { poll }: Reading,
  receipt: readonly AnswerId[] | undefined,
): Notice {
  const { duplicate_account: ofAccount, duplicate_voter: ofVoter } = notCounted;
  if (!receipt)
    return { tone: 'good', title: (poll.settings.requireSignIn ? ofAccount : ofVoter).title, text: false };
  if (receipt.length === 0) return { tone: 'calm', ...change.withdrawn };
  const chosen = poll.answers.filter(({ id }) => receipt.includes(id));
  return {
    tone: 'good',
    title: counted.title,
    text: fillParts(counted.text, {
      choices: chosen.map(({ text }, index) => html`${index > 0 && ', '}<b><bdi>${text}</bdi></b>`),
    }),
  };
}

/**
 * One `required` radio button makes all of its name required, and attributes without quotes keep a
 * hundred answers small.
 */
function votingForm(
  { phrases, reading: { poll }, variant, slot, filled, arrange }: PollView,
  relayUrl: string,
): Markup {
  const { vote } = phrases;
  const { allowMultiple, requireName } = poll.settings;
  const [least, most] = choicesOf(poll);
  const isLimited = allowMultiple && (least > 1 || most < poll.answers.length);
  const { isChange, hasCheck, receipt } = variant;
  const checked = filled?.answers ?? (isChange ? (receipt ?? []) : []);
  const canWithdraw = isChange && receipt?.length !== 0;
  const kind = allowMultiple ? 'checkbox' : 'radio';
  const face = facesOf(poll, relayUrl);
  const hasFaces = hasImages(poll);
  const classOf = ({ color }: Answer, index: number) => {
    if (color !== undefined) return html`"answer colored color-${index + 1}"`;
    return hasFaces ? html`"answer fill-${(index % 12) + 1}"` : 'answer';
  };
  return html`<form class="vote" method="post" action="/${poll.id}/ballot" data-vote>
<input type="hidden" name="ballot" value="${slot(({ token }) => token)}" data-ballot>
<fieldset${hasFaces && html` class="faces"`}${isLimited && html` aria-describedby="choices"`}>
<legend>${choiceRule(phrases, poll)}</legend>
${arrange(
  poll.answers.map((answer, index) => {
    const { id, text } = answer;
    return html`<label class=${classOf(answer, index)} dir=auto${languageOf(text)}><input type="${kind}" name="answer" value="${id}"${
      checked.includes(id) && html` checked`
    }${kind === 'radio' && index === 0 && html` required`}><span>${text}</span>${face(answer)}</label>`;
  }),
)}
${
  isLimited &&
  html`<p class="fault" id="choices" role="status" data-choices data-least="${least}" data-most="${most}"></p>
`
}</fieldset>
${
  requireName &&
  !isChange &&
  html`<label class="field"><span>${vote.yourName}</span>
<input name="name" value="${filled?.name}" dir="auto" required maxlength="${MAX_NAME_LENGTH}" autocomplete="name" aria-describedby="name-hint">
<small id="name-hint">${vote.nameHint}</small></label>`
}
${hasCheck && html`<noscript><p class="notice problem">${vote.needsScript}</p></noscript>`}
${isChange && html`<input type="hidden" name="change" value="1">`}
<div class="cast">
<button type="submit" data-submit>${canWithdraw ? vote.change.change : vote.vote}</button>
${slot(({ check }) => check)}
</div>
${
  canWithdraw &&
  html`<p class="actions"><button type="submit" class="quiet" name="withdraw" value="1" formnovalidate>${vote.change.withdraw}</button>
<a class="button quiet" href="/${poll.id}${slot(({ showQuery }) => showQuery)}">${vote.change.keep}</a></p>`
}
</form>`;
}

function figureSlots({ reading, variant, slot }: PollView): Figures | undefined {
  if (!variant.showsFigures) return undefined;
  return {
    rows: reading.poll.answers.map((_, index) => ({
      votes: slot(({ figures }) => figures?.rows[index]?.votes),
      share: slot(({ figures }) => figures?.rows[index]?.share),
    })),
    total: slot(({ figures }) => figures?.total),
    voided: slot(({ figures }) => figures?.voided),
  };
}

/** Results are folded until the vote, so that they do not influence it. */
function foldedResults(view: PollView, relayUrl: string): Markup {
  const { phrases, reading } = view;
  const figures = figureSlots(view);
  const results = resultsSection(phrases, reading, [], figures, relayUrl);
  if (!figures)
    return html`<div data-peek hidden>${results}</div>
<p class="quiet" data-before-vote>${hiddenNote(phrases, reading)}</p>`;
  return html`<details class="peek" data-peek${reading.results.status === 'upcoming' && html` hidden`}><summary>${phrases.vote.peek}</summary>
${results}
</details>`;
}

function signInOffer({ vote: { signIn } }: Phrases, signInName: string | undefined, pollId: string): Markup {
  if (signInName === undefined) return html`<p class="notice calm">${signIn.missing}</p>`;
  return html`<p>${signIn.needed}</p>
<p class="actions"><a class="button" href="/sign-in?poll=${pollId}">${fill(signIn.begin, { provider: signInName })}</a></p>`;
}

function signOutForm({ vote: { signIn } }: Phrases, signInName = '', pollId: string): Markup {
  return html`<form class="sign-out" method="post" action="/sign-out"><input type="hidden" name="poll" value="${pollId}">
<span>${fill(signIn.done, { provider: signInName })}</span> <button type="submit" class="quiet">${signIn.end}</button></form>`;
}

/** Keeps the whole form, including its ballot id, while the engine is unavailable. */
export function retryPage(phrases: Phrases, pollId: Poll['id'], { fields }: FilledForm): Page {
  const { unreachable } = phrases.vote;
  const inputs = Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map(value => html`<input type="hidden" name="${name}" value="${String(value)}">`),
  );
  const form = html`<form method="post" action="/${pollId}/ballot">
${inputs}
<button type="submit">${phrases.live.tryAgain}</button>
</form>`;
  return noticePage(phrases, { tone: 'problem', ...unreachable }, form);
}
