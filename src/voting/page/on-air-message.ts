import type { PollId } from '../../poll/poll.ts';
import type { PollState } from './state-message.ts';

/** What the open page of a show is told. */
export interface OnAirMessage {
  /** Null where nothing is on air. */
  readonly onAir: PollId | null;
  /** Over how many milliseconds pages are to spread their coming for the next vote. */
  readonly spreadMs: number;
  /** Milliseconds to wait before asking again; the answer to that may be held until something changes. */
  readonly againMs: number;
  /** How the poll on air stands, where it was read. */
  readonly poll?: PublicPollState;
}

export interface PublicPollState {
  /** Differs whenever the state does. A page that sends it hears when another one holds. */
  readonly mark: string;
  /** Null where the poll was deleted. */
  readonly state: PollState | null;
}
