import { LRUCache } from 'lru-cache';
import type { StoredBallot } from '../poll/ballot.ts';
import type { ChatPlatform } from '../poll/chat-platform.ts';
import { DAY_MS, nameOfRound, type PollId, type PollRound } from '../poll/poll.ts';
import { isVoidedBy, type VoidRule } from '../poll/void-rule.ts';
import { coalesceReads, type Read } from './shared-read.ts';
import { readVoidRules, type VoidPolls } from './void-ballots.ts';
import { within } from './within.ts';

/**
 * How the ballots of a poll came in: over time, and from which networks. `ballots` includes the
 * voided ones everywhere.
 */
export interface Evidence extends BallotCount {
  readonly intervalMs: number;
  /**
   * Start of the first interval, a multiple of `intervalMs`; null without ballots. All times are
   * UNIX times in milliseconds.
   */
  readonly fromMs: number | null;
  /** Without gaps, from the first ballot to the last; at most 60. */
  readonly intervals: readonly BallotCount[];
  /** The networks with the most ballots that count, largest first; at most 10. */
  readonly networks: readonly NetworkEvidence[];
  /** The chats that ballots came from, in the order of their first. */
  readonly chats: readonly ChatEvidence[];
  /** Exact up to 50,000 networks. */
  readonly networkCount: number;
  /** Ballots of the page without a network, as in polls from before ballots had one. */
  readonly untagged: number;
  /** The rules in effect, each with the ballots that it voids; a ballot may be voided by several. */
  readonly rules: readonly { readonly rule: VoidRule; readonly ballots: number }[];
}

export interface BallotCount {
  readonly ballots: number;
  readonly voided: number;
}

export interface ChatEvidence extends Omit<NetworkEvidence, 'network'> {
  readonly source: ChatPlatform;
}

export interface NetworkEvidence extends BallotCount {
  /** The tag of its ballots. */
  readonly network: string;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Its fastest burst: see `MIN_BURST`. */
  readonly burst?: Burst | undefined;
}

interface Burst {
  /** Ballots that count within `BURST_MS`. */
  readonly ballots: number;
  readonly fromMs: number;
}

/** From a second to six hours. Each is a multiple of the one before, so that counts can be added up. */
const WITHIN_A_DAY_S = [1, 5, 10, 30, 60, 300, 900, 3_600, 21_600];
const DAYS = [1, 7, 28, 364];
const INTERVALS_MS = [...WITHIN_A_DAY_S.map(seconds => seconds * 1_000), ...DAYS.map(days => days * DAY_MS)];
const MAX_INTERVALS = 60;
const LARGEST_NETWORKS = 10;
/**
 * Networks in memory, about 10 MB. At the bound the smaller half is dropped; such a network is
 * counted from zero if it returns.
 */
const MAX_NETWORKS = 50_000;

/**
 * A burst: a network casts at least this many ballots within `BURST_MS`, and more than half of all
 * ballots of that time.
 */
export const MIN_BURST = 50;
export const BURST_MS = 10_000;

/** Milliseconds between two reads of one poll: a million ballots take seconds. */
const REST_MS = 1_000;
/** Reads that a call stopped waiting for; beyond this the oldest is dropped and begins again. */
const MAX_LATE = 100;

/** Reads all ballots of a poll, which may take longer than a request. */
export class EvidenceReads {
  readonly #read: Read<Evidence>;
  readonly #patienceMs: number;
  /** By `nameOfRound`. */
  readonly #late = new LRUCache<PollId, Promise<Evidence | undefined>>({ max: MAX_LATE });

  constructor(polls: VoidPolls, patienceMs: number) {
    this.#read = coalesceReads(id => gatherEvidence(polls, id), REST_MS);
    this.#patienceMs = patienceMs;
  }

