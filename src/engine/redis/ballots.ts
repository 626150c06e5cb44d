import type { Ballot, BallotOutcome, BallotReceipt, StoredBallot } from '../../poll/ballot.ts';
import type { PollId } from '../../poll/poll.ts';
import { NOT_WRITTEN, type PollError } from '../../poll/poll-error.ts';
import { digestOf } from '../archive.ts';
import {
  type CastReply,
  type CommandClient,
  engineUnavailable,
  NO_PRIMARY,
  type NodeClient,
  TOO_MANY_UNANSWERED,
  writeAtOnce,
} from './redis-commands.ts';
import type { RedisConnections } from './redis-connections.ts';

/**
 * Casts ballots by `cast-ballots-1.lua`, in groups of one poll each. A group costs one call of the script, and what a call costs
 * is most of what a ballot costs: on a hot poll Redis casts three times as many in groups as one by one.
 */

/** Redis does nothing else while it casts a group: this many take it less than a millisecond. The script takes no more. */
const MAX_GROUP = 100;
/** Of an answer; one with other characters is in no poll. */
const ANSWER = /^[\w-]+$/;
/** Beyond this many unanswered ballots Redis is not keeping up, and waiting longer does not help. */
const MAX_UNANSWERED = 10_000;

/** How `poll` fields begin that belong to ballots: see create-poll-1.lua. */
export const BALLOT = 'b:';
export const MARKS = { 'v:': 'voters', 'a:': 'addresses', 'p:': 'proofs' } as const;

/** The first arguments of the script, which are the same for all ballots of a poll. */
export type CastArguments = (id: PollId) => readonly string[];

interface BallotGroup {
  readonly pollId: PollId;
  /** Seven for each ballot. */
  readonly texts: string[];
  readonly waiting: {
    readonly resolve: (receipt: BallotReceipt) => void;
    readonly reject: (cause: PollError) => void;
  }[];
}

/** Ballots by poll that wait to be cast. */
class GatheredBallots {
  readonly #open = new Map<PollId, BallotGroup>();
  #full: BallotGroup[] = [];

  add(ballot: Ballot): Promise<BallotReceipt> {
    // Before the ballot joins a group: what is none must not fail all that are cast together with it.
    const texts = textsOf(ballot);
    const { pollId } = ballot;
    const group = this.#open.get(pollId) ?? { pollId, texts: [], waiting: [] };
    this.#open.set(pollId, group);
    group.texts.push(...texts);
    const receipt = new Promise<BallotReceipt>((resolve, reject) => group.waiting.push({ resolve, reject }));
    if (group.waiting.length === MAX_GROUP) {
      this.#full.push(group);
      this.#open.delete(pollId);
    }
    return receipt;
  }

  /** A group that nothing more can be added to. */
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

/**
 * Casts ballots that count as soon as Redis has them: a full group is sent at once, so that Redis casts it while the next one
 * gathers, and the rest is sent at the end of a turn of the event loop.
 */
export class FastBallots {
  readonly #client: CommandClient;
  readonly #argsOf: CastArguments;
  readonly #gathered = new GatheredBallots();
  #scheduled = false;
  #unanswered = 0;

  constructor(client: CommandClient, argsOf: CastArguments) {
    this.#client = client;
    this.#argsOf = argsOf;
  }

  cast(ballot: Ballot): Promise<BallotReceipt> {
    if (this.#unanswered >= MAX_UNANSWERED)
      return Promise.reject(engineUnavailable(TOO_MANY_UNANSWERED, NOT_WRITTEN));
    const receipt = this.#gathered.add(ballot);
    this.#unanswered += 1;
    const full = this.#gathered.takeFull();
    if (full) void this.#send(full);
    if (!this.#scheduled) setImmediate(() => this.#flush());
    this.#scheduled = true;
    return receipt;
  }

  #flush(): void {
    this.#scheduled = false;
    writeAtOnce(this.#client, () => {
      for (const group of this.#gathered.takeAll()) void this.#send(group);
    });
  }

  async #send(group: BallotGroup): Promise<void> {
    const reply = await castGroup(this.#client, this.#argsOf, group);
    this.#unanswered -= group.waiting.length;
    for (const [index, { resolve }] of reply ? group.waiting.entries() : [])
      resolve(receiptOf(reply![index]!));
  }
}

const REPLICAS = 1;
/** One batch in flight and all that wait in the next: the last ballot in line is answered within two seconds. */
const WAIT_MS = 800;
const MAX_WAITING = 2_000;
const NOT_REPLICATED = `No replica confirmed the ballot within ${WAIT_MS} ms`;
const NO_REPLICA =
  'DURABILITY=replicated, and no replica takes the ballots: voters are asked to try again until one does';
const REPLICA_BACK = 'a replica takes the ballots again';

/**
 * Casts ballots that a replica must hold before they are acknowledged. WAIT blocks its connection and covers what that
 * connection wrote, so this one carries nothing else: while one batch waits, the next one gathers.
 */
export class ReplicatedBallots {
  readonly #client: NodeClient;
  readonly #argsOf: CastArguments;
  readonly #gathered = new GatheredBallots();
  readonly #onError: (error: Error) => void;
  #isShort = false;
  #waiting = 0;
  #busy = false;

