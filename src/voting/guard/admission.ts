import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { visitsAskedAgain, waitingVisits } from '../../metrics/catalogue.ts';
import type { Reading } from '../../metrics/metric.ts';
import type { BusyReplies } from './busy-page.ts';
import type { CookieGate } from './cookie-gate.ts';
import { Line, type Visit } from './line.ts';
import { WholeForms } from './whole-forms.ts';

/** A ballot is answered within two seconds, counted or not: its page sends it again by itself. Some wait for another service. */
const SENT = { mostUnderWay: 512, eachTurn: 32, patienceMs: 1_000 } as const;
const KNOWN = { mostUnderWay: 256, eachTurn: 8, patienceMs: 1_000 } as const;
const OPENING = { mostUnderWay: 256, eachTurn: 8, patienceMs: 500 } as const;

/** What somebody in a line waits beyond its patience, where it stands still. */
const GRACE_MS = 500;
const LOOK_EVERY_MS = 100;
/** Forms that no script sends again wait for longer; each takes a connection and some kilobytes. */
const MOST_WAITING = 10_000;
const SAY_EVERY_MS = 10_000;

/** Cheaper to answer than to think about. */
const FREE = /^\/(?:assets\/|livez|readyz|health|favicon\.ico|icon\.svg|apple-touch-icon\.png|robots\.txt)/;
/** The way back from signing in, a new human check, a creator at work. */
const ON_THE_WAY = /^\/(?:sign-in\/callback|[^/?]+\/(?:challenge|manage))/;
/** Streams do not end, and a sign-in takes as long as its provider: neither takes a place from others. */
const LASTING = /\/live(?:\?|$)|^\/sign-in/;
/** A counted ballot, or a turn that was given here. Whoever forges one passes nobody who has voted. */
const CAME_BEFORE = /tallycast-(?:receipt|turn)=/;

interface AdmissionParts {
  readonly gate: CookieGate;
  readonly busy: BusyReplies;
  readonly log: FastifyBaseLogger;
  /** Milliseconds from whatever moment. */
  readonly clock?: (() => number) | undefined;
}

/**
 * What becomes of more people than this server can serve. Every request that costs something goes through one of three lines,
 * before any work is done for it: forms that were sent, above all ballots; who is on the way with a vote, or was asked to come
 * again; who opens a page. In each turn four times as many forms may begin as visits of either other line: forms of a stranger that
 * are worth nothing keep no page closed. Where the first of a line has waited for too long, one more is told at once when to come again.
 *
 * Measured (Node 20): 2 µs for who is let in, where a page takes some hundred; 34 µs for who is told to come again, where a bare
 * reply of the same size takes Node 26.
 */
export class Admission {
  readonly #handle: RequestListener;
  readonly #gate: CookieGate;
  readonly #busy: BusyReplies;
  readonly #log: FastifyBaseLogger;
  readonly #clock: () => number;
  readonly #sent = new Line(SENT);
  readonly #known = new Line(KNOWN);
  readonly #opening = new Line(OPENING);
  readonly #lines = [this.#sent, this.#known, this.#opening];
  readonly #forms = new WholeForms(() => this.#callTurn());
  #isTurnDue = false;
  #looking: NodeJS.Timeout | undefined;
  #askedAgain = 0;
  #saidAtMs = Number.NEGATIVE_INFINITY;

  private constructor(
    handle: RequestListener,
    { gate, busy, log, clock = () => performance.now() }: AdmissionParts,
  ) {
    this.#handle = handle;
    this.#gate = gate;
    this.#busy = busy;
    this.#log = log;
    this.#clock = clock;
  }

  /** Puts the lines in front of a server that is built and does not listen yet. */
  static guard(server: Server, parts: AdmissionParts): void {
    // Those before it only look on.
    const handle = server.listeners('request').at(-1) as RequestListener;
    const admission = new Admission(handle, parts);
    const endReading = waitingVisits.read(() => admission.#readWaiting());
    server.on('close', endReading);
    server.removeListener('request', handle);
    server.on('request', (request, response) => admission.#take(request, response));
  }

  #readWaiting(): Reading {
    return [
      [{ line: 'sent' }, this.#sent.length],
      [{ line: 'known' }, this.#known.length],
      [{ line: 'opening' }, this.#opening.length],
    ];
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url ?? '/';
    const isForm = request.method === 'POST';
    // Sent ahead of an answer, as no browser and no proxy does: the server behind counts those.
    const isAhead = !response.socket;
    if (isAhead && this.#isWaited) {
      request.socket.destroy();
      return;
    }
    if (FREE.test(url)) {
      this.#handle(request, response);
      return;
    }
    const canWait = !isForm || WholeForms.canWaitFor(request);
    const cookie = this.#gate.check(request, this.#clock());
    if (cookie !== undefined) {
      // The rest of a large body is not worth reading.
      if (!canWait) response.setHeader('connection', 'close');
      this.#busy.sendCookie(request, response, cookie);
    } else if (isAhead || !canWait) {
      this.#handle(request, response);
    } else if (isForm) {
      this.#forms.add({ request, response, isLasting: false });
    } else {
      const isKnown = ON_THE_WAY.test(url) || CAME_BEFORE.test(request.headers.cookie ?? '');
      this.#join({ request, response, isLasting: LASTING.test(url) }, isKnown ? this.#known : this.#opening);
    }
  }

  #join(visit: Visit, line: Line): void {
    const nowMs = this.#clock();
    if (line.isTooLong(nowMs) && (comesAgain(visit) || line.length >= MOST_WAITING)) {
      this.#askAgain(visit, line, nowMs);
    } else {
      line.join(visit, nowMs);
      this.#callTurn();
    }
  }

  get #isWaited(): boolean {
    return this.#lines.some(line => line.length > 0);
  }

  /** After all that arrived in the same moment: a ballot that came last of a hundred requests is still served first. */
  #callTurn(): void {
    if (this.#isTurnDue) return;
    this.#isTurnDue = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isTurnDue = false;
    for (const visit of this.#forms.take()) this.#join(visit, this.#sent);
    const nowMs = this.#clock();
    const handle = ({ request, response }: Visit) => this.#handle(request, response);
    const onFree = () => void (this.#isWaited && this.#callTurn());
    for (const line of this.#lines) {
      line.begin(handle, nowMs, onFree);
      if (line.mayBegin) this.#callTurn();
    }
    if (this.#isWaited) this.#looking ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  /** Where a line stands still, those who are in it hear of it. */
  #look(): void {
    const nowMs = this.#clock();
    for (const line of this.#lines)
      while (line.first && line.isTooLong(nowMs - GRACE_MS) && comesAgain(line.first))
        this.#askAgain(line.leave() as Visit, line, nowMs);
    if (this.#isWaited) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  #askAgain({ request, response }: Visit, line: Line, nowMs: number): void {
    this.#busy.send(request, response, line.assignTurn(nowMs));
    this.#askedAgain += 1;
    visitsAskedAgain.value += 1;
    if (nowMs - this.#saidAtMs < SAY_EVERY_MS) return;
    const waiting = this.#lines.map(({ length }) => length);
    this.#log.warn({ deferred: this.#askedAgain, waiting }, 'front end overloaded');
    this.#saidAtMs = nowMs;
    this.#askedAgain = 0;
  }
}

/** By itself: a browser opens a page again, and our script sends its ballot again. Any other form would be lost. */
function comesAgain({ request: { method, headers } }: Visit): boolean {
  return method !== 'POST' || headers.accept === 'application/json';
}