  /**
   * Concurrent and frequent calls share reads, and each result is as fresh as a read of its own.
   * Resolves to `late` after `patienceMs`: the next call then takes over the read. Resolves to
   * undefined if there is no such poll.
   */
  async find(poll: PollRound): Promise<Evidence | undefined | 'late'> {
    const name = nameOfRound(poll);
    const reading = this.#late.get(name) ?? this.#read(poll.id);
    this.#late.delete(name);
    const found = await within(this.#patienceMs, reading, 'late' as const);
    if (found !== 'late') return found;
    // The next call gets the error.
    reading.catch(() => {});
    this.#late.set(name, reading);
    return 'late';
  }

  /** Makes the next call read again. */
  forget(poll: PollRound): void {
    this.#late.delete(nameOfRound(poll));
  }
}

async function gatherEvidence(polls: VoidPolls, id: PollId): Promise<Evidence | undefined> {
  const rules = await readVoidRules(polls, id);
  if (!rules) return undefined;
  const evidence = new EvidenceCounter(rules);
  for await (const batch of polls.readBallots(id))
    for (const ballot of batch) if (ballot.answers.length > 0) evidence.add(ballot);
  return evidence.result();
}

interface Count {
  ballots: number;
  voided: number;
}

interface Network extends Count {
  readonly network: string;
  firstMs: number;
  lastMs: number;
  burst: Burst | undefined;
  /** Its ballots in the window that began at `windowMs`. */
  windowMs: number;
  inWindow: number;
}

/** Counts ballots in one pass, in the order of acceptance. */
class EvidenceCounter {
  readonly #rules: readonly { readonly rule: VoidRule; ballots: number }[];
  readonly #total: Count = { ballots: 0, voided: 0 };
  readonly #timeline = new Timeline();
  #networks = new Map<string, Network>();
  readonly #chats = new Map<ChatPlatform, Network>();
  #networkCount = 0;
  #untagged = 0;
  /** The present `BURST_MS`, with its ballots that count and the network that cast most of them. */
  #window: { readonly fromMs: number; ballots: number; largest: Network | undefined } = {
    fromMs: Number.NEGATIVE_INFINITY,
    ballots: 0,
    largest: undefined,
  };

  constructor(rules: readonly VoidRule[]) {
    this.#rules = rules.map(rule => ({ rule, ballots: 0 }));
  }

  add(ballot: StoredBallot): void {
    const { castAtMs, voided = false } = ballot;
    const network = this.#originOf(ballot);
    for (const count of [this.#total, this.#timeline.countAt(castAtMs), ...(network ? [network] : [])]) {
      count.ballots += 1;
      if (voided) count.voided += 1;
    }
    if (network) network.lastMs = Math.max(network.lastMs, castAtMs);
    else this.#untagged += 1;
    if (voided) for (const entry of this.#rules) entry.ballots += isVoidedBy(entry.rule, ballot) ? 1 : 0;
    else this.#addToWindow(network, castAtMs);
  }

  result(): Evidence {
    this.#closeWindow();
    const largest = [...this.#networks.values()].sort(byCounted).slice(0, LARGEST_NETWORKS);
    return {
      ...this.#total,
      ...this.#timeline.result(),
      networks: largest.map(evidenceOf),
      chats: [...this.#chats].map(([source, chat]) => {
        const { network: _, ...evidence } = evidenceOf(chat);
        return { source, ...evidence };
      }),
      networkCount: this.#networkCount,
      untagged: this.#untagged,
      rules: this.#rules,
    };
  }

  #originOf({ source, network, castAtMs }: StoredBallot): Network | undefined {
    if (source === undefined) return network === undefined ? undefined : this.#networkOf(network, castAtMs);
    const chat = this.#chats.get(source) ?? newNetwork(source, castAtMs);
    this.#chats.set(source, chat);
    return chat;
  }

  #networkOf(tag: string, castAtMs: number): Network {
    const known = this.#networks.get(tag);
    if (known) return known;
    if (this.#networks.size === MAX_NETWORKS) {
      const kept = [...this.#networks].sort(([, one], [, other]) => byCounted(one, other));
      this.#networks = new Map(kept.slice(0, MAX_NETWORKS / 2));
    }
    const fresh = newNetwork(tag, castAtMs);
    this.#networks.set(tag, fresh);
    this.#networkCount += 1;
    return fresh;
  }

  #addToWindow(network: Network | undefined, castAtMs: number): void {
    const fromMs = castAtMs - (castAtMs % BURST_MS);
    if (fromMs > this.#window.fromMs) {
      this.#closeWindow();
      this.#window = { fromMs, ballots: 0, largest: undefined };
    }
    const window = this.#window;
    window.ballots += 1;
    if (!network) return;
    network.inWindow = network.windowMs === window.fromMs ? network.inWindow + 1 : 1;
    network.windowMs = window.fromMs;
    if (network.inWindow > (window.largest?.inWindow ?? 0)) window.largest = network;
  }

