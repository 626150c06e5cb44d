import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { visitsAskedAgain, waitingVisits } from '../../metrics/catalogue.ts';
import type { BusyReplies } from './busy-page.ts';
import type { CookieGate } from './rate-limit.ts';

interface QueueLimits {
  readonly maxActive: number;
  /** Pages or forms started in one turn of the event loop, so that other work in this process gets its turn. */
  readonly perTurn: number;
  /** Once the first request has waited for longer, new ones are rejected. */
  readonly maxWaitMs: number;
}

/** The page of a ballot expects a reply within two seconds and retries. Some ballots wait for a remote human check. */
const FORMS: QueueLimits = { maxActive: 512, perTurn: 32, maxWaitMs: 1_000 };
const RETURNING: QueueLimits = { maxActive: 256, perTurn: 8, maxWaitMs: 1_000 };
const OPENING: QueueLimits = { maxActive: 256, perTurn: 8, maxWaitMs: 500 };

/** Added to `maxWaitMs` before a queued request is rejected. */
const GRACE_MS = 500;
/**
 * A queue that moves serves so many requests before a rejected one would return, even after a stall
 * of the whole machine.
 */
const SHORT_QUEUE = 512;
const REVIEW_INTERVAL_MS = 100;
/** Forms that no script would retry wait for longer. Each holds a connection and some kilobytes. */
const MAX_QUEUED = 10_000;
const LOG_INTERVAL_MS = 10_000;

const UNLIMITED_PATH =
  /^\/(?:assets\/|livez|readyz|health|favicon\.ico|icon\.svg|apple-touch-icon\.png|robots\.txt)/;
/** Webhooks of a platform, many a second from few addresses without cookies. A signature costs less than a page. */
const WEBHOOK_PATH = /^\/chat\/kick(?:\?|$)/;
/** Requests in the middle of a visit: the return from sign-in, a new human check, the manage page. */
const RETURNING_PATH = /^\/(?:sign-in\/callback|[^/?]+\/(?:challenge|manage))/;
/** Streams stay open and sign-in waits for its provider, so neither counts as in progress. */
const LONG_LIVED_PATH = /^[^?]*\/(?:live|results)(?:\?|$)|^\/sign-in/;
/** Costs a quarter of a page at most. */
const STATE_PATH = /^\/[^/?]+\/state(?:\?|$)/;
/** Cookies of a counted ballot or an assigned turn. They can be forged, but forms have a queue of their own. */
const RETURNING_COOKIE = /tallycast-(?:receipt|turn)=/;

interface AdmissionDependencies {
  readonly gate: CookieGate;
  readonly busy: BusyReplies;
  readonly log: FastifyBaseLogger;
  /** Monotonic, in milliseconds. */
  readonly clock?: (() => number) | undefined;
}

/**
 * Bounds the requests in progress by three queues: forms (mostly ballots), returning visitors, and
 * new ones. Each turn of the event loop starts up to four times as many forms as requests of either
 * other queue. While the first request of a queue has waited too long, further ones get a page that
 * retries at an assigned time.
 *
 * Cost (Node 20): 2 µs for an admitted request, 34 µs for a rejected one.
 */
export class Admission {
  readonly #handle: RequestListener;
  readonly #dependencies: AdmissionDependencies;
  readonly #clock: () => number;
  readonly #sent = new RequestQueue(FORMS);
  readonly #known = new RequestQueue(RETURNING);
  readonly #opening = new RequestQueue(OPENING);
  readonly #queues = [this.#sent, this.#known, this.#opening];
  readonly #forms = new IncomingForms(() => this.#scheduleTurn());
  #isTurnScheduled = false;
  #reviewTimer: NodeJS.Timeout | undefined;
  #rejected = 0;
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  private constructor(handle: RequestListener, dependencies: AdmissionDependencies) {
    this.#handle = handle;
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? (() => performance.now());
  }

