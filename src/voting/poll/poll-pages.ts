import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Comments } from '../../engine/comments.ts';
import { callerIp } from '../../http/address-group.ts';
import type { Reading } from '../../poll/poll.ts';
import type { HumanCheck } from '../guard/human-check.ts';
import { html, type Markup } from '../page/html.ts';
import type { Notice } from '../page/notice.ts';
import type { SendPage } from '../page/page.ts';
import type { Viewer, Viewers } from '../voter/viewer.ts';
import type { ReadSecret } from '../voter/voting-secret.ts';
import type { VpnList } from '../voter/vpn-list.ts';
import type { FilledForm } from './ballot-form.ts';
import { issueBallotToken, readBallotToken } from './ballot-token.ts';
import { SHOWN_COMMENTS } from './comment-feed.ts';
import { type FilledComment, issueCommentToken } from './comment-form.ts';
import type { CommentsView } from './comments-section.ts';
import { type NotCounted, tellNotCounted } from './outcome-notice.ts';
import { type PollView, pollPage } from './poll-page.ts';
import type { Receipts } from './receipt.ts';
import type { VotingForm } from './voting-form.ts';

/** What a person sent and gets back, because nothing was done with it. */
export interface RefusedForm {
  readonly filled?: FilledForm | undefined;
  readonly refusal?: NotCounted | undefined;
  readonly comment?: FilledComment | undefined;
  readonly refusedComment?: Notice | undefined;
}

interface Visit extends RefusedForm {
  readonly reading: Reading;
  readonly viewer: Viewer;
  readonly request: FastifyRequest;
}

interface PollPagesParts {
  readonly comments: Comments;
  readonly secret: ReadSecret;
  readonly viewers: Viewers;
  readonly receipts: Receipts;
  readonly humanCheck: HumanCheck;
  readonly vpnList: VpnList | undefined;
  /** What people call the OpenID provider; undefined where there is none. */
  readonly signInName: string | undefined;
  readonly relayUrl: string;
  readonly sendPage: SendPage;
}

/** After these a form would lead to the same answer again. */
const FINAL: ReadonlySet<NotCounted | undefined> = new Set([
  'duplicate_voter',
  'duplicate_account',
  'duplicate_address',
  'poll_closed',
  'sign_in_missing',
] as const);

/** A poll's page, as it is for one viewer now. */
export class PollPages {
  readonly #parts: PollPagesParts;

  constructor(parts: PollPagesParts) {
    this.#parts = parts;
  }

  /** @param refused what the person sent, where nothing was done with it: it is shown again */
  async send(
    reading: Reading,
    request: FastifyRequest,
    reply: FastifyReply,
    refused: RefusedForm = {},
  ): Promise<FastifyReply> {
    const { viewers, humanCheck, relayUrl, sendPage } = this.#parts;
    const viewer = await viewers.greet(request, reply);
    const view = await this.#view({ reading, viewer, request, ...refused });
    const status = statusOf(refused);
    if (status === 503) reply.header('retry-after', 1);
    return sendPage(reply, status, pollPage(view, relayUrl, humanCheck));
  }

  async #view(visit: Visit): Promise<PollView> {
    const { viewers, receipts, signInName } = this.#parts;
    const { reading, viewer, request, refusal } = visit;
    const { poll, results } = reading;
    const { voter } = await viewers.keysFor(poll, viewer, request);
    const receipt = await receipts.read(request, poll, voter);
    // Before the beginning the form is there and hidden: a whole audience that reloads at once would be worse.
    const open = results.status !== 'closed' && !receipt && !FINAL.has(refusal);
    const needsAccount = poll.settings.only_reg && viewer.account === undefined;
    return {
      reading,
      receipt,
      notice: await this.#notice(visit, open),
      form: open && !needsAccount ? await this.#form(visit) : undefined,
      signIn: open && needsAccount ? signInOffer(signInName, poll.id) : undefined,
      signedIn:
        poll.settings.only_reg && viewer.account !== undefined ? signOutForm(signInName, poll.id) : undefined,
      comments: poll.settings.co ? await this.#comments(visit) : undefined,
    };
  }

  async #notice(
    { reading, request, refusal, refusedComment }: Visit,
    open: boolean,
  ): Promise<Notice | undefined> {
    if (refusedComment) return refusedComment;
    const { status } = reading.results;
    // Once the form is gone, advice to press Vote again would be false.
    if (refusal) return tellNotCounted(status === 'closed' && !FINAL.has(refusal) ? 'poll_closed' : refusal);
    if (!open || reading.poll.settings.vpn || !(await this.#parts.vpnList?.has(callerIp(request))))
      return undefined;
    const { status: _, ...notice } = tellNotCounted('vpn_refused');
    return { ...notice, text: 'You seem to use one. Turn it off before you vote.' };
  }

  async #form({ reading: { poll }, viewer, filled }: Visit): Promise<VotingForm> {
    const secret = await this.#parts.secret();
    // A form that came back keeps its ballot id: whatever became of the first try, the next one cannot count twice.
    const kept =
      filled && readBallotToken(secret, filled.token, poll.id, viewer.voter) ? filled.token : undefined;
    return {
      token: kept ?? issueBallotToken(secret, poll.id, viewer.voter),
      check: await this.#parts.humanCheck.render({ pollId: poll.id, voter: viewer.voter }),
      answers: filled?.answers ?? [],
      name: filled?.name ?? '',
    };
  }

  async #comments({ reading: { poll }, viewer, comment }: Visit): Promise<CommentsView> {
    const list = await this.#parts.comments.list(poll.id);
    const token = issueCommentToken(await this.#parts.secret(), poll.id, viewer.voter);
    return { list: list.slice(0, SHOWN_COMMENTS), token, filled: comment };
  }
}

function statusOf({ refusal, refusedComment }: RefusedForm): number {
  if (refusal) return tellNotCounted(refusal).status;
  return refusedComment ? 400 : 200;
}

function signInOffer(signInName: string | undefined, pollId: string): Markup {
  if (signInName === undefined)
    return html`<p class="notice calm">This poll takes votes from signed-in people only, and sign-in is not set up on this site. Only whoever runs the site can change that.</p>`;
  return html`<p>This poll takes votes from signed-in people only. Your account is not stored with your vote.</p>
<p class="actions"><a class="button" href="/sign-in?poll=${pollId}">Sign in with ${signInName}</a></p>`;
}

/** For a device that others use next. */
function signOutForm(signInName: string | undefined, pollId: string): Markup {
  return html`<form class="sign-out" method="post" action="/sign-out"><input type="hidden" name="poll" value="${pollId}">
<span>You are signed in with ${signInName}.</span> <button type="submit" class="quiet">Sign out</button></form>`;
}
