import type { ResultsMessage, WatchState } from '../client/watch-state.ts';
import { definePollResults, type PollResultsElement } from '../overlay/widget/poll-results-element.ts';

/** Registers `<poll-results>` when imported. On a server it does nothing. */

export { PollResultsElement } from '../overlay/widget/poll-results-element.ts';
export type { PollResultsAttributes } from '../overlay/widget/widget-attributes.ts';

definePollResults();

declare global {
  interface HTMLElementTagNameMap {
    'poll-results': PollResultsElement;
  }

  interface HTMLElementEventMap {
    /** The newest results of a widget. Bubbles. */
    'poll-results': CustomEvent<ResultsMessage>;
    /** The state of the results. Bubbles. */
    'poll-state': CustomEvent<WatchState>;
  }
}
