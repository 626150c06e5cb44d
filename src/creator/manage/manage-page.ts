import type { Comment } from '../../engine/engine.ts';
import { fill, fillParts } from '../../locales/i18n.ts';
import type { Phrases } from '../../locales/phrases.ts';
import { rejectedText, sourcesLine } from '../../pages/page/ballots-text.ts';
import {
  commentItem,
  copyField,
  editedNote,
  joinCodeField,
  joinCodeLine,
  type Notice,
  noticeBox,
  overlayUrl,
  shortcutsSwitch,
  timeElement,
  unvotedNote,
  votingQr,
} from '../../pages/page/components.ts';
import { deadlineField } from '../../pages/page/deadline-field.ts';
import { type Fragment, html, type Markup } from '../../pages/page/html.ts';
import { noticePage } from '../../pages/page/notice-page.ts';
import { type Page, SITE_NAME } from '../../pages/page/page.ts';
import { pollSheet } from '../../pages/page/page-look.ts';
import { figuresOf, hasImages, resultsList, shareNote } from '../../pages/page/results-section.ts';
import { formatWallTime } from '../../pages/page/wall-time.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import type { RejectedBallots } from '../../poll/ballot.ts';
import { votersBySource } from '../../poll/chat-platform.ts';
import {
  areResultsPublic,
  countVotes,
  hasBallots,
  type Poll,
  type Reading,
  type Results,
  VISIBILITIES,
} from '../../poll/poll.ts';
import { hashKey, sameDigest } from '../../poll/poll-key.ts';
import { editFields } from '../editor/edit-form.ts';
import { editorOf } from '../editor/edit-poll.ts';
import { faultText } from '../editor/faults.ts';
import {
  type ActionOutcome,
  CLOSE_IN_MINUTES,
  editablePoll,
  type RejectedEdit,
  type RenewedKey,
} from './manage-actions.ts';
import { type ManageSession, managePath } from './manage-session.ts';

export interface ManageView extends Pick<PageDependencies, 'signInReady' | 'relayUrl' | 'voteUrl'> {
  readonly phrases: Phrases;
  readonly reading: Reading;
  readonly outcome?: ActionOutcome | undefined;
  readonly session: ManageSession;
  /** Made a moment ago. */
  readonly viewKey?: string | undefined;
  readonly comments: readonly Comment[] | undefined;
  readonly keyTokens: Readonly<Record<RenewedKey, string>>;
  readonly screens: number;
  readonly rejected: RejectedBallots;
  /** Its show links a chat that counts for it. */
  readonly hasChat: boolean;
}

export function managePage(view: ManageView): Page {
  const { phrases, reading, outcome, viewKey, comments, relayUrl } = view;
  const words = phrases.manage;
  const { poll, results } = reading;
  const path = managePath(poll.id);
  const { status, resultsVisibility, deadlineMs, readAtMs } = results;
  const counts = figuresOf(phrases, reading);
  const isUnvoted = results.totalVoters === 0;
  const end = deadlineMs === null ? '' : formatWallTime(deadlineMs);
  return {
    phrases,
    title: `${words.title} - ${SITE_NAME}`,
    noindex: true,
    scripts: ['manage.js'],
    styles: ['creator.css', ...(hasImages(poll) ? ['faces.css' as const] : [])],
    // Also for pictures that are yet to come.
    sources: { logo: new URL(relayUrl).origin, image: poll.image },
    css: pollSheet(poll),
    body: html`<div class="manage stack" data-manage="${path}/live" data-relay="${relayUrl}" data-multiple="${poll.settings.allowMultiple && '1'}">
<header><p class="quiet over">${words.title}</p><h1 dir="auto">${poll.title}</h1>${editedNote(phrases, poll)}</header>
${editFold(view, path)}
${outcome && noticeBox(outcomeNotice(phrases, outcome))}
${viewKey !== undefined && newKey(view, viewKey)}
<div class="columns">
${isUnvoted && sharingSection(view)}
<div class="stack current">
<div class="stack" data-now="${readAtMs}" data-status="${status}" data-visibility="${resultsVisibility}" data-deadline-ms="${deadlineMs}" data-voted="${!isUnvoted && '1'}" data-edition="${poll.edition ?? ''}">
${figures(view)}
<p class="quiet" data-rejected>${rejectedText(phrases.managed, phrases.wording, view.rejected)}</p>
${isUnvoted && unvotedNote(phrases, poll, deadlineMs)}
${votingSection(view, path)}
${visibilitySection(view, path)}
</div>
<section data-results aria-labelledby="results-title"><h2 id="results-title">${phrases.vote.results}</h2>
${resultsList(phrases, poll, [], counts, relayUrl)}<p class="quiet" data-sources="${phrases.overlay.webPage}">${sourcesLine(phrases.wording, votersBySource(results), phrases.overlay.webPage)}</p><p class="quiet" data-voided>${counts.voided}</p>${shareNote(phrases, poll)}<p class="quiet" data-connection role="status"></p></section>
</div>
${!isUnvoted && sharingSection(view)}
<div class="stack side">
<section>${actionForm(path, 'deadline', html`${deadlineField(phrases, { value: end, offset: '', ...words.deadline })}<button type="submit" class="quiet">${words.deadline.button}</button>`)}</section>
<div>${deviceSection(view, path)}
${screensFold(view)}
${ballotsFold(view, path)}
${comments && commentsFold(view, comments, path)}
${keysFold(view, path)}
${showFold(view, path)}
${status !== 'upcoming' && againFold(view, path)}
${deletionFold(view, path)}</div>
${shortcutsSwitch(phrases)}
</div>
</div>
</div>`,
  };
}

