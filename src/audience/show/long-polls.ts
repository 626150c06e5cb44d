import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { type Audience, followersOf } from '../../engine/audience.ts';
import { type Engine, revisionMark } from '../../engine/engine.ts';
import { FollowedValues } from '../../engine/followed-topics.ts';
import { findUnlessDeleted } from '../../engine/not-found.ts';
import { emitsClose } from '../../http/caller.ts';
import { Rejection } from '../../pages/guard/rejection.ts';
import {
  GONE,
  type MarkedPollState,
  markedPollState,
  type OnAirMessage,
  type PageLook,
} from '../../pages/page/messages.ts';
import { pageLook } from '../../pages/page/page-look.ts';
import { isPollId, type PollId } from '../../poll/poll.ts';
import type { PublicShow } from '../../show/show.ts';
import type { ShowBoard } from '../../show/show-board.ts';

/** Shorter than proxies wait for response headers and mobile networks keep idle connections. */
const HOLD_MS = 15_000;
/** Pages repeat their request after each reply, so a show is followed for a while after the last one. */
const LINGER_MS = 10_000;
/** Each held request takes a connection and some kilobytes. Above this, pages request the state every few seconds. */
const MAX_HELD = 20_000;
const CROWDED_AGAIN_MS = 5_000;
/** Twice the server's time for one page, so that the next poll's pages leave half of it for other work. */
const SPREAD_MS_PER_PAGE = 0.4;
const MAX_SPREAD_MS = 8_000;
const REPLIES_PER_TURN = 250;
/** Ballots send hints as well, but do not change a poll's state. */
const STATE_PAUSE_MS = 250;

const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

/** Undefined for a poll that is not there, and was not deleted. */
type PollStates = FollowedValues<MarkedPollState | undefined>;

interface KnownOnAir {
  readonly poll: PollId | null;
  /** Mark of the poll's state on the page; undefined for a page without that poll. */
  readonly mark: string | undefined;
  /** Mark of the look on the page; undefined for a page that does not follow it. */
  readonly look: string | undefined;
}

interface HeldRequest {
  readonly raw: ServerResponse;
  readonly headers: Record<string, string>;
  readonly known: KnownOnAir;
  readonly untilMs: number;
}

/**
 * The audience of shows, by long polling: each request is held until another poll is on air, the
 * state of the poll on air or the look changes, or its time is up. It uses no connection of a
 * relay, and one engine read for each change.
 */
export class ShowLongPolls {
  readonly #board: ShowBoard;
  readonly #relayUrl: string;
  readonly #states: PollStates;
  readonly #shows = new Map<string, ShowAudience>();
  readonly #timer = setInterval(() => this.#review(), 1_000).unref();
  #held = 0;