  /** @param onError called once when no replica takes ballots, and once when one does again */
  constructor(client: NodeClient, argsOf: CastArguments, onError: (error: Error) => void) {
    this.#client = client;
    this.#argsOf = argsOf;
    this.#onError = onError;
  }

  cast(ballot: Ballot): Promise<BallotReceipt> {
    if (this.#waiting >= MAX_WAITING)
      return Promise.reject(engineUnavailable(TOO_MANY_UNANSWERED, NOT_WRITTEN));
    const receipt = this.#gathered.add(ballot);
    this.#waiting += 1;
    if (!this.#busy) void this.#castAll();
    return receipt;
  }

  async #castAll(): Promise<void> {
    this.#busy = true;
    while (this.#waiting > 0) {
      this.#waiting = 0;
      await this.#castBatch(this.#gathered.takeAll());
    }
    this.#busy = false;
  }

  async #castBatch(batch: readonly BallotGroup[]): Promise<void> {
    const replies = await writeAtOnce(this.#client, () =>
      Promise.all(batch.map(group => castGroup(this.#client, this.#argsOf, group))),
    );
    // Only now: a script that Redis has forgotten is sent again, and WAIT covers what was written before it.
    const failure = await this.#client.wait(REPLICAS, WAIT_MS).then(
      copies => this.#shortfall(copies),
      cause => engineUnavailable(cause, NOT_WRITTEN),
    );
    for (const [index, { waiting }] of batch.entries())
      for (const [place, item] of (replies[index] ?? []).entries()) {
        const { resolve, reject } = waiting[place]!;
        const receipt = receiptOf(item);
        // Rejections store nothing, so there is nothing for a replica to hold.
        if (failure && receipt.version > 0) reject(failure);
        else resolve(receipt);
      }
  }

  /** @param copies how many replicas hold what was written */
  #shortfall(copies: number): PollError | undefined {
    const isShort = copies < REPLICAS;
    if (isShort !== this.#isShort) this.#onError(new Error(isShort ? NO_REPLICA : REPLICA_BACK));
    this.#isShort = isShort;
    return isShort ? engineUnavailable(NOT_REPLICATED, NOT_WRITTEN) : undefined;
  }
}

/** What a node replies where a slot is not, or not quite, its own: nothing was executed. */
const REDIRECTED = /^(MOVED|ASK|TRYAGAIN) /;
const MAX_TRIES = 10;
const PAUSE_MS = 100;

/**
 * Ballots that a replica must hold, each cast on a connection of its own to the node that owns the poll: a client that follows
 * redirections by itself would have WAIT cover another node's writes.
 */
export class ShardedBallots {
  readonly #connections: RedisConnections;
  readonly #argsOf: CastArguments;
  readonly #onError: (error: Error) => void;
  readonly #casters = new WeakMap<NodeClient, ReplicatedBallots>();

  constructor(connections: RedisConnections, argsOf: CastArguments, onError: (error: Error) => void) {
    this.#connections = connections;
    this.#argsOf = argsOf;
    this.#onError = onError;
  }

  async cast(ballot: Ballot): Promise<BallotReceipt> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#casterFor(ballot).cast(ballot);
      } catch (error) {
        const { cause } = error as PollError;
        const isRedirected = cause instanceof Error && REDIRECTED.test(cause.message);
        if (!isRedirected || tries === MAX_TRIES) throw error;
        this.#connections.refreshOwners();
        await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
      }
    }
  }

