import type { ResultsMessage, WatchState } from '../client/watch-state.ts';
import { definePollResults, type PollResultsElement } from '../overlay/widget/poll-results-element.ts';

/**
 * Importing this is what makes `<poll-results>` known to the page. A server that renders pages may import it, too: there it
 * does nothing.
 */

export { PollResultsElement } from '../overlay/widget/poll-results-element.ts';
export type { PollResultsAttributes } from '../overlay/widget/widget-attributes.ts';

definePollResults();

declare global {
  interface HTMLElementTagNameMap {
    'poll-results': PollResultsElement;
  }

  interface HTMLElementEventMap {
    /** The newest results of a widget; it bubbles. */
    'poll-results': CustomEvent<ResultsMessage>;
    /** What is known about them; it bubbles. */
    'poll-state': CustomEvent<WatchState>;
  }
}
