import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { coalesceReads, type Read } from '../../engine/shared-read.ts';
import { callerIp } from '../../http/caller.ts';
import type { Language } from '../../locales/catalogues.ts';
import { directionOfText, fill } from '../../locales/i18n.ts';
import { type Phrases, phrasesFor } from '../../locales/phrases.ts';
import type { Notice } from '../../pages/page/components.ts';
import { html, type Markup } from '../../pages/page/html.ts';
import type { PageLook } from '../../pages/page/messages.ts';
import type { PreparedPage } from '../../pages/page/page.ts';
import { pageLook } from '../../pages/page/page-look.ts';
import { type Figures, figuresOf, revealedFigures } from '../../pages/page/results-section.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import type { Viewer } from '../../pages/voter/viewer.ts';
import { lookOfPoll, lookQuery } from '../../picture/show-look.ts';
import {
  areResultsPublic,
  areResultsVisible,
  type Poll,
  type Reading,
  type Results,
  SHOW_NAME,
} from '../../poll/poll.ts';
import { positionOf } from '../../protocol/results-body.ts';
import { ownsPoll, publicShow, type StoredShow } from '../../show/show.ts';
import {
  type FilledForm,
  hasFreshCheck,
  issueBallotToken,
  mayChange,
  readBallotToken,
} from './ballot-box.ts';
import { type BallotRejection, rejectionNotice, ruleOfRejection } from './ballot-rejection.ts';
import { commentsSection, type FilledComment } from './comments.ts';
import { type PageVariant, type PollValues, pollPage } from './poll-view.ts';
import { findReceipt } from './receipt.ts';

/** A form that was rejected, and is shown again. */
interface RejectedForm {
  readonly filled?: FilledForm | undefined;
  readonly rejection?: BallotRejection | undefined;
  readonly comment?: FilledComment | undefined;
  /** Why the comment was rejected. */
  readonly notice?: Notice | undefined;
}

interface Visit extends RejectedForm {
  readonly phrases: Phrases;
  readonly reading: Reading;
  readonly viewer: Viewer;
  readonly request: FastifyRequest;
  /** The show that led here, if it exists. */
  readonly show: NamedShow | undefined;
  readonly look: PageLook | undefined;
}

interface NamedShow extends StoredShow {
  readonly name: string;
  /** Made once for all readers at the same time. */
  readonly pageLook: PageLook;
}