export function outcomeNotice(phrases: Phrases, outcome: ActionOutcome): Notice {
  const { manage } = phrases;
  if ('filled' in outcome)
    return { tone: 'problem', title: manage.unchanged, text: rejectedEditText(phrases, outcome) };
  if ('refused' in outcome) {
    const text = fill(manage.refused[outcome.refused], { word: manage.remove.word });
    return { tone: 'problem', title: manage.unchanged, text };
  }
  if (outcome.done === 'unchanged') return { tone: 'calm', title: manage.unchanged, text: false };
  if (outcome.done === 'created') return { tone: 'good', title: phrases.create.share.title, text: false };
  if (outcome.done === 'ballots_removed')
    return { tone: 'good', title: manage.evidence.removed, text: manage.evidence.removedText };
  if (outcome.done !== 'on_air') return { tone: 'good', ...manage.done[outcome.done] };
  const { title, text } = manage.onAirNow;
  return {
    tone: 'good',
    title: fill(title, { name: outcome.show }),
    text: fill(text, { address: outcome.overlay }),
  };
}

function rejectedEditText(phrases: Phrases, { faults }: RejectedEdit): string {
  if (faults === 'ballots_cast') return phrases.desk.nothingToDo.ballotsCast;
  const { question, description } = phrases.desk.edit;
  if (faults === 'picture_unusable') return fill(phrases.faces.failed, { answer: question });
  if (typeof faults === 'string') return phrases.manage.refused[faults];
  const { least: min_choices, most: max_choices } = phrases.create.choices;
  const labels: Readonly<Record<string, string>> = { title: question, description, min_choices, max_choices };
  return [...faults.keys()]
    .map(name => `${labels[name] ?? phrases.create.answers}: ${faultText(phrases, faults, name)}`)
    .join(' ');
}

function figures({ phrases, reading: { poll, results }, screens }: ManageView): Markup {
  const { manage, wording } = phrases;
  const { totalVoters } = results;
  return html`<dl class="figures-row">
<div><dt>${manage.people}</dt><dd data-voters>${wording.number(totalVoters)}</dd></div>
${poll.settings.allowMultiple && html`<div><dt>${manage.votes}</dt><dd data-all-votes>${wording.number(countVotes(results))}</dd></div>`}
<div><dt>${manage.screens}</dt><dd data-screens>${wording.number(screens)}</dd></div>
<div class="ends"><dt>${manage.ends}</dt><dd><span data-deadline-word>${endWord(phrases, results)}</span> <span data-countdown role="timer"></span></dd></div>
</dl>`;
}

