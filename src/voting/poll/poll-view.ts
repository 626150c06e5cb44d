import type { FastifyRequest } from 'fastify';
import type { Reading } from '../../poll/poll.ts';
import { html, type Markup } from '../page/html.ts';
import type { Notice } from '../page/notice.ts';
import { type Viewer, voterKeys } from '../voter/viewer.ts';
import type { VotingFront } from '../voting-front.ts';
import type { FilledForm } from './ballot-form.ts';
import { issueBallotToken, readBallotToken } from './ballot-token.ts';
import { SHOWN_COMMENTS } from './comment-feed.ts';
import type { FilledComment } from './comment-form.ts';
import { issueCommentToken } from './comment-token.ts';
import type { CommentsView } from './comments-section.ts';
import { type NotCounted, tellNotCounted } from './outcome-notice.ts';
import type { PollView } from './poll-page.ts';
import { readReceipt } from './receipt.ts';

interface Visit extends Returned {
  readonly reading: Reading;
  readonly viewer: Viewer;
  readonly request: FastifyRequest;
}

/** What a person sent and gets back, because nothing was done with it. */
export interface Returned {
  readonly filled?: FilledForm | undefined;
  readonly refusal?: NotCounted | undefined;
  readonly comment?: FilledComment | undefined;
  readonly refusedComment?: Notice | undefined;
}

/** After these a form would lead to the same answer again. */
const FINAL: ReadonlySet<NotCounted | undefined> = new Set([
  'duplicate_voter',
  'duplicate_account',
  'duplicate_address',
  'poll_closed',
  'sign_in_missing',
] as const);

/** Everything that this viewer's page of a poll shows now. */
export async function viewPoll(front: VotingFront, visit: Visit): Promise<PollView> {
  const { reading, viewer, request, refusal } = visit;
  const { poll, results } = reading;
  const { voter } = await voterKeys(front, poll, viewer, request);
  const receipt = await readReceipt(front, request, poll, voter);
  const open = results.status === 'open' && !receipt && !FINAL.has(refusal);
  const needsAccount = poll.settings.only_reg && viewer.account === undefined;
  return {
    reading,
    receipt,
    notice: await chooseNotice(front, visit, open),
    form: open && !needsAccount ? await votingFormFor(front, visit) : undefined,
    signIn: open && needsAccount ? signInOffer(front, poll.id) : undefined,
    signedIn:
      poll.settings.only_reg && viewer.account !== undefined ? signOutForm(front, poll.id) : undefined,
    comments: poll.settings.co ? await commentsFor(front, visit) : undefined,
  };
}

async function chooseNotice(
  front: VotingFront,
  { reading, request, refusal, refusedComment }: Visit,
  open: boolean,
): Promise<Notice | undefined> {
  if (refusedComment) return refusedComment;
  const { status } = reading.results;
  // Once the form is gone, advice to press Vote again would be false.
  if (refusal) return tellNotCounted(status === 'closed' && !FINAL.has(refusal) ? 'poll_closed' : refusal);
  if (!open || reading.poll.settings.vpn || !(await front.vpnList?.has(request.ip))) return undefined;
  const { status: _, ...notice } = tellNotCounted('vpn_refused');
  return { ...notice, text: 'You seem to use one. Turn it off before you vote.' };
}

async function votingFormFor(front: VotingFront, { reading: { poll }, viewer, filled }: Visit) {
  const secret = await front.secret();
  // A form that came back keeps its ballot id: whatever became of the first try, the next one cannot count twice.
  const kept =
    filled && readBallotToken(secret, filled.token, poll.id, viewer.voter) ? filled.token : undefined;
  return {
    token: kept ?? issueBallotToken(secret, poll.id, viewer.voter),
    check: await front.humanCheck.render({ pollId: poll.id, voter: viewer.voter }),
    answers: filled?.answers ?? [],
    name: filled?.name ?? '',
  };
}

async function commentsFor(
  front: VotingFront,
  { reading: { poll }, viewer, comment }: Visit,
): Promise<CommentsView> {
  const list = await front.engine.comments.list(poll.id);
  const token = await issueCommentToken(front, poll.id, viewer.voter);
  return { list: list.slice(0, SHOWN_COMMENTS), token, filled: comment };
}

function signInOffer(front: VotingFront, pollId: string): Markup {
  if (!front.signIn)
    return html`<p class="notice calm">This poll takes votes from signed-in people only, and sign-in is not set up on this site. Only whoever runs the site can change that.</p>`;
  return html`<p>This poll takes votes from signed-in people only. Your account is not stored with your vote.</p>
<p class="actions"><a class="button" href="/sign-in?poll=${pollId}">Sign in with ${front.signIn.name}</a></p>`;
}

/** For a device that others use next. */
function signOutForm(front: VotingFront, pollId: string): Markup {
  return html`<form class="sign-out" method="post" action="/sign-out"><input type="hidden" name="poll" value="${pollId}">
<span>You are signed in with ${front.signIn?.name}.</span> <button type="submit" class="quiet">Sign out</button></form>`;
}