  /** Puts the queues in front of a server that is built and does not listen yet. */
  static install(server: Server, dependencies: AdmissionDependencies): void {
    const handle = server.listeners('request').at(-1) as RequestListener;
    const admission = new Admission(handle, dependencies);
    const stopReading = waitingVisits.read(() => [
      [{ line: 'sent' }, admission.#sent.length],
      [{ line: 'known' }, admission.#known.length],
      [{ line: 'opening' }, admission.#opening.length],
    ]);
    server.on('close', stopReading);
    server.removeListener('request', handle);
    server.on('request', (request, response) => admission.#onRequest(request, response));
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url ?? '/';
    const isForm = request.method === 'POST';
    // Pipelined behind an unfinished reply, as no browser or proxy does. The server behind limits these.
    const isPipelined = !response.socket;
    if (isPipelined && this.#hasQueued) {
      request.socket.destroy();
      return;
    }
    if (UNLIMITED_PATH.test(url) || (isForm && WEBHOOK_PATH.test(url))) {
      this.#handle(request, response);
      return;
    }
    const isBuffered = !isForm || IncomingForms.canBuffer(request);
    const { gate, busy } = this.#dependencies;
    const { voter, setCookie } = gate.check(request, this.#clock());
    if (setCookie !== undefined) {
      if (!isBuffered) response.setHeader('connection', 'close');
      busy.sendCookie(request, response, setCookie);
    } else if (isPipelined || !isBuffered) {
      this.#handle(request, response);
    } else if (isForm) {
      this.#forms.add({ request, response, voter, cost: 1, isLongLived: false });
    } else {
      const isKnown = RETURNING_PATH.test(url) || RETURNING_COOKIE.test(request.headers.cookie ?? '');
      const cost = STATE_PATH.test(url) ? 0.25 : 1;
      const queued = { request, response, voter, cost, isLongLived: LONG_LIVED_PATH.test(url) };
      this.#enqueue(queued, isKnown ? this.#known : this.#opening);
    }
  }

  #enqueue(queued: QueuedRequest, queue: RequestQueue): void {
    const nowMs = this.#clock();
    if (queue.isOverdue(nowMs) && (willRetry(queued) || queue.length >= MAX_QUEUED)) {
      this.#reject(queued, queue, nowMs);
    } else {
      queue.push(queued, nowMs);
      this.#scheduleTurn();
    }
  }

  get #hasQueued(): boolean {
    return this.#queues.some(queue => queue.length > 0);
  }

  /** Runs after all requests that arrived together, so that a ballot behind a hundred pages is served first. */
  #scheduleTurn(): void {
    if (this.#isTurnScheduled) return;
    this.#isTurnScheduled = true;
    setImmediate(() => this.#runTurn());
  }

  #runTurn(): void {
    this.#isTurnScheduled = false;
    for (const form of this.#forms.takeComplete()) this.#enqueue(form, this.#sent);
    const nowMs = this.#clock();
    const handle = ({ request, response }: QueuedRequest) => this.#handle(request, response);
    const onDone = () => {
      if (this.#hasQueued) this.#scheduleTurn();
    };
    for (const queue of this.#queues) {
      queue.start(handle, nowMs, onDone);
      if (queue.canStart) this.#scheduleTurn();
    }
    if (this.#hasQueued)
      this.#reviewTimer ??= setInterval(() => this.#rejectOverdue(), REVIEW_INTERVAL_MS).unref();
  }

  #rejectOverdue(): void {
    const nowMs = this.#clock();
    for (const queue of this.#queues)
      while (queue.first && queue.isOverdue(nowMs - GRACE_MS) && willRetry(queue.first))
        this.#reject(queue.shift() as QueuedRequest, queue, nowMs);
    if (this.#hasQueued) return;
    clearInterval(this.#reviewTimer);
    this.#reviewTimer = undefined;
  }

  #reject({ request, response, voter }: QueuedRequest, queue: RequestQueue, nowMs: number): void {
    const { busy, log } = this.#dependencies;
    busy.send(request, response, queue.assignTurn(nowMs, voter));
    this.#rejected += 1;
    visitsAskedAgain.value += 1;
    if (nowMs - this.#loggedAtMs < LOG_INTERVAL_MS) return;
    const queued = this.#queues.map(({ length }) => length);
    log.warn({ deferred: this.#rejected, waiting: queued }, 'front end overloaded');
    this.#loggedAtMs = nowMs;
    this.#rejected = 0;
  }
}

/** Browsers reload a busy page, and the script of the voting page retries its ballot. Any other form would be lost. */
function willRetry({ request: { method, headers } }: QueuedRequest): boolean {
  return method !== 'POST' || headers.accept === 'application/json';
}

interface QueuedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** From a sealed cookie. */
  readonly voter: string | undefined;
  /** In pages. */
  readonly cost: number;
  readonly isLongLived: boolean;
}

const AVERAGED_REQUESTS = 64;
const FIRST_INTERVAL_MS = 2;
/** Faster than any page is rendered: while requests start and none ends, the measured interval is too short. */
const MIN_INTERVAL_MS = 0.25;
/** Visitors give up on longer waits, and the rush may be over by then. */
const MAX_TURN_MS = 60_000;

class RequestQueue {
  readonly #limits: QueueLimits;
  #queued: (QueuedRequest & { readonly sinceMs: number })[] = [];
  /** Index of the first request; the array is compacted now and then, because shifting it is expensive. */
  #head = 0;
  #active = 0;
  /** Average time between two starts while requests wait. */
  #intervalMs = FIRST_INTERVAL_MS;
  #startedAtMs = Number.NaN;
  #lastTurnMs = 0;
  /** By voter, the earliest first. Bounded by the longest wait. */
  readonly #turns = new Map<string, number>();

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#queued.length - this.#head;
  }

  get canStart(): boolean {
    return this.length > 0 && this.#active < this.#limits.maxActive;
  }

  get first(): QueuedRequest | undefined {
    return this.#queued[this.#head];
  }

  isOverdue(nowMs: number): boolean {
    const first = this.#queued[this.#head];
    if (this.canStart && this.length <= SHORT_QUEUE) return false;
    return first !== undefined && nowMs - first.sinceMs > this.#limits.maxWaitMs;
  }

  push(queued: QueuedRequest, nowMs: number): void {
    this.#queued.push({ ...queued, sinceMs: nowMs });
  }

  shift(): QueuedRequest | undefined {
    const { first } = this;
    this.#head += 1;
    if (this.#head >= this.#queued.length) {
      this.#queued = [];
      this.#head = 0;
    } else if (this.#head > 1_000 && this.#head * 2 > this.#queued.length) {
      this.#queued = this.#queued.slice(this.#head);
      this.#head = 0;
    }
    return first;
  }

  /** Starts the requests of one turn. @param onDone after a reply was written or its connection closed */
  start(handle: (queued: QueuedRequest) => void, nowMs: number, onDone: () => void): void {
    for (let started = 0; started < this.#limits.perTurn && this.canStart; ) {
      const queued = this.shift()!;
      started += queued.cost;
      if (queued.request.socket.destroyed) continue;
      this.#measureInterval(nowMs);
      if (!queued.isLongLived) {
        this.#active += 1;
        const { response } = queued;
        const end = () => {
          response.off('prefinish', end).off('close', end);
          this.#active -= 1;
          onDone();
        };
        // A reply that waits for a slow reader is memory of its connection alone, see `ConnectionLimit`.
        response.once('prefinish', end).once('close', end);
      }
      handle(queued);
    }
    if (this.length === 0) this.#startedAtMs = Number.NaN;
  }

  /**
   * Returns milliseconds until a rejected request may retry. Turns are one average interval apart,
   * so retries never pile up. A voter has one at a time: else a client that does not wait would
   * delay the turns of all others.
   */
  assignTurn(nowMs: number, voter: string | undefined): number {
    for (const [known, turnMs] of this.#turns) {
      if (turnMs > nowMs) break;
      this.#turns.delete(known);
    }
    const earliestMs = Math.max(this.#lastTurnMs, nowMs + this.#limits.maxWaitMs);
    const nextMs = earliestMs + Math.max(this.#intervalMs, MIN_INTERVAL_MS);
    const turnMs = this.#turns.get(voter ?? '') ?? nextMs;
    if (turnMs > nowMs + MAX_TURN_MS) return MAX_TURN_MS * (0.5 + Math.random() / 2);
    if (turnMs === nextMs) {
      this.#lastTurnMs = nextMs;
      if (voter !== undefined) this.#turns.set(voter, nextMs);
    }
    return turnMs - nowMs;
  }

  #measureInterval(nowMs: number): void {
    if (!Number.isNaN(this.#startedAtMs))
      this.#intervalMs += (nowMs - this.#startedAtMs - this.#intervalMs) / AVERAGED_REQUESTS;
    this.#startedAtMs = nowMs;
  }
}

/** Node.js buffers no more of a body until it is read. */
const MAX_BUFFERED_BYTES = 15_000;
const CHECK_INTERVAL_MS = 5;

/** Holds forms until their body has arrived, so that a slow sender occupies no place in the queue. */
class IncomingForms {
  readonly #onProgress: () => void;
  #fresh: QueuedRequest[] = [];
  readonly #incomplete = new Set<QueuedRequest>();
  #timer: NodeJS.Timeout | undefined;

  constructor(onProgress: () => void) {
    this.#onProgress = onProgress;
  }

  /** Large bodies, and those of unknown length, are only complete once they are read. */
  static canBuffer({ headers }: IncomingMessage): boolean {
    return Number(headers['content-length'] ?? 0) <= MAX_BUFFERED_BYTES && !('transfer-encoding' in headers);
  }

  add(form: QueuedRequest): void {
    this.#fresh.push(form);
    this.#onProgress();
  }

  takeComplete(): QueuedRequest[] {
    const complete = this.#fresh.filter(({ request }) => request.complete);
    for (const form of this.#fresh) if (!form.request.complete) this.#incomplete.add(form);
    this.#fresh = [];
    if (this.#incomplete.size > 0) this.#timer ??= setTimeout(() => this.#check(), CHECK_INTERVAL_MS);
    return complete;
  }

  #check(): void {
    this.#timer = undefined;
    for (const form of this.#incomplete) {
      const { complete, destroyed } = form.request;
      if (complete || destroyed) this.#incomplete.delete(form);
      if (complete) this.#fresh.push(form);
    }
    this.#onProgress();
  }
}
