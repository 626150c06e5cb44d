import type { Comment } from '../../engine/comments.ts';
import { countVotes, type Reading } from '../../poll/poll.ts';
import { fill } from '../../web/i18n.ts';
import type { Phrases } from '../../web/phrases.ts';
import { commentItem } from '../page/comment-item.ts';
import { copyField, overlayUrl } from '../page/copy-field.ts';
import { type Fragment, html, type Markup } from '../page/html.ts';
import { noticeBox } from '../page/notice.ts';
import { type Page, SITE_NAME } from '../page/page.ts';
import { figuresOf, resultsList } from '../page/results-section.ts';
import { shortcutsSwitch } from '../page/shortcuts-switch.ts';
import { timeElement, unvotedNote } from '../page/time-element.ts';
import { type ActionOutcome, outcomeNotice } from './action-outcome.ts';
import type { RenewedKey } from './manage-actions.ts';
import { resultsSteps, votingSteps } from './manage-desk.ts';
import { actionForm, dangerSection, deadlineSection, showSection } from './manage-sections.ts';
import { managePath } from './manage-session.ts';

export interface ManageView {
  readonly phrases: Phrases;
  readonly reading: Reading;
  readonly outcome?: ActionOutcome | undefined;
  /** A new one, shown this once. */
  readonly viewKey?: string | undefined;
  readonly adminKey?: string | undefined;
  readonly comments: readonly Comment[] | undefined;
  /** Sealed tokens of the forms that make new keys. */
  readonly keyTokens: Readonly<Record<RenewedKey, string>>;
  /** Screens that watch now. */
  readonly screens: number;
  /** Of the voting address. */
  readonly code: Markup;
}

interface ManageUrls {
  readonly relayUrl: string;
  readonly voteUrl: string;
}

export function managePage(view: ManageView, urls: ManageUrls): Page {
  const { phrases, reading, outcome, viewKey, adminKey, comments, screens } = view;
  const words = phrases.manage;
  const { poll, results } = reading;
  const path = managePath(poll.id);
  const { status, resultsVisibility, deadlineMs, readAtMs } = results;
  return {
    phrases,
    title: `${words.title} - ${SITE_NAME}`,
    noindex: true,
    scripts: ['manage.js'],
    body: html`<div class="stack" data-manage="${path}/live" data-multiple="${poll.settings.allowMultiple && '1'}">
<header><p class="quiet over">${words.title}</p><h1 dir="auto">${poll.title}</h1><p><a href="/${poll.id}">${words.openPage}</a></p></header>
${outcome && noticeBox(outcomeNotice(phrases, outcome))}
${viewKey !== undefined && newKey(phrases, urls, poll.id, viewKey)}
${adminKey !== undefined && newAdminKey(phrases, urls, poll.id, adminKey)}
<div class="stack" data-now="${readAtMs}" data-status="${status}" data-visibility="${resultsVisibility}" data-deadline-ms="${deadlineMs}">
${figures(view)}
${results.totalVoters === 0 && unvotedNote(phrases, poll, deadlineMs)}
${votingSteps(phrases, results, path, screens)}
${resultsSteps(phrases, results, path, screens)}
</div>
${shortcutsSwitch(phrases)}
<section data-results aria-labelledby="results-title"><h2 id="results-title">${phrases.live.results}</h2>
${resultsList(phrases, poll, [], figuresOf(phrases, reading))}<p class="total" data-total></p><p class="quiet" data-connection role="status"></p></section>
${addressSection(view, urls)}
${deadlineSection(phrases, reading, path)}
${ballotsSection(phrases, reading, path)}
${keySections(view, path)}
${showSection(phrases, urls.relayUrl, path)}
${comments && commentsSection(phrases, comments, path)}
${dangerSection(phrases, path)}
</div>`,
  };
}

function figures({ phrases, reading: { poll, results }, screens }: ManageView): Markup {
  const { live, manage, wording } = phrases;
  const { totalVoters, status } = results;
  return html`<dl class="figures-row">
<div><dt>${manage.people}</dt><dd data-voters>${wording.number(totalVoters)}</dd></div>
${poll.settings.allowMultiple && html`<div><dt>${manage.votes}</dt><dd data-all-votes>${wording.number(countVotes(results))}</dd></div>`}
<div><dt>${manage.voting}</dt><dd data-status-word>${live.status[status]}</dd></div>
<div><dt>${manage.ends}</dt><dd class="small"><span data-deadline-word>${endWord(phrases, results)}</span> <span data-countdown role="timer"></span></dd></div>
<div><dt>${manage.screens}</dt><dd data-screens>${wording.number(screens)}</dd></div>
</dl>`;
}

