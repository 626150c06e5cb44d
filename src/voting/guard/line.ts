import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request that nothing was done for yet. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Waits for something else than this server for most of its time, or never ends. */
  readonly isLasting: boolean;
}

interface Waiting extends Visit {
  readonly sinceMs: number;
}

export interface LineOptions {
  /** Visits that are begun and not answered yet, at a time. */
  readonly mostUnderWay: number;
  /** Visits that are begun in one turn of the event loop, so that everything else in this process has its turn, too. */
  readonly eachTurn: number;
  /** Where the first in line has waited for longer, the line is too long for one more. */
  readonly patienceMs: number;
}

/** The pace is the average of about so many visits. */
const PACED_VISITS = 64;
const FIRST_PACE_MS = 2;
/** Faster than any page is made: where visits begin and none is answered, the pace says nothing. */
const LEAST_PACE_MS = 0.25;

/** Visits of one kind, first come, first served. */
export class Line {
  readonly #options: LineOptions;
  #waiting: Waiting[] = [];
  /** Visits at the beginning that have left: moving the others up each time would cost more than the visit. */
  #left = 0;
  #underWay = 0;
  #paceMs = FIRST_PACE_MS;
  #begunAtMs = Number.NaN;
  #nextTurnMs = 0;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#waiting.length - this.#left;
  }

  get mayBegin(): boolean {
    return this.length > 0 && this.#underWay < this.#options.mostUnderWay;
  }

  get first(): Waiting | undefined {
    return this.#waiting[this.#left];
  }

  isTooLong(nowMs: number): boolean {
    return this.first !== undefined && nowMs - this.first.sinceMs > this.#options.patienceMs;
  }

  join(visit: Visit, nowMs: number): void {
    this.#waiting.push({ ...visit, sinceMs: nowMs });
  }

  /**
   * Begins what may be begun in this turn.
   *
   * @param onFree after a visit was answered, or has gone
   */
  begin(handle: (visit: Visit) => void, nowMs: number, onFree: () => void): void {
    for (let begun = 0; begun < this.#options.eachTurn && this.mayBegin; begun += 1) {
      const visit = this.leave();
      if (!visit || isGone(visit)) continue;
      this.#keepPace(nowMs);
      if (!visit.isLasting) this.#occupy(visit, onFree);
      handle(visit);
    }
    if (this.length === 0) this.#begunAtMs = Number.NaN;
  }

  /** Takes the first out of the line. */
  leave(): Visit | undefined {
    const visit = this.first;
    this.#left += 1;
    if (this.#left >= this.#waiting.length) {
      this.#waiting = [];
      this.#left = 0;
    } else if (this.#left > 1_000 && this.#left * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#left);
      this.#left = 0;
    }
    return visit;
  }

  /**
   * When somebody for whom there is no room should come again: each has a turn of their own, as far apart as visits are served,
   * so that those who come back are no rush of their own.
   *
   * @returns milliseconds from now
   */
  assignTurn(nowMs: number): number {
    const paceMs = Math.max(this.#paceMs, LEAST_PACE_MS);
    this.#nextTurnMs = Math.max(this.#nextTurnMs, nowMs + this.#options.patienceMs) + paceMs;
    return this.#nextTurnMs - nowMs;
  }

  #occupy({ response }: Visit, onFree: () => void): void {
    this.#underWay += 1;
    response.once('close', () => {
      this.#underWay -= 1;
      onFree();
    });
  }

  /** The average time from one visit's beginning to the next one's, while somebody waits. */
  #keepPace(nowMs: number): void {
    if (!Number.isNaN(this.#begunAtMs))
      this.#paceMs += (nowMs - this.#begunAtMs - this.#paceMs) / PACED_VISITS;
    this.#begunAtMs = nowMs;
  }
}

function isGone({ request }: Visit): boolean {
  return request.socket.destroyed;
}
