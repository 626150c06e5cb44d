import type { PollStatus, ResultsVisibility } from '../../poll/poll.ts';

/** What the creator's page is told while it is open. */
export type ManageMessage = ManageState | { readonly screens: number };

export interface ManageState {
  readonly votes: readonly { readonly id: string; readonly votes: number }[];
  readonly voters: number;
  readonly status: PollStatus;
  readonly resultsVisibility: ResultsVisibility;
  /** UNIX time in milliseconds. */
  readonly deadlineMs: number | null;
  /** The same, when this was true, by the engine's clock. */
  readonly nowMs: number;
}

/** How the creator's page says it, when it is written and while it is open. */
export const STATUS_WORDS: Record<PollStatus, string> = {
  upcoming: 'Not begun',
  open: 'Open',
  closed: 'Closed',
};

const COUNT = new Intl.NumberFormat('en');

/** What a press reaches. */
export function screensWord(screens: number): string {
  if (screens === 0) return 'No screen watches now.';
  return screens === 1
    ? '1 screen watches and changes at once.'
    : `${COUNT.format(screens)} screens watch and change at once.`;
}
