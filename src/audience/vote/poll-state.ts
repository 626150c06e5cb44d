import type { FastifyInstance } from 'fastify';
import { callerAddress } from '../../http/caller.ts';
import { POLL_PATH, type PollParams } from '../../pages/guard/known-polls.ts';
import {
  INTERVAL_HEADER,
  pollState,
  STATE_INTERVAL_MS,
  type StateMessage,
} from '../../pages/page/messages.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import type { PollStatus } from '../../poll/poll.ts';

/**
 * Adds the state of a poll for open pages that show no results. Pages request it now and then,
 * without a connection.
 */
export async function pollStateRoute(
  server: FastifyInstance,
  { polls, viewers, clock }: PageDependencies,
): Promise<void> {
  const pages = new WaitingPages();

  // Without a rate limit: a hall of ten thousand open pages is one address.
  const config = { allowance: 'none' } as const;
  server.get<PollParams>(`${POLL_PATH}/state`, { config }, async (request, reply) => {
    const { results } = await polls.read(request.params.id);
    const name = (await viewers.find(request))?.voter ?? callerAddress(request);
    const saidMs = Math.min(Number(request.headers[INTERVAL_HEADER]) || 0, MAX_AGAIN_MS);
    const againMs = pages.add(name, { status: results.status, nowMs: clock(), saidMs });
    const state: StateMessage = { ...pollState(results), nowMs: results.readAtMs, againMs };
    return reply.header('cache-control', 'public, max-age=1').send(state);
  });
}

/** Pages wait for up to 1.25 intervals: none learns of an opening later than after 40 s. */
const MAX_AGAIN_MS = 32_000;
/** The accuracy of intervals, so that they stay the same while a few pages come and go. */
const STEP_MS = 500;
/** About a fifth of one core. Above it, pages poll less often. */
const MAX_REQUESTS_PER_SECOND = 2_500;
/** With more, the interval is the longest in any case, so further ones are not counted. */
const MAX_PAGES = (MAX_REQUESTS_PER_SECOND * MAX_AGAIN_MS) / 1_000;
/** Pages spread their requests between 0.75 and 1.25 intervals, and replies take a while. */
const EARLIEST = 0.5;
const LATEST = 1.35;
const REVIEW_MS = 1_000;

interface WaitingPage {
  readonly status: PollStatus;
  readonly nowMs: number;
  /** The interval that the page was given before, by this process or another. */
  readonly saidMs: number;
}

/**
 * The interval of open pages, which follows from their number. A page is counted once it has come
 * back after its interval: so requests that no interval can slow down slow no page down either.
 */
export class WaitingPages {
  readonly #pages = new Map<
    string,
    WaitingPage & { readonly againMs: number; readonly isCounted: boolean }
  >();
  #startedAtMs: number | undefined;
  #reviewedAtMs = 0;
  #slowestMs = 0;

  /**
   * @param name the voter cookie, or the address for all requests without one
   * @returns milliseconds until the next request of this page
   */
  add(name: string, page: WaitingPage): number {
    const { status, nowMs } = page;
    this.#startedAtMs ??= nowMs;
    if (Math.abs(nowMs - this.#reviewedAtMs) >= REVIEW_MS) this.#review(nowMs, this.#startedAtMs);
    const againMs = Math.max(STATE_INTERVAL_MS[status], this.#slowestMs);
    const known = this.#pages.get(name);
    // A page that has waited for longer than this process runs was given its interval before.
    const isCounted = known
      ? nowMs - known.nowMs >= EARLIEST * known.againMs
      : page.saidMs > nowMs - this.#startedAtMs;
    // Only a new page stands for others.
    const saidMs = known ? 0 : page.saidMs;
    if (known || this.#pages.size < MAX_PAGES)
      this.#pages.set(name, { status, nowMs, saidMs, againMs, isCounted });
    return againMs;
  }

  #review(nowMs: number, startedAtMs: number): void {
    const counts = { upcoming: 0, open: 0, closed: 0 };
    const uptimeMs = Math.max(REVIEW_MS, nowMs - startedAtMs);
    for (const [name, { status, nowMs: askedAtMs, saidMs, againMs, isCounted }] of this.#pages) {
      if (Math.abs(nowMs - askedAtMs) > LATEST * againMs) this.#pages.delete(name);
      // After a start, the pages that were given a longer interval before stand for those that have not come back yet.
      else if (isCounted) counts[status] += Math.max(1, saidMs / uptimeMs);
    }
    this.#slowestMs = slowestFor(counts);
    this.#reviewedAtMs = nowMs;
  }
}

/**
 * Returns the shortest interval at which so many pages stay below the limit, if it is longer than
 * that of their polls.
 */
function slowestFor(counts: Readonly<Record<PollStatus, number>>): number {
  const statuses = Object.keys(counts) as PollStatus[];
  const perSecond = (intervalMs: number) =>
    statuses.reduce(
      (sum, one) => sum + (1_000 * counts[one]) / Math.max(STATE_INTERVAL_MS[one], intervalMs),
      0,
    );
  let intervalMs = STATE_INTERVAL_MS.upcoming;
  while (intervalMs < MAX_AGAIN_MS && perSecond(intervalMs) > MAX_REQUESTS_PER_SECOND) intervalMs += STEP_MS;
  return intervalMs;
}
