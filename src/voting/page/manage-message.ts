/** What the creator's page is told while it is open. */
export interface ManageMessage {
  readonly votes: readonly { readonly id: string; readonly votes: number }[];
  readonly voters: number;
  readonly status: 'open' | 'closed';
  /** UNIX time in milliseconds. */
  readonly deadlineMs: number | null;
}
