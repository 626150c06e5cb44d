import type { Ballot, BallotOutcome, BallotReceipt } from '../../poll/ballot.ts';
import type { PollId } from '../../poll/poll.ts';
import { NOT_WRITTEN, type PollError } from '../../poll/poll-error.ts';
import { canBePacked, packBallots, type UnpackedBallot } from './packed-ballots.ts';
import type { CastReply, CommandClient } from './redis-commands.ts';
import { engineUnavailable } from './redis-failure.ts';

/** Redis does nothing else while it casts a group: this many take it less than a millisecond. The script takes no more. */
const MAX_GROUP = 100;
/** Of an answer; one with other characters is in no poll. */
const ANSWER = /^[\w-]+$/;
/** In place of answers that are none. */
const NO_ANSWERS = '';

export interface BallotGroup {
  readonly pollId: PollId;
  readonly ballots: UnpackedBallot[];
  readonly voters: WaitingVoter[];
}

/** What the script is called with about a poll, before the ballots. */
export type CastArguments = (id: PollId) => readonly string[];

export interface WaitingVoter {
  readonly resolve: (receipt: BallotReceipt) => void;
  readonly reject: (cause: PollError) => void;
}

/**
 * Ballots that wait to be cast, in groups of one poll each. A group costs one call of the script, and what a call costs
 * is most of what a ballot costs: on a hot poll Redis takes three times as many in groups as one by one.
 */
export class GatheredBallots {
  readonly #client: CommandClient;
  readonly #argsOf: CastArguments;
  readonly #open = new Map<PollId, BallotGroup>();
  #full: BallotGroup[] = [];

  constructor(client: CommandClient, argsOf: CastArguments) {
    this.#client = client;
    this.#argsOf = argsOf;
  }

  /**
   * Rejects with `PollError('engine_unavailable')` where the group that the ballot is in could not be cast.
   *
   * @throws RangeError where the name is longer than 64 KB
   */
  add({ pollId, ballotId, voter, address, name, proof, answers }: Ballot): Promise<BallotReceipt> {
    // Before the ballot joins a group: what is none must not have Redis refuse all that are cast together with it.
    const ballot: UnpackedBallot = {
      ballotId: asText(ballotId),
      voter: asText(voter),
      address: asText(address),
      proof: asText(proof?.id ?? ''),
      answers: joined(answers),
      name: asText(name ?? '').trim(),
    };
    if (!canBePacked(ballot.name)) throw new RangeError('The name of a ballot is too long');
    const group = this.#groupOf(pollId);
    group.ballots.push(ballot);
    if (group.ballots.length === MAX_GROUP) {
      this.#full.push(group);
      this.#open.delete(pollId);
    }
    return new Promise((resolve, reject) => group.voters.push({ resolve, reject }));
  }

  /** A group that nothing more can be added to. */
  takeFull(): BallotGroup | undefined {
    return this.#full.shift();
  }

  /** The groups so far, which are not added to any more. */
  takeAll(): BallotGroup[] {
    const groups = [...this.#full, ...this.#open.values()];
    this.#full = [];
    this.#open.clear();
    return groups;
  }

  /** @returns undefined where the group failed and every voter in it was told so */
  async cast({ pollId, ballots, voters }: BallotGroup): Promise<CastReply | undefined> {
    try {
      return await this.#client.castBallots(...this.#argsOf(pollId), ...packBallots(ballots));
    } catch (cause) {
      const failure = engineUnavailable(cause, NOT_WRITTEN);
      for (const { reject } of voters) reject(failure);
      return undefined;
    }
  }

  #groupOf(pollId: PollId): BallotGroup {
    const open = this.#open.get(pollId);
    if (open) return open;
    const group = { pollId, ballots: [], voters: [] };
    this.#open.set(pollId, group);
    return group;
  }
}

const REPEATED = 'repeated ';

/** What the script answered to one ballot of a group. */
export function receiptAt(reply: CastReply, index: number): BallotReceipt {
  const item = reply[index]!;
  if (typeof item === 'number') return { outcome: 'accepted', version: item };
  if (item.startsWith(REPEATED)) return { outcome: 'repeated', version: Number(item.slice(REPEATED.length)) };
  return { outcome: item as BallotOutcome, version: 0 };
}

/** Half a surrogate pair has no UTF-8. */
function asText(value: string): string {
  return `${value}`.toWellFormed();
}

function joined(answers: readonly string[]): string {
  const [first] = answers;
  if (answers.length === 1 && first !== undefined && ANSWER.test(first)) return first;
  const text = answers.join(',');
  return answers.every(answer => ANSWER.test(answer)) && canBePacked(text) ? text : NO_ANSWERS;
}