function endWord(
  { live, wording }: Phrases,
  { status, deadlineMs, closesInMs }: Reading['results'],
): Fragment {
  if (closesInMs !== undefined) return fill(live.closesAfter, { time: wording.timeLeft(closesInMs) });
  if (deadlineMs !== null) return timeElement(wording, deadlineMs);
  return status === 'closed' ? live.endedByHand : live.endsByHand;
}

function newKey(phrases: Phrases, { relayUrl }: ManageUrls, id: string, viewKey: string): Markup {
  const { newKey, newAddress } = phrases.manage;
  return html`<section>${copyField(phrases, 'copy-key', newKey, viewKey)}${copyField(phrases, 'copy-keyed-overlay', newAddress, overlayUrl(relayUrl, id, viewKey))}</section>`;
}

function newAdminKey(phrases: Phrases, { voteUrl }: ManageUrls, id: string, adminKey: string): Markup {
  const { manageLink, adminKey: label } = phrases.create.share;
  const link = `${voteUrl}${managePath(id)}#key=${adminKey}`;
  return html`<section>${copyField(phrases, 'copy-manage', manageLink, link)}${copyField(phrases, 'copy-admin-key', label, adminKey)}</section>`;
}

function addressSection({ phrases, reading, code }: ManageView, { relayUrl, voteUrl }: ManageUrls): Markup {
  const { id } = reading.poll;
  const { share } = phrases.create;
  return html`<section class="addresses"><h2>${phrases.manage.addresses}</h2>
${code}
${copyField(phrases, 'copy-vote', share.link, `${voteUrl}/${id}`)}
${copyField(phrases, 'copy-overlay', share.overlay, `${relayUrl}/overlay/${id}`)}
<p class="actions"><a class="button quiet" href="${relayUrl}/overlay?poll=${id}">${share.looks}</a></p></section>`;
}

function ballotsSection({ manage: { ballots } }: Phrases, { poll }: Reading, path: string): Markup {
  const { requireName: enter_name } = poll.settings;
  return html`<section><h2>${ballots.title}</h2><p>${enter_name ? ballots.textWithNames : ballots.text}</p>
<p class="actions"><a class="button quiet" href="${path}/ballots.csv" download>${ballots.download}</a>
${enter_name && html`<a class="button quiet" href="${path}/names">${ballots.names}</a>`}</p></section>`;
}

function keySections({ phrases, keyTokens }: ManageView, path: string): Markup {
  const { viewKey, adminKey, key } = phrases.manage;
  const renewal = (action: string, token: string, button: string) =>
    actionForm(
      path,
      action,
      html`<input type="hidden" name="once" value="${token}"><button type="submit" class="quiet">${button}</button>`,
    );
  return html`<section><h2>${viewKey.title}</h2><p>${viewKey.text}</p>
${renewal('view-key', keyTokens.view, viewKey.button)}</section>
<section><h2>${key.label}</h2><p>${adminKey.text}</p>
${renewal('admin-key', keyTokens.admin, adminKey.button)}</section>`;
}

function commentsSection(phrases: Phrases, comments: readonly Comment[], path: string): Markup {
  const words = phrases.manage.comments;
  return html`<section class="comments" id="comments"><h2>${words.title}</h2>
${comments.length === 0 && html`<p class="quiet">${words.none}</p>`}
<ul>${comments.map(comment =>
    commentItem(
      phrases,
      comment,
      actionForm(
        path,
        'remove-comment',
        html`<input type="hidden" name="comment" value="${comment.id}"><button type="submit" class="quiet" aria-label="${fill(words.removeBy, { name: comment.name || phrases.live.anonymous })}">${words.remove}</button>`,
      ),
    ),
  )}</ul></section>`;
}

/** For whoever has no session: a script takes the key from the URL's fragment and sends this form by itself. */
export function keyPage(phrases: Phrases, pollId: string, rejected: boolean): Page {
  const { title, key } = phrases.manage;
  return {
    phrases,
    title: `${title} - ${SITE_NAME}`,
    noindex: true,
    scripts: ['manage.js'],
    body: html`<h1>${key.heading}</h1>
${rejected && noticeBox({ tone: 'problem', title: key.rejected, text: key.rejectedText })}
<form method="post" action="${managePath(pollId)}/key" data-key-form>
<label class="field"><span>${key.label}</span><input type="password" name="key" required autocomplete="off" spellcheck="false">
<small>${key.hint}</small></label>
<button type="submit">${key.open}</button>
</form>`,
  };
}
