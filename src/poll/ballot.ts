import type { AnswerId, PollId } from './poll.ts';

/** What one voter hands in. */
export interface Ballot {
  readonly pollId: PollId;
  /** One answer, or several where the poll allows it; none twice. */
  readonly answers: readonly AnswerId[];
  /** Opaque key of the voter: a cookie's or an account's, never a name. */
  readonly voter: string;
  /** Opaque keyed hash of the address; an address itself is never stored. */
  readonly address: string;
  /** Chosen by the voter's side, the same for each retry: what makes a retry safe. */
  readonly ballotId: string;
  /** Required where the poll asks for one, otherwise ignored. */
  readonly name?: string | undefined;
  /** A solved human check, good once: taken in the same step as the ballot. */
  readonly proof?: Proof | undefined;
  /** Keyed hash of the voter's network, of `A-Z a-z 0-9 - _`. Stored with the ballot. */
  readonly network?: string | undefined;
}

export interface Proof {
  readonly id: string;
  /** UNIX time in milliseconds after which the proof is worthless and need not be remembered. */
  readonly expiresAtMs: number;
}

export type BallotOutcome =
  /** Counted exactly once. */
  | 'accepted'
  /** This ballot id was accepted before; nothing counted now. */
  | 'repeated'
  | 'duplicate_voter'
  | 'duplicate_address'
  | 'poll_closed'
  /** The poll is upcoming. */
  | 'poll_not_open'
  | 'poll_not_found'
  | 'invalid_answers'
  | 'name_required'
  /** The human check was used for another ballot. */
  | 'proof_used';

export interface BallotReceipt {
  readonly outcome: BallotOutcome;
  /** The poll's version after this ballot (for `repeated`: after the first acceptance); 0 where nothing was counted. */
  readonly version: number;
}

/** A ballot as the engine holds it. */
export interface StoredBallot {
  readonly ballotId: string;
  readonly answers: readonly AnswerId[];
  readonly name: string | null;
  /** UNIX time in milliseconds, by the engine's clock. */
  readonly castAtMs: number;
  readonly network?: string | undefined;
}
