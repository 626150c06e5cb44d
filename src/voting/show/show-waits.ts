import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { isPollId } from '../../poll/create-poll.ts';
import type { PollId } from '../../poll/poll.ts';
import type { ShowBoard } from '../../show/show-board.ts';
import { Rejection } from '../guard/rejection.ts';
import type { OnAirMessage, PublicPollState } from '../page/on-air-message.ts';
import type { PollStates } from './poll-states.ts';

/** Shorter than proxies wait for the head of an answer, and mobile networks keep a connection on which nothing happens. */
const HOLD_MS = 15_000;
/** A page asks again as soon as it is answered: only where none is left is the show let go of. */
const LINGER_MS = 10_000;
/** Each takes a connection and some kilobytes. Above it pages ask now and then. */
const MOST_WAITING = 20_000;
const CROWDED_AGAIN_MS = 5_000;
/** What a page costs this server, and as much again for all else that it has to do: so far apart they come for the next one. */
const SPREAD_MS_A_PAGE = 0.4;
const LONGEST_SPREAD_MS = 8_000;
/** Answers written in one turn of the event loop. */
const EACH_TURN = 250;

interface Waiter {
  readonly raw: ServerResponse;
  readonly headers: Record<string, string>;
  readonly known: KnownOnAir;
  readonly untilMs: number;
}

/** What a page that asks has. */
export interface KnownOnAir {
  readonly poll: PollId | null;
  /** How that stands there; undefined where it is on no page, or nobody wants to know. */
  readonly mark: string | undefined;
}

/**
 * Open pages of shows, which wait here for what comes on air next, and for what becomes of the poll that is: a request each
 * that is answered when that changes, or after a while with what was known. It costs no relay a socket, and the engine one read a
 * change however many wait.
 */
export class ShowWaits {
  readonly #board: ShowBoard;
  readonly #standings: PollStates;
  readonly #rooms = new Map<string, WaitingRoom>();
  readonly #timer = setInterval(() => this.#look(), 1_000).unref();
  #count = 0;

  constructor(board: ShowBoard, standings: PollStates) {
    this.#board = board;
    this.#standings = standings;
  }

  hold(show: string, known: KnownOnAir, reply: FastifyReply): void {
    // Behind another answer, which nobody of ours asks for, it would not learn that its connection is gone.
    if (!reply.raw.socket) throw new Rejection('bad_request');
    const { raw } = reply.hijack();
    // Who waits is told nothing for longer than a server lets others be silent.
    raw.socket?.setTimeout(0);
    const headers = { ...(reply.getHeaders() as Record<string, string>), ...HEADERS };
    const waiter = { raw, headers, known, untilMs: performance.now() + HOLD_MS };
    const room = this.#rooms.get(show) ?? new WaitingRoom(this.#board, this.#standings, show);
    this.#rooms.set(show, room);
    this.#count += 1;
    raw.once('close', () => {
      this.#count -= 1;
      room.leave(waiter);
    });
    room.enter(waiter, this.#count > MOST_WAITING);
  }

  /** Everybody asks the next server. */
  close(): void {
    clearInterval(this.#timer);
    for (const room of this.#rooms.values()) room.close();
    this.#rooms.clear();
    this.#standings.close();
  }

  #look(): void {
    const nowMs = performance.now();
    for (const [show, room] of this.#rooms) {
      room.answerPatient(nowMs);
      if (!room.isDeserted(nowMs)) continue;
      room.close();
      this.#rooms.delete(show);
    }
  }
}

const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

/** Who waits for one show. */
class WaitingRoom {
  readonly #standings: PollStates;
  readonly #unfollow: () => void;
  #unfollowPoll = () => {};
  readonly #waiting = new Set<Waiter>();
  /** Undefined until it was read. */
  #onAir: PollId | null | undefined;
  #standing: PublicPollState | undefined;
  #spreadMs = 0;
  #desertedMs = Number.POSITIVE_INFINITY;

  constructor(board: ShowBoard, standings: PollStates, show: string) {
    this.#standings = standings;
    this.#unfollow = board.follow(show, onAir => this.#switch(onAir));
  }

  enter(waiter: Waiter, isCrowded: boolean): void {
    this.#desertedMs = Number.POSITIVE_INFINITY;
    if (this.#onAir !== undefined && (isCrowded || this.#isNewsTo(waiter)))
      this.#answer(waiter, isCrowded ? CROWDED_AGAIN_MS : 0);
    else this.#waiting.add(waiter);
  }

  leave(waiter: Waiter): void {
    this.#waiting.delete(waiter);
    if (this.#waiting.size === 0) this.#desertedMs = performance.now() + LINGER_MS;
  }

  isDeserted(nowMs: number): boolean {
    return this.#waiting.size === 0 && nowMs > this.#desertedMs;
  }

  answerPatient(nowMs: number): void {
    for (const waiter of this.#waiting) {
      // In the order in which they came.
      if (waiter.untilMs > nowMs) return;
      this.#answer(waiter);
    }
  }

  close(): void {
    this.#unfollow();
    this.#unfollowPoll();
    for (const waiter of this.#waiting) this.#answer(waiter, Math.random() * 1_000);
  }

  #switch(onAir: PollId | null): void {
    // In a rehearsal nobody votes.
    this.#onAir = onAir !== null && isPollId(onAir) ? onAir : null;
    this.#unfollowPoll();
    this.#standing = undefined;
    this.#unfollowPoll =
      this.#onAir === null
        ? () => {}
        : this.#standings.follow(this.#onAir, standing => this.#stand(standing));
    this.#spreadMs = this.#spreadOfAll();
    this.#answerSome([...this.#waiting]);
  }

  #stand(standing: PublicPollState): void {
    this.#standing = standing;
    // Some may not have been answered at the switch yet, and those who were still come for it.
    this.#spreadMs = Math.max(this.#spreadMs, this.#spreadOfAll());
    this.#answerSome([...this.#waiting]);
  }

  #isNewsTo({ known }: Waiter): boolean {
    if (known.poll !== this.#onAir) return true;
    return known.mark !== undefined && this.#standing !== undefined && known.mark !== this.#standing.mark;
  }

  #spreadOfAll(): number {
    return Math.min(LONGEST_SPREAD_MS, Math.round(this.#waiting.size * SPREAD_MS_A_PAGE));
  }

  /** Thousands at once would keep ballots waiting. */
  #answerSome(waiters: readonly Waiter[]): void {
    for (const waiter of waiters.slice(0, EACH_TURN))
      if (this.#isNewsTo(waiter) && this.#waiting.has(waiter)) this.#answer(waiter);
    if (waiters.length > EACH_TURN) setImmediate(() => this.#answerSome(waiters.slice(EACH_TURN)));
  }

  #answer(waiter: Waiter, againMs = 0): void {
    this.#waiting.delete(waiter);
    const onAir = this.#onAir === undefined ? waiter.known.poll : this.#onAir;
    const poll = this.#standing && { poll: this.#standing };
    const message: OnAirMessage = { onAir, spreadMs: this.#spreadMs, againMs, ...poll };
    const body = JSON.stringify(message);
    waiter.raw.writeHead(200, { ...waiter.headers, 'content-length': `${body.length}` }).end(body);
  }
}
