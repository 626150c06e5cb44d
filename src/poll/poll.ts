/** Words of the domain. One word per idea: see PROTOCOL.md for what travels on the wire. */

export type PollId = string;
export type AnswerId = string;
/** Upcoming: prepared, to be read and watched, and takes no ballot until its creator opens it. */
export type PollStatus = 'upcoming' | 'open' | 'closed';
export type ResultsVisibility = 'always' | 'after_deadline' | 'hidden';

export interface Answer {
  readonly id: AnswerId;
  readonly text: string;
}

/** Switches of a poll. On the wire and in stored data they have the names in `stored-poll.ts`. */
export interface PollSettings {
  readonly isPrivate: boolean;
  readonly allowComments: boolean;
  /** A ballot may carry several answers. */
  readonly allowMultiple: boolean;
  /** Several ballots from one address are allowed. */
  readonly sharedAddress: boolean;
  /** A voter must give a name. */
  readonly requireName: boolean;
  /** Only signed-in voters. */
  readonly requireSignIn: boolean;
  /** Voters behind a VPN are allowed. */
  readonly allowVpn: boolean;
  readonly hasImage: boolean;
}

/** What the creator fixed. Never changes for the life of the poll, so it may be cached without limit of time. */
export interface Poll {
  readonly id: PollId;
  readonly title: string;
  readonly description: string;
  readonly answers: readonly Answer[];
  readonly settings: PollSettings;
  /** Absolute https URL; never fetched by a server. */
  readonly image: string | null;
  /** UNIX time in milliseconds: a deadline that came with `has_deadline` off. Closes nothing. */
  readonly inactiveDeadlineMs?: number | null | undefined;
  /** UNIX time in milliseconds, by the engine's clock. */
  readonly createdAtMs: number;
  /** Without a ballot the poll is kept so many milliseconds; left out, as long as any other. */
  readonly emptyRetentionMs?: number | undefined;
  /** The simulated poll: nobody voted, and nothing is stored. */
  readonly rehearsal?: true | undefined;
  /** The show that it was created in. */
  readonly show?: PollOwner | undefined;
}

/** Until when a poll without a ballot is kept, UNIX time in milliseconds; null where that makes no difference. */
export function emptyUntilMs(
  { createdAtMs, emptyRetentionMs }: Partial<Pick<Poll, 'createdAtMs' | 'emptyRetentionMs'>>,
  deadlineMs: number | null,
): number | null {
  if (!emptyRetentionMs || createdAtMs === undefined) return null;
  return Math.max(createdAtMs, deadlineMs ?? 0) + emptyRetentionMs;
}

/** A show that owns polls. A name may be given back and taken by somebody else, and an id may not. */
export interface PollOwner {
  readonly name: string;
  readonly id: string;
}

/** The counts and the state of a poll at one version: one consistent moment, by the engine's clock. */
export interface Results {
  /** Grows with every accepted ballot and every change of the poll's state. */
  readonly version: number;
  /** Counts in the order of `poll.answers`. */
  readonly votes: readonly number[];
  /** Ballots, not votes: a ballot may carry several answers. */
  readonly totalVoters: number;
  readonly status: PollStatus;
  /** UNIX time in milliseconds; null where no deadline is active. */
  readonly deadlineMs: number | null;
  /** The deadline of a poll that has not been opened yet: milliseconds after its opening. `deadlineMs` is null until then. */
  readonly closesInMs?: number | undefined;
  readonly resultsVisibility: ResultsVisibility;
  /** UNIX time in milliseconds at which the engine read this. */
  readonly readAtMs: number;
}

/** SHA-256 digests (hex) of the keys that belong to a poll. */
export interface PollKeys {
  readonly adminKeyHash: string;
  readonly viewKeyHash: string;
  /** Of the show that owns the poll: its record tells it, and no read of the poll. */
  readonly showKeyHash?: string | undefined;
}

/** All that an engine needs to open a poll. */
export interface NewPoll {
  readonly poll: Poll;
  readonly keys: PollKeys;
  /** UNIX time in milliseconds, by the engine's clock; null where no deadline is active. */
  readonly deadlineMs: number | null;
  /** In place of a deadline: milliseconds after the opening of an upcoming poll. */
  readonly closesInMs?: number | undefined;
  readonly resultsVisibility: ResultsVisibility;
  /** Takes no ballot until it is opened. */
  readonly upcoming?: boolean | undefined;
}

/** Everything one read of a poll gives. */
export interface Reading {
  readonly poll: Poll;
  readonly results: Results;
  readonly keys: PollKeys;
  /** UNIX time in milliseconds, by the engine's clock, of the newest ballot that was hinted at; 0 where there is none. For measuring alone. */
  readonly hintedAtMs: number;
}

/** Whether somebody without a key may see the counts at the moment of the read. */
export function areResultsPublic(results: Results): boolean {
  if (results.resultsVisibility === 'always') return true;
  if (results.resultsVisibility === 'hidden') return false;
  return results.deadlineMs !== null && results.readAtMs >= results.deadlineMs;
}

/**
 * Whether two readings of a poll hold the same, so that they differ in the time of reading at most. One version has one
 * state, unless the engine lost some and counted or changed as much since: hence all the rest.
 */
export function areSameResults(a: Results, b: Results): boolean {
  return (
    a.version === b.version &&
    a.totalVoters === b.totalVoters &&
    a.status === b.status &&
    a.deadlineMs === b.deadlineMs &&
    a.closesInMs === b.closesInMs &&
    a.resultsVisibility === b.resultsVisibility &&
    a.votes.length === b.votes.length &&
    a.votes.every((votes, index) => votes === b.votes[index])
  );
}

export function countVotes(results: Results): number {
  let total = 0;
  for (const votes of results.votes) total += votes;
  return total;
}
