import { setTimeout as pause } from 'node:timers/promises';
import type { Ballot, BallotOutcome, BallotReceipt } from '../../poll/ballot.ts';
import type { PollId } from '../../poll/poll.ts';
import { NOT_WRITTEN, type PollError } from '../../poll/poll-error.ts';
import { digestOf } from '../check-ballot.ts';
import {
  type CastReply,
  type CommandClient,
  engineUnavailable,
  NO_PRIMARY,
  type NodeClient,
  TOO_MANY_UNANSWERED,
  writeAtOnce,
} from './redis-commands.ts';
import type { RedisStore } from './redis-store.ts';
import { tagOf } from './stored-ballots.ts';

/** Most of a ballot's cost is the call of the script: a hot poll takes three times as many in groups as one by one. */

/** The most that the script takes. Redis is blocked for less than a millisecond. */
const MAX_GROUP = 100;
/** An answer with other characters is in no poll. */
const ANSWER = /^[\w-]+$/;
const INVALID = '?';
/** Beyond this many unanswered ballots Redis does not keep up. */
const MAX_UNANSWERED = 10_000;

/** The script's first arguments, which are the same for all ballots of a poll. */
export type CastArguments = (id: PollId) => readonly string[];

interface BallotGroup {
  readonly pollId: PollId;
  readonly command: 'castBallots' | 'changeBallot';
  readonly texts: string[];
  readonly waiting: {
    readonly resolve: (receipt: BallotReceipt) => void;
    readonly reject: (cause: PollError) => void;
  }[];
}

class GatheredBallots {
  readonly #open = new Map<PollId, BallotGroup>();
  #full: BallotGroup[] = [];

  add(ballot: Ballot): Promise<BallotReceipt> {
    // First, so that a malformed ballot throws here and does not fail its group.
    const texts = textsOf(ballot);
    const { pollId, change } = ballot;
    if (change) return this.#addChange({ pollId, command: 'changeBallot', texts, waiting: [] });
    const open = this.#open.get(pollId);
    const group: BallotGroup = open ?? { pollId, command: 'castBallots', texts: [], waiting: [] };
    this.#open.set(pollId, group);
    group.texts.push(...texts);
    const receipt = new Promise<BallotReceipt>((resolve, reject) => group.waiting.push({ resolve, reject }));
    if (group.waiting.length === MAX_GROUP) {
      this.#full.push(group);
      this.#open.delete(pollId);
    }
    return receipt;
  }

  /** The script takes one at a time. Ballots of its poll that wait go first, as they came. */
  #addChange(group: BallotGroup): Promise<BallotReceipt> {
    const before = this.#open.get(group.pollId);
    if (before) this.#full.push(before);
    this.#open.delete(group.pollId);
    this.#full.push(group);
    return new Promise((resolve, reject) => group.waiting.push({ resolve, reject }));
  }

  takeFull(): BallotGroup | undefined {
    return this.#full.shift();
  }

  takeAll(): BallotGroup[] {
    const groups = [...this.#full, ...this.#open.values()];
    this.#full = [];
    this.#open.clear();
    return groups;
  }
}

export type CastBallot = (ballot: Ballot) => Promise<BallotReceipt>;

/** Sends a full group at once, so that Redis works while the next one fills, and the others at the end of the turn. */
export function fastBallots(client: CommandClient, argsOf: CastArguments): CastBallot {
  const gathered = new GatheredBallots();
  let isScheduled = false;
  let unanswered = 0;

  return ballot => {
    if (unanswered >= MAX_UNANSWERED)
      return Promise.reject(engineUnavailable(TOO_MANY_UNANSWERED, NOT_WRITTEN));
    const receipt = gathered.add(ballot);
    unanswered += 1;
    for (let full = gathered.takeFull(); full; full = gathered.takeFull()) void send(full);
    if (!isScheduled) setImmediate(flush);
    isScheduled = true;
    return receipt;
  };

  function flush(): void {
    isScheduled = false;
    writeAtOnce(client, () => {
      for (const group of gathered.takeAll()) void send(group);
    });
  }

  async function send(group: BallotGroup): Promise<void> {
    const reply = await castGroup(client, argsOf, group);
    unanswered -= group.waiting.length;
    for (const [index, item] of reply?.entries() ?? []) group.waiting[index]!.resolve(receiptOf(item));
  }
}

const REPLICAS = 1;
/** One batch in flight and the next one waiting: the last ballot is answered within two seconds. */
const WAIT_MS = 800;
const MAX_WAITING = 2_000;
const NOT_REPLICATED = `No replica confirmed the ballot within ${WAIT_MS} ms`;
const NO_REPLICA =
  'DURABILITY=replicated, and no replica confirms ballots: voters have to retry until one does';
const REPLICA_BACK = 'a replica confirms ballots again';