function endWord(
  { managed, wording }: Phrases,
  { status, deadlineMs, closesInMs }: Reading['results'],
): Fragment {
  if (closesInMs !== undefined) return fill(managed.closesAfter, { time: wording.timeLeft(closesInMs) });
  if (deadlineMs !== null) return timeElement(wording, deadlineMs);
  return status === 'closed' ? managed.endedByHand : managed.endsByHand;
}

function newKey({ phrases, reading, relayUrl }: ManageView, viewKey: string): Markup {
  const { newKey, newAddress } = phrases.manage;
  return html`<section>${copyField(phrases, 'copy-key', newKey, viewKey)}${copyField(phrases, 'copy-keyed-overlay', newAddress, overlayUrl(relayUrl, reading.poll.id, viewKey))}</section>`;
}

function sharingSection({ phrases, reading, voteUrl }: ManageView): Markup {
  const { id, settings } = reading.poll;
  const { status, totalVoters } = reading.results;
  const joinCode = status === 'closed' ? undefined : reading.poll.joinCode;
  const { share } = phrases.create;
  const { giveCode, dropCode, addresses, openPage } = phrases.manage;
  const open = (path: string, label: string, kind = 'quiet') =>
    html`<a class="button ${kind}" href="/${id}${path}" target="_blank">${label}</a>`;
  return html`<section class="addresses"><h2>${totalVoters === 0 ? share.vote : addresses}</h2>
${votingQr(phrases, `${voteUrl}/${id}`)}
${joinCodeLine(voteUrl, joinCode)}
<div class="actions" data-share="${voteUrl}/${id}">${open('', openPage, '')} ${open('/present', phrases.present.link)}
${settings.isVerifiable && open('/check', phrases.check.result.title)}
${
  status !== 'closed' &&
  actionForm(
    managePath(id),
    'join-code',
    html`<input type="hidden" name="join_code" value="${joinCode === undefined ? '1' : '0'}"><button type="submit" class="quiet">${joinCode === undefined ? giveCode : dropCode}</button>`,
  )
}</div>
${joinCodeField(phrases, voteUrl, joinCode)}
${copyField(phrases, 'copy-vote', share.link, `${voteUrl}/${id}`)}
${!settings.sharedAddress && html`<p class="quiet">${share.oneEach}</p>`}</section>`;
}

/** Whether this device comes back to this page by itself, and the link that does it anywhere. */
function deviceSection(view: ManageView, path: string): Markup {
  const { phrases, session, keyTokens, reading, voteUrl } = view;
  const { adminKey, isBrief = false } = session;
  const { id, title, answers } = reading.poll;
  const { device, create, manage } = phrases;
  const notRemembered = `${device.notRemembered} ${device.keepLink}`;
  return html`<form class="remembered" method="post" action="${path}/forget" data-created="${id}" data-title="${title}" data-key="${adminKey}" data-answers="${answers.map(answer => answer.id).join(' ')}" data-brief="${isBrief && '1'}"><span data-remembered="${notRemembered}">${isBrief ? notRemembered : device.remembered}</span> <button type="submit" class="quiet">${device.forget}</button></form>
${fold(
  view,
  create.share.manageLink,
  ['page_stale', 'new_admin_key'],
  html`${adminKey && manageLinkField(phrases, voteUrl, id, adminKey)}
<p>${manage.adminKey.text}</p>
${renewal(path, 'admin-key', keyTokens.admin, manage.adminKey.button)}`,
  isBrief,
)}`;
}

function manageLinkField(phrases: Phrases, voteUrl: string, id: string, adminKey: string): Markup {
  const link = `${voteUrl}${managePath(id)}#key=${adminKey}`;
  return copyField(phrases, 'copy-manage', phrases.create.share.manageLink, link);
}

function screensFold(view: ManageView): Markup {
  const { phrases, reading, relayUrl } = view;
  const { id } = reading.poll;
  const { share } = phrases.create;
  const embedCode = `<script src="${relayUrl}/widget.js" async></script>\n<poll-results poll="${id}"></poll-results>`;
  return fold(
    view,
    phrases.desk.overlays,
    [],
    html`${copyField(phrases, 'copy-overlay', share.overlay, `${relayUrl}/overlay/${id}`)}
<p class="quiet">${share.shown[reading.results.resultsVisibility]}</p>
<p class="actions"><a class="button quiet" href="${relayUrl}/overlay?poll=${id}">${share.looks}</a></p>
${copyField(phrases, 'copy-embed', share.embed, embedCode, 2)}`,
  );
}

