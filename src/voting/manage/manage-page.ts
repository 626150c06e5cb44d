import type { Comment } from '../../engine/comments.ts';
import { countVotes, type Reading } from '../../poll/poll.ts';
import { commentItem } from '../page/comment-item.ts';
import { copyField, overlayUrl } from '../page/copy-field.ts';
import { type Fragment, html, type Markup } from '../page/html.ts';
import { STATUS_WORDS } from '../page/manage-message.ts';
import { moment } from '../page/moment.ts';
import { noticeBox } from '../page/notice.ts';
import { type Page, SITE_NAME } from '../page/page.ts';
import { figuresOf, resultsList } from '../page/results-section.ts';
import type { ActionOutcome } from './manage-actions.ts';
import { resultsSteps, votingSteps } from './manage-desk.ts';
import { actionForm, dangerSection, deadlineSection, showSection } from './manage-sections.ts';
import { managePath } from './manage-session.ts';

export interface ManageView {
  readonly reading: Reading;
  readonly outcome?: ActionOutcome | undefined;
  /** A new one, shown this once. */
  readonly viewKey?: string | undefined;
  readonly comments: readonly Comment[] | undefined;
  /** Sealed token of the form that makes a new view key. */
  readonly keyToken: string;
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
  const { reading, outcome, viewKey, comments, screens } = view;
  const { poll, results } = reading;
  const path = managePath(poll.id);
  const { status, resultsVisibility, deadlineMs, readAtMs } = results;
  return {
    title: `Manage - ${SITE_NAME}`,
    noindex: true,
    scripts: ['manage.js'],
    body: html`<div class="stack" data-manage="${path}/live" data-multiple="${poll.settings.ma && '1'}">
<header><p class="quiet over">Manage</p><h1 dir="auto">${poll.title}</h1><p><a href="/${poll.id}">Open the voting page</a></p></header>
${outcome && noticeBox({ tone: outcome.refused ? 'problem' : 'good', title: outcome.title, text: outcome.text })}
${viewKey !== undefined && newKey(urls, poll.id, viewKey)}
<div class="stack" data-now="${readAtMs}" data-status="${status}" data-visibility="${resultsVisibility}" data-deadline-ms="${deadlineMs}">
${figures(view)}
${votingSteps(results, path, screens)}
${resultsSteps(results, path, screens)}
</div>
<section data-results aria-labelledby="results-title"><h2 id="results-title">Results</h2>
${resultsList(poll, [], figuresOf(reading))}<p class="total" data-total></p><p class="quiet" data-connection role="status"></p></section>
${addressSection(view, urls)}
${deadlineSection(reading, path)}
${ballotsSection(reading, path)}
${keySection(view, path)}
${showSection(urls.relayUrl, path)}
${comments && commentsSection(comments, path)}
${dangerSection(path)}
</div>`,
  };
}

function figures({ reading: { poll, results }, screens }: ManageView): Markup {
  const { totalVoters, status, deadlineMs } = results;
  return html`<dl class="figures-row">
<div><dt>People</dt><dd data-voters>${totalVoters}</dd></div>
${poll.settings.ma && html`<div><dt>Votes</dt><dd data-all-votes>${countVotes(results)}</dd></div>`}
<div><dt>Voting</dt><dd data-status-word>${STATUS_WORDS[status]}</dd></div>
<div><dt>Ends</dt><dd class="small"><span data-deadline-word>${endWord(status, deadlineMs)}</span> <span data-countdown role="timer"></span></dd></div>
<div><dt>Screens</dt><dd data-screens>${screens}</dd></div>
</dl>`;
}

function endWord(status: string, deadlineMs: number | null): Fragment {
  if (deadlineMs !== null) return moment(deadlineMs);
  return status === 'closed' ? 'By hand' : 'When you close it';
}

function newKey({ relayUrl }: ManageUrls, id: string, viewKey: string): Markup {
  return html`<section>${copyField('New view key', viewKey)}${copyField('New overlay address', overlayUrl(relayUrl, id, viewKey))}</section>`;
}

function addressSection({ reading, code }: ManageView, { relayUrl, voteUrl }: ManageUrls): Markup {
  const { id } = reading.poll;
  return html`<section class="addresses"><h2>Where it is</h2>
${code}
${copyField('Voting link', `${voteUrl}/${id}`)}
${copyField('Overlay for OBS, vMix and other browser sources', `${relayUrl}/overlay/${id}`)}
<p class="actions"><a class="button quiet" href="${relayUrl}/overlay?poll=${id}">Choose how it looks</a></p></section>`;
}

function ballotsSection({ poll }: Reading, path: string): Markup {
  return html`<section><h2>Ballots</h2><p>One line for each ballot: when it was cast, ${poll.settings.enter_name && 'by whom, '}and its answers.</p>
<p class="actions"><a class="button quiet" href="${path}/ballots.csv" download>Download as CSV</a>
${poll.settings.enter_name && html`<a class="button quiet" href="${path}/names">See the names</a>`}</p></section>`;
}

function keySection({ keyToken }: ManageView, path: string): Markup {
  return html`<section><h2>View key</h2><p>Overlays carry it to see hidden results. If yours got about, make a new one: the old one stops at once.</p>
${actionForm(path, 'view-key', html`<input type="hidden" name="once" value="${keyToken}"><button type="submit" class="quiet">Make a new view key</button>`)}</section>`;
}

function commentsSection(comments: readonly Comment[], path: string): Markup {
  return html`<section class="comments" id="comments"><h2>Comments</h2>
${comments.length === 0 && html`<p class="quiet">No comments yet.</p>`}
<ul>${comments.map(comment =>
    commentItem(
      comment,
      actionForm(
        path,
        'remove-comment',
        html`<input type="hidden" name="comment" value="${comment.id}"><button type="submit" class="quiet" aria-label="Remove the comment by ${comment.name}">Remove</button>`,
      ),
    ),
  )}</ul></section>`;
}

/** For whoever has no session: a script takes the key from the URL's fragment and sends this form by itself. */
export function keyPage(pollId: string, rejected: boolean): Page {
  return {
    title: `Manage - ${SITE_NAME}`,
    noindex: true,
    scripts: ['manage.js'],
    body: html`<h1>Manage a poll</h1>
${
  rejected &&
  noticeBox({
    tone: 'problem',
    title: 'This key does not manage this poll',
    text: 'Nothing was changed. Use the whole link that you got when the poll was created; a view key only shows results.',
  })
}
<form method="post" action="${managePath(pollId)}/key" data-key-form>
<label class="field"><span>Admin key</span><input type="password" name="key" required autocomplete="off" spellcheck="false">
<small>It begins with admin_ and is part of the link to manage the poll.</small></label>
<button type="submit">Open</button>
</form>`,
  };
}
