import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Comments } from '../../engine/comments.ts';
import { coalesceReads, type Read } from '../../engine/shared-read.ts';
import { callerIp } from '../../http/caller.ts';
import type { Language } from '../../locales/catalogues.ts';
import { SHOW_NAME } from '../../poll/name-rules.ts';
import { type AnswerId, areResultsPublic, type Poll, type PollId, type Reading } from '../../poll/poll.ts';
import type { ShowBoard } from '../../show/show-board.ts';
import type { StoredShow } from '../../show/stored-show.ts';
import { fill } from '../../web/i18n.ts';
import { type Phrases, phrasesFor } from '../../web/phrases.ts';
import type { HumanCheck } from '../guard/human-check.ts';
import { type Fragment, html, type LeaveOpen, type Markup } from '../page/html.ts';
import type { Notice } from '../page/notice.ts';
import type { PreparedPage, PreparePage } from '../page/page.ts';
import { type Figures, figuresOf, type WrittenFigures } from '../page/results-section.ts';
import type { Viewer, Viewers } from '../voter/viewer.ts';
import type { ReadSecret } from '../voter/voting-secret.ts';
import type { VpnList } from '../voter/vpn-list.ts';
import type { FilledForm } from './ballot-form.ts';
import { issueBallotToken, readBallotToken } from './ballot-token.ts';
import type { FilledComment } from './comment-form.ts';
import { commentsSection } from './comments-section.ts';
import { type NotCounted, rejectionNotice, statusOfNotCounted } from './outcome-notice.ts';
import { pollPage } from './poll-page.ts';
import { PreparedPages } from './prepared-pages.ts';
import type { Receipts } from './receipt.ts';

/** What a person sent and gets back, because nothing was done with it. */
export interface RefusedForm {
  readonly filled?: FilledForm | undefined;
  readonly refusal?: NotCounted | undefined;
  readonly comment?: FilledComment | undefined;
  readonly refusedComment?: Notice | undefined;
}

interface Visit extends RefusedForm {
  readonly phrases: Phrases;
  readonly reading: Reading;
  readonly viewer: Viewer;
  readonly request: FastifyRequest;
}

/** What a page shows of a poll: the same for all who come in the same situation. */
interface Situation {
  readonly language: Language;
  readonly receipt: readonly AnswerId[] | undefined;
  readonly notice: Notice | undefined;
  readonly hasForm: boolean;
  readonly asksForAccount: boolean;
  readonly isSignedIn: boolean;
  readonly hasComments: boolean;
  readonly showsFigures: boolean;
  /** Neither open nor on air: what is asked is nobody's yet. */
  readonly isWithheld: boolean;
}

/** What is this voter's alone, or of this moment. */
interface PollValues {
  readonly token: string;
  readonly check: Fragment;
  readonly comments: Fragment;
  readonly nowMs: number;
  readonly timeLeft: string;
  /** Name of the show that the visitor came by; empty for none. */
  readonly show: string;
  /** The way to what it has on air. */
  readonly showLink: Fragment;
  readonly figures: WrittenFigures | undefined;
}

interface CameBy {
  readonly name: string;
  readonly onAir: PollId | null;
}

interface PollPagesParts {
  readonly comments: Comments;
  readonly shows: ShowBoard;
  readonly secret: ReadSecret;
  readonly viewers: Viewers;
  readonly receipts: Receipts;
  readonly humanCheck: HumanCheck;
  readonly vpnList: VpnList | undefined;
  /** What people call the OpenID provider; undefined where there is none. */
  readonly signInName: string | undefined;
  readonly relayUrl: string;
  readonly preparePage: PreparePage;
}