function ballotsFold(view: ManageView, path: string): Markup {
  const { phrases, reading, hasChat } = view;
  const { ballots, evidence } = phrases.manage;
  const { round = 1, settings } = reading.poll;
  const { requireName } = settings;
  const earlier = Array.from({ length: round - 1 }, (_, at) => {
    const label = fill(phrases.check.round, { number: phrases.wording.number(at + 1) });
    return html`<a href="${path}/ballots.csv?round=${at + 1}" download>${label} (CSV)</a>`;
  });
  return fold(
    view,
    ballots.title,
    [],
    html`<p>${requireName ? ballots.textWithNames : ballots.text}</p>
${hasChat && html`<p>${evidence.moderators}</p>`}
<p class="actions"><a class="button quiet" href="${path}/ballots">${evidence.open}</a>
<a class="button quiet" href="${path}/ballots.csv" download>${ballots.download}</a>
${requireName && html`<a class="button quiet" href="${path}/names">${ballots.names}</a>`}</p>
${round > 1 && html`<p class="actions">${earlier}</p>`}`,
  );
}

type Outcome = keyof Phrases['manage']['refused'] | keyof Phrases['manage']['done'];

/** @param outcomes of its forms, which are shown with it open */
function fold(
  { outcome }: ManageView,
  title: Fragment,
  outcomes: readonly Outcome[],
  body: Markup,
  startsOpen = false,
): Markup {
  const code = { done: undefined, refused: undefined, ...outcome };
  const isOpen = startsOpen || outcomes.some(one => one === code.done || one === code.refused);
  return html`<details class="fold"${isOpen && html` open`}><summary>${title}</summary>${body}</details>`;
}

/** The same fields as at the desk. Colors and pictures are no correction, so viewers are not told of them. */
function editFold({ phrases, reading, outcome, signInReady, relayUrl }: ManageView, path: string): Markup {
  const words = phrases.desk.edit;
  const rejected = outcome && 'filled' in outcome ? outcome : undefined;
  const poll = editablePoll(reading.poll);
  const hasVotes = hasBallots(reading.results);
  const before = editorOf(poll);
  // A form from after the first vote has no rules.
  const { rules = before.rules, ...typed } = rejected?.filled ?? before;
  const filled = { ...typed, rules };
  return html`<details class="fold" data-edit${rejected && html` open`}><summary>${words.edit}</summary><form method="post" action="${path}/edit" enctype="multipart/form-data">
<input type="hidden" name="edition" value="${reading.poll.edition}"><p class="quiet" id="edit-hint">${hasVotes ? words.isPublic : words.isFree}</p>
${editFields(phrases, { poll, filled, hasVotes, signInReady, relayUrl })}
<div class="cast"><button type="submit">${words.save}</button></div></form></details>`;
}

function renewal(path: string, action: string, token: string, button: string): Markup {
  const fields = html`<input type="hidden" name="once" value="${token}"><button type="submit" class="quiet">${button}</button>`;
  return actionForm(path, action, fields);
}

function keysFold(view: ManageView, path: string): Markup {
  const { phrases, keyTokens, session, reading, relayUrl } = view;
  const { poll, keys } = reading;
  const { share } = phrases.create;
  const { viewKey: words } = phrases.manage;
  const { adminKey, viewKey = '' } = session;
  const copy = (id: string, label: string, text: string) => copyField(phrases, `copy-${id}`, label, text);
  return fold(
    view,
    share.keys,
    ['page_stale'],
    html`${
      sameDigest(hashKey(viewKey), keys.viewKeyHash) &&
      html`${copy('view-key', share.viewKey, viewKey)}
${copy('open-overlay', share.openOverlay, overlayUrl(relayUrl, poll.id, viewKey))}
<p class="quiet">${share.openHint}</p>`
    }
<h2>${words.title}</h2><p>${words.text}</p>
${renewal(path, 'view-key', keyTokens.view, words.button)}
${adminKey && copy('admin-key', share.adminKey, adminKey)}
${copy('results', share.address, `${relayUrl}/api/poll/${poll.id}`)}`,
  );
}

