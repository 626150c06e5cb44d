import type { FastifyInstance } from 'fastify';
import { LruMap } from '../../engine/lru-map.ts';
import type { PollStatus, Reading } from '../../poll/poll.ts';
import type { KnownPolls } from '../guard/known-polls.ts';
import { POLL_PATH, type PollParams } from '../guard/requested-poll.ts';
import { pollState } from '../page/public-poll-state.ts';
import type { StateMessage } from '../page/state-message.ts';

/** Read from the engine once in this time, however many ask; proxies may keep it as long. */
const MAX_AGE_MS = 1_000;
const KNOWN_POLLS = 1_000;
/** An audience that waits for the beginning wants to hear of it soon; who may vote is told by the server itself that it is over. */
const AGAIN_MS: Readonly<Record<PollStatus, number>> = { upcoming: 3_000, open: 15_000, closed: 30_000 };
const LONGEST_AGAIN_MS = 120_000;
/** Where more ask a second, and no proxy answers for this server, they are told to ask less often. A tenth of one core. */
const MOST_A_SECOND = 1_000;

/**
 * Tells open pages how their poll stands. They hold no connection for it, as each would be a socket of a relay; a hundred thousand
 * of them cost a front end behind a caching proxy one answer a second.
 */
export function addPollState(server: FastifyInstance, polls: KnownPolls, clock: () => number): void {
  const answers = new LruMap<string, { readonly json: Promise<string>; readonly atMs: number }>({
    entries: KNOWN_POLLS,
  });
  const pace = new AskingPace();

  function answer(id: string, nowMs: number): Promise<string> {
    const known = answers.get(id);
    if (known && nowMs - known.atMs < MAX_AGE_MS) return known.json;
    const json = polls.read(id).then(reading => JSON.stringify(stateOf(reading, pace.stretch)));
    answers.set(id, { json, atMs: nowMs });
    json.catch(() => answers.delete(id));
    return json;
  }

  // Not limited by address: a hall of ten thousand open pages is one. A rush is bent before it comes here.
  server.get<PollParams>(`${POLL_PATH}/state`, async (request, reply) => {
    const nowMs = clock();
    pace.count(nowMs);
    const json = await answer(request.params.id, nowMs);
    return reply
      .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'public, max-age=1' })
      .send(json);
  });
}

function stateOf({ results }: Reading, stretch: number): StateMessage {
  return {
    ...pollState(results),
    nowMs: results.readAtMs,
    againMs: Math.min(LONGEST_AGAIN_MS, Math.round(AGAIN_MS[results.status] * stretch)),
  };
}

/** How many times longer than usual pages are to wait, so that all together ask no more often than one server can answer. */
class AskingPace {
  stretch = 1;
  #count = 0;
  #sinceMs = 0;

  count(nowMs: number): void {
    this.#count += 1;
    const ms = nowMs - this.#sinceMs;
    if (ms < 1_000) return;
    // Those who ask now were told to wait by the stretch so far: so many there are.
    const asked = (this.#count * 1_000) / ms;
    this.stretch = Math.max(1, (this.stretch * asked) / MOST_A_SECOND);
    this.#count = 0;
    this.#sinceMs = nowMs;
  }
}