/** Length of the random number that gives an answer its place. */
const PLACE_BYTES = 4;
/** Milliseconds between two reads of one show, when its whole audience loads the page in the same second. */
const REST_MS = 25;
/** A page of so many answers takes milliseconds. */
const LARGE_POLL = 25;
const MAX_PAGES = 2_000;
/** A page has about 6 KB for four answers, 60 KB for a hundred. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** Sends a poll's page to its viewers. Each variant of it is rendered once; the rest are slots. */
export class PollPages {
  readonly #dependencies: PageDependencies;
  readonly #findShow: Read<NamedShow>;
  /** Readers at the same time share one reading, and its figures in each language. */
  readonly #figures = new WeakMap<Results, Map<Language, Figures>>();
  readonly #pages = new LRUCache<string, { readonly poll: Poll; readonly page: PreparedPage<PollValues> }>({
    max: MAX_PAGES,
    maxSize: MAX_CHARACTERS,
  });

  constructor(dependencies: PageDependencies) {
    this.#dependencies = dependencies;
    const { shows, relayUrl } = dependencies;
    this.#findShow = coalesceReads(async name => {
      const show = await shows.find(name);
      return show && { ...show, name, pageLook: pageLook(publicShow(name, show), relayUrl) };
    }, REST_MS);
  }

  async send(
    reading: Reading,
    request: FastifyRequest,
    reply: FastifyReply,
    rejected: RejectedForm = {},
  ): Promise<FastifyReply> {
    const viewer = await this.#dependencies.viewers.findOrCreate(request, reply);
    const show = await this.#showOf(request);
    const look = await this.#lookOf(reading.poll, show);
    const visit = { phrases: phrasesFor(request), reading, viewer, request, show, look, ...rejected };
    const variant = await this.#variantFor(visit);
    const values = await this.#valuesFor(visit, variant);
    if (reading.poll.answers.length >= LARGE_POLL) await this.#dependencies.turns.take(request);
    const status = statusOf(rejected);
    if (status === 503) reply.header('retry-after', 1);
    return this.#pageOf(visit, variant, status === 200).send(reply, status, values);
  }

  async #showOf({ query }: FastifyRequest): Promise<Visit['show']> {
    const { show: name } = query as { show?: unknown };
    if (typeof name !== 'string' || !SHOW_NAME.test(name)) return undefined;
    return this.#findShow(name);
  }

  /** The look of the show that led here, if it has this poll, or of the poll's owner. Any link may name any show. */
  async #lookOf({ id, show: owner }: Poll, show: Visit['show']): Promise<PageLook | undefined> {
    if (show && [...show.rundown, show.onAir, show.last].includes(id)) return show.pageLook;
    const found = owner && (await this.#findShow(owner.name));
    return found && ownsPoll(found, owner) ? found.pageLook : undefined;
  }

  async #variantFor(visit: Visit): Promise<PageVariant> {
    const { clock } = this.#dependencies;
    const { phrases, reading, viewer, request, rejection, filled } = visit;
    const { poll, results } = reading;
    const { requireSignIn, allowComments } = poll.settings;
    const receipt = await findReceipt(this.#dependencies, request, poll, viewer);
    const isWithheld = await this.#isWithheld(visit);
    const isForVoters = !areResultsPublic(results) && areResultsVisible(results, true);
    // The receipt is in the reply to a counted ballot, which may have been lost.
    const asksEngine = isForVoters || (!receipt && results.status === 'open');
    const isKnownVoter = asksEngine && (await this.#isKnownVoter(visit));
    const hasVoted = receipt !== undefined || isKnownVoter;
    // The form of an upcoming poll is there, but hidden: otherwise a whole audience would reload at once.
    const canChange = hasVoted && mayChange(poll, receipt);
    const isWanted = (request.query as { change?: unknown }).change !== undefined;
    const isChange = filled
      ? filled.isChange
      : canChange && results.status === 'open' && (isWanted || receipt?.answers.length === 0);
    const isOpen =
      results.status !== 'closed' &&
      !isWithheld &&
      (!hasVoted || isChange) &&
      !(rejection && ruleOfRejection(rejection).isFinal);
    const isSignedIn = requireSignIn && viewer.account !== undefined;
    return {
      language: phrases.language,
      receipt: receipt?.answers,
      hasVoted,
      notice: await this.#noticeFor(visit, isOpen),
      hasForm: isOpen && (isSignedIn || !requireSignIn),
      asksForAccount: isOpen && requireSignIn && !isSignedIn,
      isSignedIn,
      mayChange: canChange,
      isChange,
      hasCheck: !isChange || !hasFreshCheck(receipt, clock()),
      hasComments: allowComments,
      showsFigures: areResultsVisible(results, isKnownVoter) || results.revealedFrom !== undefined,
      seesAsVoter: isForVoters && isKnownVoter,
      isWithheld,
    };
  }

  async #isKnownVoter({ reading: { poll }, viewer, request }: Visit): Promise<boolean> {
    const { viewers, engine } = this.#dependencies;
    // A voter cookie that is set by this reply has no ballot.
    if (!(await viewers.find(request))) return false;
    return engine.polls.hasVoted(poll.id, await viewers.keyFor(poll, viewer));
  }

  /** A show may have another owner's poll on air: only its own audience sees the answers. */
  async #isWithheld({ reading: { poll, results }, show }: Visit): Promise<boolean> {
    if (results.status !== 'upcoming' || show?.onAir === poll.id) return false;
    const owner = poll.show && (await this.#findShow(poll.show.name));
    return owner?.onAir !== poll.id;
  }

  async #noticeFor(
    { phrases, reading, request, rejection, notice, filled }: Visit,
    isOpen: boolean,
  ): Promise<Notice | undefined> {
    if (notice) return notice;
    const refuse = (reason: BallotRejection) =>
      rejectionNotice(phrases, reason, reading.poll, filled?.answers.length ?? 0);
    if (rejection) return refuse(rejection);
    const { isVpn } = this.#dependencies;
    if (!isOpen || reading.poll.settings.allowVpn || !(await isVpn(callerIp(request)))) return undefined;
    return { ...refuse('vpn_refused'), text: phrases.vote.vpnSeen };
  }

  async #valuesFor(
    visit: Visit,
    { receipt, hasForm, hasCheck, hasComments, showsFigures }: PageVariant,
  ): Promise<PollValues> {
    const { engine, secret, humanCheck } = this.#dependencies;
    const { phrases, reading, viewer, show, comment: filled } = visit;
    const { poll } = reading;
    const subject = { pollId: poll.id, voter: viewer.voter };
    const writer = { ...subject, hasVoted: receipt !== undefined, filled };
    return {
      order: poll.answerOrder && (await this.#orderFor(poll, viewer)),
      token: hasForm && (await this.#tokenFor(visit)),
      check: hasForm && hasCheck && (await humanCheck.render(subject, reading.results.status === 'open')),
      comments: hasComments && (await commentsSection(phrases, engine.comments, await secret(), writer)),
      nowMs: reading.results.readAtMs,
      timeLeft: timeLeft(phrases, reading),
      show: show?.name,
      // A script loads the next poll by itself.
      showQuery: show && `?show=${show.name}`,
      changeQuery: show ? `?change&show=${show.name}` : '?change',
      showLink:
        show && html`<noscript><p><a href="/show/${show.name}">${phrases.show.toVote}</a></p></noscript>`,
      picture: pictureQuery(visit),
      figures: showsFigures ? this.#figuresOf(phrases, reading) : undefined,
    };
  }

  /** Follows from the voter's key alone, which nothing outside of this server knows. */
  async #orderFor(poll: Poll, viewer: Viewer): Promise<number[]> {
    const key = await this.#dependencies.viewers.keyFor(poll, viewer);
    const places = [...poll.answers.keys()];
    const bytes = createHash('shake256', { outputLength: PLACE_BYTES * places.length })
      .update(key)
      .digest();
    return places.sort(
      (one, other) => bytes.readUInt32LE(one * PLACE_BYTES) - bytes.readUInt32LE(other * PLACE_BYTES),
    );
  }

  #figuresOf(phrases: Phrases, reading: Reading): Figures {
    const byLanguage = this.#figures.get(reading.results) ?? new Map<Language, Figures>();
    this.#figures.set(reading.results, byLanguage);
    const make = areResultsVisible(reading.results, true) ? figuresOf : revealedFigures;
    const figures = byLanguage.get(phrases.language) ?? make(phrases, reading);
    byLanguage.set(phrases.language, figures);
    return figures;
  }

  /** A rejected form keeps its ballot id, so that its retry cannot count twice. */
  async #tokenFor({ reading: { poll }, viewer, filled }: Visit): Promise<string> {
    const secret = await this.#dependencies.secret();
    const isOfRound = filled?.round === (poll.round ?? 1);
    const isValid = isOfRound && readBallotToken(secret, filled, poll.id, viewer.voter) !== undefined;
    return isValid ? filled.token : issueBallotToken(secret, poll, viewer.voter);
  }

  /** @param isCacheable unless the page contains one voter's choice */
  #pageOf(
    { phrases, reading, filled, look }: Visit,
    variant: PageVariant,
    isCacheable: boolean,
  ): PreparedPage<PollValues> {
    const { poll, results } = reading;
    /** Sum over the answers in slots. */
    let heldCharacters = 0;
    const prepare = () =>
      this.#dependencies.preparePage<PollValues>(slot => {
        const arrange = (rows: readonly Markup[]) => {
          if (!poll.answerOrder) return rows;
          heldCharacters = rows.reduce((sum, { text }) => sum + text.length, 0);
          return rows.map((_, place) => slot(({ order }) => rows[order![place]!]));
        };
        return pollPage({ phrases, reading, variant, slot, filled, look, arrange }, this.#dependencies);
      });
    if (!isCacheable) return prepare();
    const { status, deadlineMs, resultsVisibility, revealedFrom } = results;
    const state = [status, deadlineMs, resultsVisibility, revealedFrom];
    const key = JSON.stringify([poll.id, ...state, variant, look?.mark]);
    const cached = this.#pages.get(key);
    // Engines return the same object while a definition is unchanged.
    if (cached?.poll === poll) return cached.page;
    const page = prepare();
    this.#pages.set(key, { poll, page }, { size: page.length + heldCharacters });
    return page;
  }
}

/** Has the position of visible results, so that previews are loaded again when those change. */
function pictureQuery({ phrases: { language, direction }, reading, show }: Visit): string {
  const { poll, results } = reading;
  const query = lookQuery(lookOfPoll(show ?? {}, poll.id));
  // A language sets the direction of the picture, where otherwise its title does.
  if (language !== 'en' && (directionOfText(poll.title) ?? direction) === direction)
    query.set('lang', language);
  if (areResultsPublic(results)) query.set('position', positionOf(reading));
  return query.size > 0 ? `?${query}` : '';
}

function timeLeft({ live, wording }: Phrases, { results: { deadlineMs, readAtMs } }: Reading): string {
  const restMs = deadlineMs === null ? 0 : deadlineMs - readAtMs;
  return restMs > 0 ? fill(live.closesIn, { rest: wording.timeLeft(restMs) }) : '';
}

function statusOf({ rejection, notice }: RejectedForm): number {
  if (rejection) return ruleOfRejection(rejection).status;
  return notice ? 400 : 200;
}