function commentsFold(view: ManageView, comments: readonly Comment[], path: string): Markup {
  const { phrases } = view;
  const words = phrases.manage.comments;
  return fold(
    view,
    `${words.title} (${phrases.wording.number(comments.length)})`,
    ['comment_removed', 'comment_gone'],
    html`<div class="comments"><ul>${comments.map(comment =>
      commentItem(
        phrases,
        comment,
        actionForm(
          path,
          'remove-comment',
          html`<input type="hidden" name="comment" value="${comment.id}"><button type="submit" class="quiet" aria-label="${fill(words.removeBy, { name: comment.name || phrases.live.anonymous })}">${words.remove}</button>`,
        ),
      ),
    )}</ul></div>`,
  );
}

/** The same key takes the step back. */
const OPEN_KEY = 'O';
const RESULTS_KEY = 'R';
const KEEP_OPEN_KEY = 'K';

function votingSection({ phrases, reading: { results } }: ManageView, path: string): Markup {
  const { manage, wording } = phrases;
  const { status, deadlineMs } = results;
  const { title, text, button } = manage[status];
  const action = status === 'open' ? 'close' : 'reopen';
  return html`<section><h2>${title}</h2><p>${text}</p>
<div class="actions">${stepForm(path, action, { label: button, key: OPEN_KEY, isNext: stepOf(results) === 'voting' })}${
    status === 'open' &&
    CLOSE_IN_MINUTES.map(minutes =>
      stepForm(
        path,
        'close-in',
        { label: fill(manage.closeIn, { minutes: wording.minutes(minutes) }), key: String(minutes % 10) },
        html`<input type="hidden" name="minutes" value="${minutes}">`,
      ),
    )
  }${
    status === 'open' &&
    deadlineMs !== null &&
    stepForm(
      path,
      'deadline',
      { label: manage.keepOpen, key: KEEP_OPEN_KEY },
      html`<input type="hidden" name="deadline" value="">`,
    )
  }</div></section>`;
}

function visibilitySection({ phrases, reading: { results } }: ManageView, path: string): Markup {
  const { seenBy, show } = phrases.manage;
  const { resultsVisibility, deadlineMs, status } = results;
  const offered = VISIBILITIES.filter(
    value =>
      value !== resultsVisibility &&
      (value !== 'after_deadline' || deadlineMs !== null) &&
      (value !== 'after_vote' || status !== 'closed'),
  );
  const opposite = resultsVisibility === 'always' ? 'hidden' : 'always';
  return html`<section><h2>${seenBy.title}</h2>
<p>${seenBy[resultsVisibility]}</p>
<div class="actions">${offered.map(value =>
    stepForm(
      path,
      'visibility',
      {
        label: show[value],
        key: value === opposite ? RESULTS_KEY : undefined,
        isNext: value === 'always' && stepOf(results) === 'results',
      },
      html`<input type="hidden" name="results_visibility" value="${value}">`,
    ),
  )}</div></section>`;
}

/**
 * What the creator most likely does next: open voting, close it, then show the results; nothing
 * once they are shown, or until the first vote, when sharing comes first.
 */
function stepOf(results: Results): 'voting' | 'results' | undefined {
  if (results.status !== 'closed')
    return results.status === 'open' && results.totalVoters === 0 ? undefined : 'voting';
  return areResultsPublic(results) ? undefined : 'results';
}

interface StepButton {
  readonly label: string;
  readonly key: string | undefined;
  /** Stays in the window of a phone. */
  readonly isNext?: boolean;
}

function stepForm(
  path: string,
  action: string,
  { label, key, isNext = false }: StepButton,
  fields?: Markup,
): Markup {
  const form = actionForm(
    path,
    action,
    html`${fields}<button type="submit"${!isNext && html` class="quiet"`}${key !== undefined && html` aria-keyshortcuts="${key}" data-key="${key.toLowerCase()}"`}>${label}${key !== undefined && html` <kbd aria-hidden="true">${key}</kbd>`}</button>`,
  );
  return isNext ? html`<div class="at-hand">${form}</div>` : form;
}

function actionForm(path: string, action: string, body: Markup): Markup {
  return html`<form method="post" action="${path}/${action}">${body}</form>`;
}

