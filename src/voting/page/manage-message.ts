import type { PollStatus } from '../../poll/poll.ts';

/** What the creator's page is told while it is open. */
export interface ManageMessage {
  readonly votes: readonly { readonly id: string; readonly votes: number }[];
  readonly voters: number;
  readonly status: PollStatus;
  /** UNIX time in milliseconds. */
  readonly deadlineMs: number | null;
}

/** How the creator's page says it, when it is written and while it is open. */
export const STATUS_WORDS: Record<PollStatus, string> = {
  upcoming: 'Not begun',
  open: 'Open',
  closed: 'Closed',
};