  #casterFor({ pollId }: Ballot): ReplicatedBallots {
    const client = this.#connections.ballotsOf(this.#argsOf(pollId)[0] as string);
    if (!client) throw engineUnavailable(NO_PRIMARY, NOT_WRITTEN);
    const known = this.#casters.get(client);
    if (known) return known;
    const caster = new ReplicatedBallots(client, this.#argsOf, this.#onError);
    this.#casters.set(client, caster);
    return caster;
  }
}

/** @returns undefined where the call failed and every ballot of the group was rejected */
async function castGroup(
  client: CommandClient,
  argsOf: CastArguments,
  { pollId, texts, waiting }: BallotGroup,
): Promise<CastReply | undefined> {
  try {
    return await client.castBallots(...argsOf(pollId), ...texts);
  } catch (cause) {
    const failure = engineUnavailable(cause, NOT_WRITTEN);
    for (const { reject } of waiting) reject(failure);
    return undefined;
  }
}

/** As the script takes them. */
function textsOf({ ballotId, voter, address, proof, answers, network, name }: Ballot): string[] {
  return [
    ballotId,
    digestOf(voter),
    digestOf(address),
    proof ? digestOf(proof.id) : '',
    answers.every(answer => ANSWER.test(answer)) ? answers.join(',') : '',
    network ?? '',
    name?.trim() ?? '',
  ];
}

const REPEATED = 'repeated ';

/** @param item what the script replied to one ballot */
function receiptOf(item: string | number): BallotReceipt {
  if (typeof item === 'number') return { outcome: 'accepted', version: item };
  if (item.startsWith(REPEATED)) return { outcome: 'repeated', version: Number(item.slice(REPEATED.length)) };
  return { outcome: item as BallotOutcome, version: 0 };
}

/** A ballot as its field of the poll's hash holds it. */
export interface BallotField extends StoredBallot {
  /** 1 for the first ballot of the poll. */
  readonly sequence: number;
  /** The poll's version after it. */
  readonly version: number;
}

/** @param text `<sequence> <version> <milliseconds> <network> <answers> <name>` */
export function parseBallot(ballotId: string, text: string): BallotField {
  const [sequence, version, castAtMs, network, answers, ...name] = text.split(' ');
  return {
    ...{ sequence: Number(sequence), version: Number(version), castAtMs: Number(castAtMs) },
    ...{ ballotId, answers: answers!.split(','), name: name.join(' ') || null },
    ...(network && { network }),
  };
}

/** The other way round. */
export function formatBallot(ballot: BallotField): string {
  const { sequence, version, castAtMs, network = '', answers, name } = ballot;
  return [sequence, version, castAtMs, network, answers.join(','), name ?? ''].join(' ');
}

/** Ballots of one poll that are held at once, to be given in order. */
const WINDOW = 250_000;
const BATCH = 500;

/** Fields of a hash whose names begin with some text, at least once each, while others come. */
export async function* scanFields(
  scan: (cursor: string, match: string, count: number) => Promise<[cursor: string, fields: string[]]>,
  prefix: string,
): AsyncIterable<[name: string, value: string][]> {
  let cursor = '0';
  do {
    const [next, fields] = await scan(cursor, `${prefix}*`, BATCH);
    const found: [string, string][] = [];
    for (let at = 0; at < fields.length; at += 2)
      found.push([fields[at]!.slice(prefix.length), fields[at + 1]!]);
    if (found.length > 0) yield found;
    cursor = next;
  } while (cursor !== '0');
}

/**
 * Ballots in the order of acceptance, some hundreds at a time. A hash has no order, so all of it is read for each quarter of a
 * million ballots, which bounds the memory.
 *
 * @param last sequence number of the newest ballot
 * @param fields reads all ballots of the hash, from the beginning each time
 */
export async function* inOrder(
  last: number,
  fields: () => AsyncIterable<[ballotId: string, text: string][]>,
): AsyncIterable<BallotField[]> {
  for (let first = 1; first <= last; first += WINDOW) {
    const size = Math.min(WINDOW, last - first + 1);
    const found: ([ballotId: string, text: string] | undefined)[] = new Array(size);
    for await (const batch of fields())
      for (const field of batch) {
        const place = Number.parseInt(field[1], 10) - first;
        if (place >= 0 && place < size) found[place] = field;
      }
    for (let start = 0; start < size; start += BATCH)
      yield found.slice(start, start + BATCH).flatMap(field => (field ? parseBallot(...field) : []));
  }
}