/** Milliseconds between two reads of one show, where its whole audience comes in the same second. */
const REST_MS = 25;

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
  readonly #findShow: Read<StoredShow>;
  readonly #prepared = new PreparedPages<PollValues>();

  constructor(parts: PollPagesParts) {
    this.#parts = parts;
    this.#findShow = coalesceReads(name => parts.shows.find(name), REST_MS);
  }

  /** @param refused what the person sent, where nothing was done with it: it is shown again */
  async send(
    reading: Reading,
    request: FastifyRequest,
    reply: FastifyReply,
    refused: RefusedForm = {},
  ): Promise<FastifyReply> {
    const viewer = await this.#parts.viewers.greet(request, reply);
    const visit = { phrases: phrasesFor(request), reading, viewer, request, ...refused };
    const show = await this.#showOf(request);
    const situation = await this.#situation(visit, show);
    const values = await this.#values(visit, situation, show);
    const status = statusOf(refused);
    if (status === 503) reply.header('retry-after', 1);
    const prepare = () => this.#prepare(visit, situation);
    // What came back holds one person's choice.
    const page = status === 200 ? this.#prepared.find(reading, situation, prepare) : prepare();
    return page.send(reply, status, values);
  }

  /** The show that the visitor came by, where there is one of that name. */
  async #showOf({ query }: FastifyRequest): Promise<CameBy | undefined> {
    const { show: name } = query as { show?: unknown };
    if (typeof name !== 'string' || !SHOW_NAME.test(name)) return undefined;
    const found = await this.#findShow(name);
    return found && { name, onAir: found.onAir };
  }

  /** A show may have another owner's poll on air: only visitors who came by it are told. */
  async #isWithheld({ poll, results }: Reading, show: CameBy | undefined): Promise<boolean> {
    if (results.status !== 'upcoming' || show?.onAir === poll.id) return false;
    const owner = poll.show && (await this.#findShow(poll.show.name));
    return owner?.onAir !== poll.id;
  }

  async #situation(visit: Visit, show: CameBy | undefined): Promise<Situation> {
    const { viewers, receipts } = this.#parts;
    const { phrases, reading, viewer, request, refusal } = visit;
    const { poll, results } = reading;
    const { requireSignIn, allowComments } = poll.settings;
    const receipt = await receipts.read(request, poll, () => viewers.keyFor(poll, viewer));
    // Before the beginning the form is there and hidden: a whole audience that reloads at once would be worse.
    const isWithheld = await this.#isWithheld(reading, show);
    const open = results.status !== 'closed' && !isWithheld && !receipt && !FINAL.has(refusal);
    const isSignedIn = requireSignIn && viewer.account !== undefined;
    return {
      language: phrases.language,
      receipt,
      notice: await this.#notice(visit, open),
      hasForm: open && (isSignedIn || !requireSignIn),
      asksForAccount: open && requireSignIn && !isSignedIn,
      isSignedIn,
      hasComments: allowComments,
      showsFigures: areResultsPublic(results),
      isWithheld,
    };
  }

  async #values(
    visit: Visit,
    { receipt, hasForm, hasComments, showsFigures }: Situation,
    show: CameBy | undefined,
  ): Promise<PollValues> {
    const { phrases, reading, viewer } = visit;
    const subject = { pollId: reading.poll.id, voter: viewer.voter };
    return {
      token: hasForm ? await this.#token(visit) : '',
      check: hasForm && (await this.#parts.humanCheck.render(subject)),
      comments: hasComments && (await this.#comments(visit, receipt !== undefined)),
      nowMs: reading.results.readAtMs,
      timeLeft: timeLeftOf(phrases, reading),
      show: show?.name ?? '',
      showLink: showLinkOf(phrases, show),
      figures: showsFigures ? figuresOf(phrases, reading) : undefined,
    };
  }

  #prepare({ phrases, reading, filled }: Visit, situation: Situation): PreparedPage<PollValues> {
    const { preparePage, relayUrl, humanCheck, signInName } = this.#parts;
    const { poll } = reading;
    return preparePage<PollValues>(leaveOpen => {
      const form = {
        token: leaveOpen(({ token }) => token),
        check: leaveOpen(({ check }) => check),
        answers: filled?.answers ?? [],
        name: filled?.name ?? '',
      };
      const view = {
        reading,
        receipt: situation.receipt,
        notice: situation.notice,
        form: situation.hasForm ? form : undefined,
        signIn: situation.asksForAccount ? signInOffer(phrases, signInName, poll.id) : undefined,
        signedIn: situation.isSignedIn ? signOutForm(phrases, signInName, poll.id) : undefined,
        comments: situation.hasComments ? leaveOpen(({ comments }) => comments) : undefined,
        nowMs: leaveOpen(({ nowMs }) => nowMs),
        timeLeft: leaveOpen(({ timeLeft }) => timeLeft),
        isWithheld: situation.isWithheld,
        show: leaveOpen(({ show }) => show),
        showLink: leaveOpen(({ showLink }) => showLink),
        figures: situation.showsFigures ? openFigures(poll, leaveOpen) : undefined,
      };
      return pollPage(phrases, view, relayUrl, humanCheck);
    });
  }

  async #notice(
    { phrases, reading, request, refusal, refusedComment }: Visit,
    open: boolean,
  ): Promise<Notice | undefined> {
    if (refusedComment) return refusedComment;
    const { status } = reading.results;
    // Once the form is gone, advice to press Vote again would be false.
    if (refusal)
      return rejectionNotice(phrases, status === 'closed' && !FINAL.has(refusal) ? 'poll_closed' : refusal);
    if (!open || reading.poll.settings.allowVpn || !(await this.#parts.vpnList?.has(callerIp(request))))
      return undefined;
    return { ...rejectionNotice(phrases, 'vpn_refused'), text: phrases.vote.vpnSeen };
  }

  async #token({ reading: { poll }, viewer, filled }: Visit): Promise<string> {
    const secret = await this.#parts.secret();
    // A form that came back keeps its ballot id: whatever became of the first try, the next one cannot count twice.
    const isKept = filled && readBallotToken(secret, filled.token, poll.id, viewer.voter) !== undefined;
    return (isKept && filled.token) || issueBallotToken(secret, poll.id, viewer.voter);
  }

  async #comments(
    { phrases, reading: { poll }, viewer, comment: filled }: Visit,
    hasVoted: boolean,
  ): Promise<Markup> {
    const { comments, secret } = this.#parts;
    const writer = { pollId: poll.id, voter: viewer.voter, hasVoted, filled };
    return commentsSection(phrases, comments, await secret(), writer);
  }
}

