import type { ChatPlatform } from './chat-platform.ts';
import type { AnswerId, PollId } from './poll.ts';

// biome-ignore lint/performance/noBarrelFile: until all import it from there
export { CHAT_PLATFORMS, type ChatPlatform } from './chat-platform.ts';

export interface Ballot {
  readonly pollId: PollId;
  /** One answer, or several if the poll allows it; none twice. */
  readonly answers: readonly AnswerId[];
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
}

export interface Proof {
  readonly id: string;
  /** UNIX time in milliseconds until which a used proof must be remembered. */
  readonly expiresAtMs: number;
}

export type BallotOutcome =
  /** Counted exactly once. */
  | 'accepted'
  /** This ballot id was accepted before; not counted again. */
  | 'repeated'
  | 'duplicate_voter'
  | 'duplicate_address'
  | 'poll_closed'
  /** The poll is upcoming. */
  | 'poll_not_open'
  | 'poll_not_found'
  /** The poll has `only_reg`, and the ballot lacks `signedIn`. */
  | 'sign_in_required'
  /** The ballot has `behindVpn`, and the poll lacks `vpn`. */
  | 'vpn_rejected'
  | 'invalid_answers'
  | 'name_required'
  /** The human check was used for another ballot. */
  | 'proof_used';

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

export interface StoredBallot {
  readonly ballotId: string;
  readonly answers: readonly AnswerId[];
  readonly name: string | null;
  /** UNIX time in milliseconds, by the engine's clock. */
  readonly castAtMs: number;
  readonly network?: string | undefined;
  readonly source?: ChatPlatform | undefined;
  /** It does not count: see `VoidRule`. */
  readonly voided?: true | undefined;
}

/** A ballot of a verifiable poll. */
export interface LoggedBallot extends Pick<StoredBallot, 'ballotId' | 'answers' | 'source' | 'voided'> {
  /** In the order of acceptance, from 1. */
  readonly sequence: number;
}
