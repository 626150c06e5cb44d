import type { Ballot, BallotReceipt } from '../../poll/ballot.ts';
import type { PollId } from '../../poll/poll.ts';
import type { PollError } from '../../poll/poll-error.ts';
import type { CastReply, CommandClient } from './redis-commands.ts';
import { engineUnavailable } from './redis-failure.ts';

/** Redis does nothing else while it casts a group: this many take it about a millisecond. The script takes no more. */
const MAX_GROUP = 100;
/** More than any poll has: whoever sends more is refused all the same, and need not be sent in full. */
const MAX_ANSWERS = 101;

export interface BallotGroup {
  /** All that the script is called with. */
  readonly args: string[];
  readonly voters: WaitingVoter[];
}

export interface WaitingVoter {
  readonly resolve: (receipt: BallotReceipt) => void;
  readonly reject: (cause: PollError) => void;
}

/**
 * Ballots that wait to be cast, in groups of one poll each. A group costs one call of the script, and what a call costs
 * is most of what a ballot costs: on a hot poll Redis takes two and a half times as many in groups as one by one.
 */
export class GatheredBallots {
  readonly #argsOf: (id: PollId) => string[];
  readonly #open = new Map<PollId, BallotGroup>();
  #groups: BallotGroup[] = [];

  /** @param argsOf what stands before the ballots in a call about this poll, in a new list each time */
  constructor(argsOf: (id: PollId) => string[]) {
    this.#argsOf = argsOf;
  }

  /** Rejects with `PollError('engine_unavailable')` where the group that the ballot is in could not be cast. */
  add({ pollId, ballotId, voter, address, name, proof, answers }: Ballot): Promise<BallotReceipt> {
    // Texts, whatever a careless caller hands in: ioredis flattens lists, and one more argument would be another ballot.
    const sent = answers.slice(0, MAX_ANSWERS).map(String);
    const who = [`${ballotId}`, `${voter}`, `${address}`, name?.trim() ?? ''];
    const { args, voters } = this.#groupOf(pollId);
    args.push(...who, `${proof?.id ?? ''}`, `${proof?.expiresAtMs ?? ''}`, `${sent.length}`, ...sent);
    return new Promise((resolve, reject) => voters.push({ resolve, reject }));
  }

  /** The groups so far, which are not added to any more. */
  takeAll(): BallotGroup[] {
    const groups = this.#groups;
    this.#groups = [];
    this.#open.clear();
    return groups;
  }

  #groupOf(id: PollId): BallotGroup {
    const open = this.#open.get(id);
    if (open && open.voters.length < MAX_GROUP) return open;
    const group = { args: this.#argsOf(id), voters: [] };
    this.#open.set(id, group);
    this.#groups.push(group);
    return group;
  }
}

/** @returns undefined where the group failed and every voter in it was told so */
export async function castGroup(
  client: CommandClient,
  { args, voters }: BallotGroup,
): Promise<CastReply | undefined> {
  try {
    return await client.castBallots(...args);
  } catch (cause) {
    const failure = engineUnavailable(cause);
    for (const { reject } of voters) reject(failure);
    return undefined;
  }
}

/** What the script answered to one ballot of a group. */
export function receiptAt(reply: CastReply, index: number): BallotReceipt {
  return { outcome: reply[2 * index], version: reply[2 * index + 1] } as BallotReceipt;
}