function showFold(view: ManageView, path: string): Markup {
  const { phrases, relayUrl } = view;
  const { onAir } = phrases.manage;
  return fold(
    view,
    onAir.title,
    ['show_not_found', 'api_key_required', 'api_key_rejected'],
    html`<p>${fillParts(onAir.text, { address: html`<bdi class="address">${relayUrl}/overlay/show/&lt;name&gt;</bdi>` })}</p>
${actionForm(
  path,
  'show',
  html`<label class="field"><span>${onAir.name}</span><input name="show" dir="ltr" required minlength="3" maxlength="40" pattern="[a-z0-9][a-z0-9\\-]*" autocapitalize="none" autocomplete="off" placeholder="friday-night" aria-describedby="show-hint">
<small id="show-hint">${onAir.nameHint}</small></label>
<label class="field"><span>${onAir.key}</span><input type="password" name="show_key" required autocomplete="off" spellcheck="false">
<small>${onAir.keyHint}</small></label><button type="submit" class="quiet">${onAir.button}</button>`,
)}
<p class="actions"><a class="button quiet" href="/desk">${phrases.desk.several}</a></p>`,
  );
}

/** Opening it is the confirmation: viewers lose what they see. */
function againFold(view: ManageView, path: string): Markup {
  const { manage, wording } = view.phrases;
  const { title, text, button } = manage.again;
  const { round = 1 } = view.reading.poll;
  return fold(
    view,
    title,
    ['round_begun', 'rounds_full'],
    html`<p>${fill(text, { number: wording.number(round) })}</p>
${actionForm(path, 'again', html`<input type="hidden" name="round" value="${round}"><button type="submit" class="danger">${fill(button, { number: wording.number(round + 1) })}</button>`)}`,
  );
}

function deletionFold(view: ManageView, path: string): Markup {
  const { remove } = view.phrases.manage;
  return fold(
    view,
    remove.title,
    ['not_confirmed'],
    html`<p>${remove.text}</p>
${actionForm(
  path,
  'delete',
  html`<label class="field"><span>${fillParts(remove.confirm, { word: html`<i>${remove.word}</i>` })}</span><input name="confirmation" required autocomplete="off" autocapitalize="none" spellcheck="false"></label>
<button type="submit" class="danger">${remove.button}</button>`,
)}`,
  );
}

/** Asks for the key. The script submits it from the fragment of the address. */
export function keyPage(phrases: Phrases, pollId: string, rejected: boolean): Page {
  const { title, key } = phrases.manage;
  return {
    phrases,
    title: `${title} - ${SITE_NAME}`,
    noindex: true,
    scripts: ['manage.js'],
    styles: ['creator.css'],
    body: html`<h1>${key.heading}</h1>
${rejected ? noticeBox({ tone: 'problem', title: key.rejected, text: key.rejectedText }) : html`<p>${phrases.refusal.reasons.not_managing.title}</p>`}
<form method="post" action="${managePath(pollId)}/key" data-key-form>
<label class="field"><span>${key.label}</span><input type="password" name="key" required autocomplete="off" spellcheck="false">
<small>${key.hint}</small></label>
<button type="submit">${key.open}</button>
</form>`,
  };
}

/** After "Forget". Shows the link once more. */
export function forgottenPage(
  phrases: Phrases,
  { voteUrl }: Pick<ManageView, 'voteUrl'>,
  { id }: Poll,
  { adminKey }: ManageSession,
): Page {
  const { device, refusal } = phrases;
  const notice = { tone: 'calm', title: device.notRemembered, text: adminKey && device.keepLink } as const;
  const next = html`<div class="after">${adminKey && manageLinkField(phrases, voteUrl, id, adminKey)}</div>
<p class="actions"><a class="button quiet" href="/">${refusal.toStart}</a></p>`;
  return { ...noticePage(phrases, notice, next), scripts: ['manage.js'], styles: ['creator.css'] };
}

export function removedPage(phrases: Phrases): Page {
  const toHome = html`<p class="actions"><a class="button quiet" href="/">${phrases.refusal.toStart}</a></p>`;
  return noticePage(phrases, outcomeNotice(phrases, { done: 'removed' }), toHome);
}
