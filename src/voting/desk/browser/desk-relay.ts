import { ServerClock } from '../../../client/server-clock.ts';
import type { PollStatus, ResultsVisibility } from '../../../poll/poll.ts';

/** The relay's word on a show, to whoever has its key. */
export interface ShowBody {
  readonly name: string;
  readonly title: string;
  readonly on_air: string | null;
  /** The poll of the run-down that is on air, or was last: where `next` goes on. */
  readonly place: string | null;
  readonly rundown: readonly string[];
  /** Those of the run-down that the show owns. */
  readonly own: readonly string[];
  /** Grows with every change of the show. */
  readonly version: number;
  /** How many watch; where the relay was asked, and not in what it tells by itself. */
  readonly screens?: number;
  /** UNIX time in seconds by the relay's clock; where it was asked, as `screens`. */
  readonly now?: number;
}

export interface PollBody {
  readonly id: string;
  readonly status: PollStatus;
  readonly results_visibility: ResultsVisibility;
  readonly deadline: string | null;
  readonly closes_in?: number | undefined;
}

/** Nothing was done. */
export interface Refused {
  readonly kind: 'refused';
  /** The relay's error code. */
  readonly code: string;
  /** The member of the body that is at fault, such as `show.name`; empty where it is none. */
  readonly path: string;
  readonly retryAfterS: number;
}

export type Answer<Body> =
  | { readonly kind: 'done'; readonly body: Body }
  | Refused
  /** Nobody knows whether it was done: no answer came, or one that says nothing of it. */
  | { readonly kind: 'lost'; readonly isEngine: boolean };

/** A press that takes longer is looked into: whoever pressed it wants to know now. */
const PATIENCE_MS = 4_000;
/** What a relay begins at the last moment is answered while somebody still waits for it. */
const WANTED_MS = PATIENCE_MS - 500;

export interface Question {
  /** Else it only reads. */
  readonly method?: 'POST' | 'PATCH' | 'DELETE';
  readonly key?: string | undefined;
  readonly body?: unknown;
  /** Of a request that may be sent again: what it makes is made once. */
  readonly once?: string | undefined;
  /** UNIX time in seconds by the relay's clock: later than that nothing is done. */
  readonly expires?: number | undefined;
}

/** Asks the relay once. Never rejects, and never tries again by itself: what is late is not carried out late. */
export async function ask<Body>(
  url: string,
  { method, key, body, once, expires }: Question,
): Promise<Answer<Body>> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PATIENCE_MS);
  try {
    const reply = await fetch(url, {
      method: method ?? 'GET',
      headers: {
        ...(key && { 'x-api-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(once && { 'idempotency-key': once }),
        ...(expires !== undefined && { 'request-expires': expires.toFixed(3) }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      signal: patience.signal,
    });
    const json = await reply.json();
    if (reply.ok) return { kind: 'done', body: json };
    const { code, issues } = json.error;
    if (reply.status >= 500) return { kind: 'lost', isEngine: code === 'engine_unavailable' };
    const path = issues?.[0]?.path ?? '';
    return { kind: 'refused', code, path, retryAfterS: Number(reply.headers.get('retry-after')) };
  } catch {
    return { kind: 'lost', isEngine: false };
  } finally {
    clearTimeout(timer);
  }
}

/** One show at one relay, with one key. */
export class DeskRelay {
  readonly relay: string;
  readonly name: string;
  key: string;
  #clock: ServerClock | undefined;

  constructor(relay: string, name: string, key: string) {
    this.relay = relay;
    this.name = name;
    this.key = key;
  }

  /**
   * By a watch that nobody sets: this machine's clock may be, in the middle of a show.
   *
   * @param seconds UNIX time by the relay
   */
  hearClock(seconds: number): void {
    this.#clock ??= new ServerClock();
    this.#clock.observe(seconds * 1_000, performance.now());
  }

  /** @param path below the show, such as `/poll`; empty is the show itself */
  askShow<Body = ShowBody>(path: string, question: Question = {}): Promise<Answer<Body>> {
    return ask<Body>(
      `${this.relay}/api/show/${encodeURIComponent(this.name)}${path}`,
      this.#signed(question),
    );
  }

  askPoll(id: string, question: Question = {}): Promise<Answer<PollBody>> {
    return ask<PollBody>(`${this.relay}/api/poll/${id}`, this.#signed(question));
  }

  /** A relay that has not told its clock judges by none. */
  #signed(question: Question): Question {
    const { key } = this;
    if (!this.#clock || !question.method) return { key, ...question };
    return { key, ...question, expires: (this.#clock.now(performance.now()) + WANTED_MS) / 1_000 };
  }
}
