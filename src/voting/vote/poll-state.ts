import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { PollStatus } from '../../poll/poll.ts';
import { type KnownPolls, POLL_PATH, type PollParams } from '../guard/known-polls.ts';
import { pollState, type StateMessage } from '../page/messages.ts';

/** Replies are cached for this long, here and in proxies. */
const MAX_AGE_MS = 1_000;
const CACHED_POLLS = 1_000;
/** An audience that waits for a poll to open should see it soon. After the close only a reopening changes anything. */
const AGAIN_MS: Readonly<Record<PollStatus, number>> = { upcoming: 3_000, open: 15_000, closed: 30_000 };
const MAX_AGAIN_MS = 120_000;
/** About a tenth of one core. Above it, pages poll less often. */
const MAX_REQUESTS_PER_SECOND = 1_000;

interface PollStateDependencies {
  readonly polls: KnownPolls;
  readonly clock: () => number;
}

/** Adds the state of a poll for open pages that show no results. Pages request it now and then, without a connection. */
export async function pollStateRoute(
  server: FastifyInstance,
  { polls, clock }: PollStateDependencies,
): Promise<void> {
  const cache = new LRUCache<string, { readonly json: Promise<string>; readonly atMs: number }>({
    max: CACHED_POLLS,
  });
  const pace = new RequestPace();

  async function readState(id: string): Promise<string> {
    const { results } = await polls.read(id);
    const againMs = Math.min(MAX_AGAIN_MS, Math.round(AGAIN_MS[results.status] * pace.stretch));
    return JSON.stringify({ ...pollState(results), nowMs: results.readAtMs, againMs } satisfies StateMessage);
  }

  function cachedState(id: string, nowMs: number): Promise<string> {
    const cached = cache.get(id);
    if (cached && nowMs - cached.atMs < MAX_AGE_MS) return cached.json;
    const json = readState(id);
    cache.set(id, { json, atMs: nowMs });
    json.catch(() => cache.delete(id));
    return json;
  }

  // Without a rate limit: a hall of ten thousand open pages is one address.
  server.get<PollParams>(`${POLL_PATH}/state`, async (request, reply) => {
    const nowMs = clock();
    pace.count(nowMs);
    const json = await cachedState(request.params.id, nowMs);
    return reply
      .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'public, max-age=1' })
      .send(json);
  });
}

/** By how much pages must stretch their interval, so that all together stay below what one server can answer. */
class RequestPace {
  stretch = 1;
  #count = 0;
  #sinceMs = 0;

  count(nowMs: number): void {
    this.#count += 1;
    const ms = nowMs - this.#sinceMs;
    if (ms < 1_000) return;
    // The measured rate is already reduced by the current stretch.
    const perSecond = (this.#count * 1_000) / ms;
    this.stretch = Math.max(1, (this.stretch * perSecond) / MAX_REQUESTS_PER_SECOND);
    this.#count = 0;
    this.#sinceMs = nowMs;
  }
}
