import type { ChatPlatform } from './chat-platform.ts';
import type { AnswerId, PollId } from './poll.ts';

export interface Ballot {
  readonly pollId: PollId;
  /** One answer, or several if the poll allows it; none twice. A change without any withdraws the ballot. */
  readonly answers: readonly AnswerId[];
  /** For which it was cast. Absent means the first. */
  readonly round?: number | undefined;
  /** Opaque key of a cookie or an account, never a name. */
  readonly voter: string;
  /** Opaque keyed hash; an address itself is never stored. */
  readonly address: string;
  /** Chosen by the client and the same for each retry, which makes a retry safe. */
  readonly ballotId: string;
  /** Required if the poll asks for one, otherwise ignored. */
  readonly name?: string | undefined;
  /** A solved human check. Valid once: used up in the same step that counts the ballot. */
  readonly proof?: Proof | undefined;
  /** The front end has signed this voter in, and `voter` is a key of the account. Polls with `only_reg` require it. */
  readonly signedIn?: boolean | undefined;
  /** The front end knows the address as one of a VPN. Rejected unless the poll has `vpn`. */
  readonly behindVpn?: boolean | undefined;
  /** Keyed hash of the voter's network, of `A-Z a-z 0-9 - _`. Stored with the ballot. */
  readonly network?: string | undefined;
  /** The chat that it was written in; absent for the voting page. Stored and counted in place of a network. */
  readonly source?: ChatPlatform | undefined;
  /**
   * Replaces the ballot that this voter has cast, if the poll has `change_vote` or was corrected
   * after that ballot. Withdraws a ballot from chat in any poll, and replaces it once it is
   * withdrawn.
   */
  readonly change?: BallotChange | undefined;
}

/** Changes of one voter in one poll, withdrawals included. */
export const MAX_CHANGES = 20;

export interface BallotChange {
  /**
   * Id of the ballot to replace. The caller vouches that this voter cast it. Needed without
   * `change_vote`: only then does the engine not know which ballot a voter has cast.
   */
  readonly receipt?: string | undefined;
}

export interface Proof {
  readonly id: string;
  /** UNIX time in milliseconds until which a used proof must be remembered. */
  readonly expiresAtMs: number;
}

export const BALLOT_OUTCOMES = [
  /** Counted exactly once. */
  'accepted',
  /** This ballot id was accepted before; not counted again. */
  'repeated',
  'duplicate_voter',
  'duplicate_address',
  /** The ballot is of another round than the present one. */
  'round_over',
  'poll_closed',
  /** The poll is upcoming. */
  'poll_not_open',
  'poll_not_found',
  /** The poll has `only_reg`, and the ballot lacks `signedIn`. */
  'sign_in_required',
  /** The ballot has `behindVpn`, and the poll lacks `vpn`. */
  'vpn_rejected',
  'invalid_answers',
  'name_required',
  /** The human check was used for another ballot. */
  'proof_used',
  /** The poll takes no change of this voter's ballot, or the engine knows no such ballot. */
  'change_not_allowed',
  /** The voter has changed the ballot `MAX_CHANGES` times. */
  'too_many_changes',
] as const;
export type BallotOutcome = (typeof BALLOT_OUTCOMES)[number];

export interface BallotReceipt {
  readonly outcome: BallotOutcome;
  /** The poll's version after this ballot (`repeated`: after it was first accepted); 0 if nothing was counted. */
  readonly version: number;
}

/** Why ballots were not counted, as their creator sees it. `closed` includes polls that are not open yet. */
export const REJECTION_REASONS = [
  'same_network',
  'closed',
  'already_voted',
  'failed_check',
  'other',
] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];
export type RejectedBallots = Readonly<Record<RejectionReason, number>>;

/**
 * A ballot, with the id of the voter's first one. The answers are as the voter has last changed them; none if the
 * ballot is withdrawn.
 */
export interface StoredBallot extends Pick<Ballot, 'ballotId' | 'answers' | 'network' | 'source'> {
  readonly name: string | null;
  /** UNIX time in milliseconds, by the engine's clock. */
  readonly castAtMs: number;
  /** It does not count: see `VoidRule`. */
  readonly voided?: true | undefined;
}

/** A ballot of a verifiable poll, or a change of one, with its answers as they were accepted. */
export interface LoggedBallot extends Pick<StoredBallot, 'ballotId' | 'answers' | 'source' | 'voided'> {
  /** In the order of acceptance, from 1. */
  readonly sequence: number;
  /** Changes only: the sequence of the voter's first ballot, whose answers these replace. */
  readonly replaces?: number | undefined;
}

/** In the order of their sequence; undefined for missing ones. */
export type LoggedBallots = (LoggedBallot | undefined)[];

/** `voided` is that of the voter's first ballot. */
export interface FoundBallot extends LoggedBallot {
  /** The voter has changed it later. */
  readonly changed?: true | undefined;
}

/** What engines store of an accepted ballot, or of a change of one. */
export interface BallotRecord extends StoredBallot {
  readonly sequence?: number | undefined;
  /** In a change: as in `LoggedBallot`, 0 in polls that are not verifiable, where its answers are not kept. */
  readonly replaces?: number | undefined;
  /** In a changed ballot of a verifiable poll: its first answers, and the sequence of its last change. */
  readonly logged?: { readonly answers: readonly AnswerId[]; readonly last: number } | undefined;
}

/** @returns undefined for a change */
export function storedBallot(record: BallotRecord): StoredBallot | undefined {
  const { sequence: _, replaces, logged: __, ...ballot } = record;
  return replaces === undefined ? ballot : undefined;
}

/** @returns undefined unless the poll is verifiable */
export function loggedBallot(record: BallotRecord): LoggedBallot | undefined {
  const { ballotId, sequence, answers, source, voided, replaces, logged } = record;
  if (sequence === undefined) return undefined;
  return { ballotId, sequence, answers: logged?.answers ?? answers, source, voided, replaces };
}

/** @param first the ballot that a change replaces, or the same one */
export function foundBallot(record: BallotRecord, first: BallotRecord): FoundBallot | undefined {
  const entry = loggedBallot(record);
  const isChanged = first.logged !== undefined && first.logged.last !== record.sequence;
  return entry && { ...entry, voided: first.voided, changed: isChanged || undefined };
}