  constructor(engine: Pick<Engine, 'hints' | 'polls' | 'events'>, board: ShowBoard, relayUrl: string) {
    const { hints, polls } = engine;
    this.#board = board;
    this.#relayUrl = relayUrl;
    this.#states = new FollowedValues({
      hints,
      read: ids =>
        Promise.all(
          ids.map(async id => {
            const found = await findUnlessDeleted(engine, id);
            return found === 'deleted' ? GONE : found && markedPollState(found.results);
          }),
        ),
      findMarks: async ids => (await polls.findRevisions(ids)).map(revisionMark),
      isSame: (one, other) => one?.mark === other?.mark,
      pauseMs: STATE_PAUSE_MS,
    });
  }

  hold(show: string, known: KnownOnAir, reply: FastifyReply): void {
    if (!emitsClose(reply)) throw new Rejection('bad_request');
    const { raw } = reply.hijack();
    // Held for longer than the server's socket timeout.
    raw.socket?.setTimeout(0);
    const headers = { ...(reply.getHeaders() as Record<string, string>), ...HEADERS };
    const request = { raw, headers, known, untilMs: performance.now() + HOLD_MS };
    const audience =
      this.#shows.get(show) ?? new ShowAudience(this.#board, this.#states, show, this.#relayUrl);
    this.#shows.set(show, audience);
    this.#held += 1;
    raw.once('close', () => {
      this.#held -= 1;
      audience.remove(request);
    });
    audience.add(request, this.#held > MAX_HELD);
  }

  /** Held requests of each show, one for each open page. */
  get audience(): Audience {
    return new Map([...this.#shows].map(([show, { size }]) => [followersOf(show), size]));
  }

  /** Answers all requests; pages reconnect to another server. */
  close(): void {
    clearInterval(this.#timer);
    for (const audience of this.#shows.values()) audience.close();
    this.#shows.clear();
    this.#states.close();
  }

  #review(): void {
    const nowMs = performance.now();
    for (const [show, audience] of this.#shows) {
      audience.replyExpired(nowMs);
      if (!audience.isExpired(nowMs)) continue;
      audience.close();
      this.#shows.delete(show);
    }
  }
}

class ShowAudience {
  readonly #states: PollStates;
  readonly #relayUrl: string;
  readonly #unfollow: () => void;
  #unfollowPoll = () => {};
  readonly #held = new Set<HeldRequest>();
  #onAir: PollId | null | undefined;
  #state: MarkedPollState | undefined;
  #look: PageLook | undefined;
  #spreadMs = 0;
  #expiresAtMs = Number.POSITIVE_INFINITY;

  constructor(board: ShowBoard, states: PollStates, show: string, relayUrl: string) {
    this.#states = states;
    this.#relayUrl = relayUrl;
    this.#unfollow = board.followPublic(show, found => this.#onShow(found));
  }

  add(request: HeldRequest, isCrowded: boolean): void {
    this.#expiresAtMs = Number.POSITIVE_INFINITY;
    if (this.#onAir !== undefined && (isCrowded || this.#isOutdated(request)))
      this.#reply(request, isCrowded ? CROWDED_AGAIN_MS : 0);
    else this.#held.add(request);
  }

  remove(request: HeldRequest): void {
    this.#held.delete(request);
    if (this.#held.size === 0) this.#expiresAtMs = performance.now() + LINGER_MS;
  }

  get size(): number {
    return this.#held.size;
  }

  isExpired(nowMs: number): boolean {
    return this.#held.size === 0 && nowMs > this.#expiresAtMs;
  }

  replyExpired(nowMs: number): void {
    for (const request of this.#held) {
      if (request.untilMs > nowMs) return;
      this.#reply(request);
    }
  }

  close(): void {
    this.#unfollow();
    this.#unfollowPoll();
    for (const request of this.#held) this.#reply(request, Math.random() * 1_000);
  }

  #onShow(found: PublicShow): void {
    // Pages keep what they have: the show may come back.
    if (found.missing) return;
    this.#look = pageLook(found, this.#relayUrl);
    // The simulated poll of a rehearsal has no voting page.
    const onAir = found.id !== null && isPollId(found.id) ? found.id : null;
    if (onAir !== this.#onAir) this.#followPoll(onAir);
    this.#spreadMs = Math.max(this.#spreadMs, this.#spreadForAll());
    this.#replyOutdated([...this.#held]);
  }

  #followPoll(onAir: PollId | null): void {
    this.#onAir = onAir;
    this.#unfollowPoll();
    this.#unfollowPoll = () => {};
    this.#state = undefined;
    if (this.#onAir !== null)
      this.#unfollowPoll = this.#states.follow(this.#onAir, state => this.#onState(state));
    this.#spreadMs = 0;
  }

  #onState(state: MarkedPollState | undefined): void {
    if (!state) return;
    this.#state = state;
    // Pages that were answered at the switch may still be loading the poll.
    this.#spreadMs = Math.max(this.#spreadMs, this.#spreadForAll());
    this.#replyOutdated([...this.#held]);
  }

  #isOutdated({ known }: HeldRequest): boolean {
    if (known.poll !== this.#onAir || this.#hasOldLook(known)) return true;
    return known.mark !== undefined && this.#state !== undefined && known.mark !== this.#state.mark;
  }

  #hasOldLook({ look }: KnownOnAir): boolean {
    return look !== undefined && this.#look !== undefined && look !== this.#look.mark;
  }

  #spreadForAll(): number {
    return Math.min(MAX_SPREAD_MS, Math.round(this.#held.size * SPREAD_MS_PER_PAGE));
  }

  /** In slices, so that ballots are not delayed by thousands of replies. */
  #replyOutdated(requests: readonly HeldRequest[]): void {
    for (const request of requests.slice(0, REPLIES_PER_TURN))
      if (this.#isOutdated(request) && this.#held.has(request)) this.#reply(request);
    if (requests.length > REPLIES_PER_TURN)
      setImmediate(() => this.#replyOutdated(requests.slice(REPLIES_PER_TURN)));
  }

  #reply(request: HeldRequest, againMs = 0): void {
    this.#held.delete(request);
    const onAir = this.#onAir === undefined ? request.known.poll : this.#onAir;
    const poll = this.#state && { poll: this.#state };
    const look = this.#look && this.#hasOldLook(request.known) && { look: this.#look };
    const message: OnAirMessage = { onAir, spreadMs: this.#spreadMs, againMs, ...poll, ...look };
    const body = JSON.stringify(message);
    request.raw.writeHead(200, { ...request.headers, 'content-length': Buffer.byteLength(body) }).end(body);
  }
}
