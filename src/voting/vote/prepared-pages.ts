import { LruMap } from '../../engine/lru-map.ts';
import type { Poll, Reading } from '../../poll/poll.ts';
import type { PreparedPage } from '../page/page.ts';

const MOST_PAGES = 2_000;
/** Some 6 KB for a poll of four answers, 60 KB for one of a hundred. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

interface Kept<Values> {
  readonly poll: Poll;
  readonly page: PreparedPage<Values>;
}

/** Pages of polls, each rendered once for all who come in the same situation while the poll is in the same state. */
export class PreparedPages<Values> {
  readonly #kept = new LruMap<string, Kept<Values>>({
    entries: MOST_PAGES,
    weight: MOST_CHARACTERS,
    weigh: ({ page }) => page.length,
  });

  /**
   * @param situation all that the page differs by, but for the poll's state and what is filled in later
   * @param prepare where it is not known yet
   */
  find(
    { poll, results }: Reading,
    situation: object,
    prepare: () => PreparedPage<Values>,
  ): PreparedPage<Values> {
    const { status, deadlineMs, resultsVisibility } = results;
    const key = JSON.stringify([poll.id, status, deadlineMs, resultsVisibility, situation]);
    const kept = this.#kept.get(key);
    // Engines hold on to what never changes of a poll. Where this is another object, it may be another poll.
    if (kept?.poll === poll) return kept.page;
    const page = prepare();
    this.#kept.set(key, { poll, page });
    return page;
  }
}