function timeLeftOf({ live, wording }: Phrases, { results: { deadlineMs, readAtMs } }: Reading): string {
  const restMs = deadlineMs === null ? 0 : deadlineMs - readAtMs;
  return restMs > 0 ? fill(live.closesIn, { rest: wording.timeLeft(restMs) }) : '';
}

/** With a script the page moves on by itself. */
function showLinkOf({ show: words }: Phrases, show: CameBy | undefined): Fragment {
  return show && html`<noscript><p><a href="/show/${show.name}">${words.toVote}</a></p></noscript>`;
}

function openFigures({ answers }: Poll, leaveOpen: LeaveOpen<PollValues>): Figures {
  return {
    rows: answers.map((_, index) => ({
      votes: leaveOpen(({ figures }) => figures?.rows[index]?.votes ?? ''),
      share: leaveOpen(({ figures }) => figures?.rows[index]?.share ?? ''),
    })),
    total: leaveOpen(({ figures }) => figures?.total ?? ''),
  };
}

function statusOf({ refusal, refusedComment }: RefusedForm): number {
  if (refusal) return statusOfNotCounted(refusal);
  return refusedComment ? 400 : 200;
}

function signInOffer({ vote: { signIn } }: Phrases, signInName: string | undefined, pollId: string): Markup {
  if (signInName === undefined) return html`<p class="notice calm">${signIn.missing}</p>`;
  return html`<p>${signIn.needed}</p>
<p class="actions"><a class="button" href="/sign-in?poll=${pollId}">${fill(signIn.begin, { provider: signInName })}</a></p>`;
}

/** For a device that others use next. */
function signOutForm({ vote: { signIn } }: Phrases, signInName = '', pollId: string): Markup {
  return html`<form class="sign-out" method="post" action="/sign-out"><input type="hidden" name="poll" value="${pollId}">
<span>${fill(signIn.done, { provider: signInName })}</span> <button type="submit" class="quiet">${signIn.end}</button></form>`;
}