  #closeWindow(): void {
    const { fromMs, ballots: all, largest } = this.#window;
    const ballots = largest?.inWindow ?? 0;
    if (!largest || ballots < MIN_BURST || ballots <= all / 2) return;
    if (ballots > (largest.burst?.ballots ?? 0)) largest.burst = { ballots, fromMs };
  }
}

function newNetwork(network: string, castAtMs: number): Network {
  const times = { firstMs: castAtMs, lastMs: castAtMs, windowMs: 0 };
  return { network, ballots: 0, voided: 0, burst: undefined, inWindow: 0, ...times };
}

function evidenceOf({ windowMs: _, inWindow: __, burst, ...network }: Network): NetworkEvidence {
  return { ...network, ...(burst && { burst }) };
}

/** Ballots by time, in the shortest intervals that cover all of them. */
class Timeline {
  #intervalMs = INTERVALS_MS[0]!;
  /** By the number of intervals since 1970. */
  #counts = new Map<number, Count>();
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  countAt(ms: number): Count {
    this.#cover(ms);
    return countOf(this.#counts, Math.floor(ms / this.#intervalMs));
  }

  result(): Pick<Evidence, 'intervalMs' | 'fromMs' | 'intervals'> {
    const intervalMs = this.#intervalMs;
    if (this.#counts.size === 0) return { intervalMs, fromMs: null, intervals: [] };
    const intervals = Array.from({ length: this.#last - this.#first + 1 }, (_, index) => ({
      ...countOf(this.#counts, this.#first + index),
    }));
    return { intervalMs, fromMs: this.#first * intervalMs, intervals };
  }

  /** Changes to longer intervals until all ballots and this time fit. */
  #cover(ms: number): void {
    for (;;) {
      const index = Math.floor(ms / this.#intervalMs);
      const first = Math.min(this.#first, index);
      const last = Math.max(this.#last, index);
      const longerMs = INTERVALS_MS.find(intervalMs => intervalMs > this.#intervalMs);
      if (last - first < MAX_INTERVALS || longerMs === undefined) {
        this.#first = first;
        this.#last = last;
        return;
      }
      this.#lengthen(longerMs);
    }
  }

  #lengthen(intervalMs: number): void {
    const longer = (index: number) => Math.floor((index * this.#intervalMs) / intervalMs);
    const counts = new Map<number, Count>();
    for (const [index, { ballots, voided }] of this.#counts) {
      const count = countOf(counts, longer(index));
      count.ballots += ballots;
      count.voided += voided;
    }
    this.#counts = counts;
    this.#first = longer(this.#first);
    this.#last = longer(this.#last);
    this.#intervalMs = intervalMs;
  }
}

function countOf(counts: Map<number, Count>, index: number): Count {
  const count = counts.get(index) ?? { ballots: 0, voided: 0 };
  counts.set(index, count);
  return count;
}

function byCounted(one: BallotCount, other: BallotCount): number {
  return other.ballots - other.voided - (one.ballots - one.voided) || other.ballots - one.ballots;
}