/**
 * WAIT blocks its connection and covers only its writes, so this one has no other commands. The
 * next batch fills meanwhile.
 *
 * @param onError called once when no replica confirms ballots, and once when one does again
 */
function replicatedBallots(
  client: NodeClient,
  argsOf: CastArguments,
  onError: (error: Error) => void,
): CastBallot {
  const gathered = new GatheredBallots();
  let isShort = false;
  let waiting = 0;
  let isBusy = false;

  return ballot => {
    if (waiting >= MAX_WAITING) return Promise.reject(engineUnavailable(TOO_MANY_UNANSWERED, NOT_WRITTEN));
    const receipt = gathered.add(ballot);
    waiting += 1;
    if (!isBusy) void castAll();
    return receipt;
  };

  async function castAll(): Promise<void> {
    isBusy = true;
    while (waiting > 0) {
      waiting = 0;
      await castBatch(gathered.takeAll());
    }
    isBusy = false;
  }

  async function castBatch(batch: readonly BallotGroup[]): Promise<void> {
    const replies = await writeAtOnce(client, () =>
      Promise.all(batch.map(group => castGroup(client, argsOf, group))),
    );
    // Only after the replies: a script that Redis has forgotten is sent again, and WAIT covers earlier writes only.
    const failure = await client
      .wait(REPLICAS, WAIT_MS)
      .then(shortfall, cause => engineUnavailable(cause, NOT_WRITTEN));
    for (const [index, { waiting: casters }] of batch.entries())
      for (const [place, item] of replies[index]?.entries() ?? []) {
        const receipt = receiptOf(item);
        if (failure && receipt.version > 0) casters[place]!.reject(failure);
        else casters[place]!.resolve(receipt);
      }
  }

  function shortfall(copies: number): PollError | undefined {
    const wasShort = isShort;
    isShort = copies < REPLICAS;
    if (isShort !== wasShort) onError(new Error(isShort ? NO_REPLICA : REPLICA_BACK));
    return isShort ? engineUnavailable(NOT_REPLICATED, NOT_WRITTEN) : undefined;
  }
}

/** Replies of a node that does not, or not fully, own a slot: nothing was executed. */
const REDIRECTED = /^(MOVED|ASK|TRYAGAIN) /;
const MAX_TRIES = 10;
const PAUSE_MS = 100;

/**
 * Uses a connection to the poll's node: a cluster client follows redirections, and WAIT would cover
 * another node's writes.
 */
export function shardedBallots({ connections, onError }: RedisStore, argsOf: CastArguments): CastBallot {
  const casters = new WeakMap<NodeClient, CastBallot>();

  return async ballot => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await casterFor(ballot)(ballot);
      } catch (error) {
        const { cause } = error as PollError;
        const isRedirected = cause instanceof Error && REDIRECTED.test(cause.message);
        if (!isRedirected || tries === MAX_TRIES) throw error;
        connections.refreshOwners();
        await pause(PAUSE_MS);
      }
    }
  };

  function casterFor({ pollId }: Ballot): CastBallot {
    const client = connections.ballotClientOf(argsOf(pollId)[0] as string);
    if (!client) throw engineUnavailable(NO_PRIMARY, NOT_WRITTEN);
    const caster = casters.get(client) ?? replicatedBallots(client, argsOf, onError);
    casters.set(client, caster);
    return caster;
  }
}

/** @returns undefined if the call failed, which rejects every ballot of the group */
async function castGroup(
  client: CommandClient,
  argsOf: CastArguments,
  { pollId, command, texts, waiting }: BallotGroup,
): Promise<CastReply | undefined> {
  try {
    return await client[command](...argsOf(pollId), ...texts);
  } catch (cause) {
    const failure = engineUnavailable(cause, NOT_WRITTEN);
    for (const { reject } of waiting) reject(failure);
    return undefined;
  }
}

function textsOf(ballot: Ballot): string[] {
  const { ballotId, voter, address, proof, answers, network, name, source, signedIn, behindVpn } = ballot;
  const { change, round = 1 } = ballot;
  return [
    ballotId,
    digestOf(voter),
    digestOf(address),
    proof ? digestOf(proof.id) : '',
    // Without answers a change would be a withdrawal.
    answers.every(answer => ANSWER.test(answer)) ? answers.join(',') : change ? INVALID : '',
    tagOf({ network, source }),
    name?.trim() ?? '',
    [signedIn && 'signed_in', behindVpn && 'vpn', round > 1 && `round=${round}`].filter(Boolean).join(),
    ...(change ? [change.receipt ?? ''] : []),
  ];
}

const REPEATED = 'repeated ';

function receiptOf(item: string | number): BallotReceipt {
  if (typeof item === 'number') return { outcome: 'accepted', version: item };
  if (item.startsWith(REPEATED)) return { outcome: 'repeated', version: Number(item.slice(REPEATED.length)) };
  return { outcome: item as BallotOutcome, version: 0 };
}
