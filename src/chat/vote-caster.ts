import type { FastifyBaseLogger } from 'fastify';
import type { Engine } from '../engine/engine.ts';
import { Outstanding } from '../engine/outstanding.ts';
import { within } from '../engine/within.ts';
import { oncePer } from '../http/request-log.ts';
import { chatVotes } from '../metrics/catalogue.ts';
import type { ChatLink } from '../poll/chat-link.ts';
import type { ChatPlatform } from '../poll/chat-platform.ts';
import type { AnswerId, Poll } from '../poll/poll.ts';
import type { ChatMessage, ChatSource } from './chat-source.ts';
import { VoidQueue } from './void-queue.ts';
import { voteReader } from './vote-reader.ts';

/** Where a platform's clock is unknown, it and that of this server may differ by so much. */
const CLOCKS_DIFFER_MS = 2_000;
/** A platform's clock that is known better than this needs no tolerance. */
const CLOCK_KNOWN_MS = 100;
/** Votes that are cast at once: a ballot of a voting page waits behind no more. */
const MAX_CASTING = 100;
/** Votes before the opening by more than this were for another poll. */
const EARLY_MS = 60_000;
/** From one cast to the next at least: many small ones hold up a page less than few large ones. */
const CAST_PAUSE_MS = 40;
/** Votes in memory, some 10 MB. Beyond it new ones are dropped, and their users may vote again. */
const MAX_WAITING = 20_000;
/** Users in memory over all polls, some 40 MB. Beyond it the engine alone knows who has voted. */
const MAX_KNOWN = 300_000;
/** Votes whose deletion voids them, for each poll. Beyond it the oldest is forgotten. */
const MAX_MESSAGES = 50_000;
/** After an error of the engine. */
const RETRY_MS = 250;
const LONGEST_WAIT_MS = 60_000;
const CLOSE_MS = 2_000;
const LOG_LOST_MS = 60_000;

/** Hashes a user for one poll. Each hash tells nothing about another poll, nor without the secret about the user. */
export type UserHash = (platform: ChatPlatform, userId: string) => { voter: string; ballotId: string };

/** What a vote changes of the channel that it came from. */
export interface VoteChannel {
  readonly source: Pick<ChatSource, 'hearsAll' | 'clock'>;
  readonly link: ChatLink;
  votes: number;
  lost: number;
}

/** A poll on air, as long as it counts votes from chat. */
export interface Target {
  readonly poll: Poll;
  readonly read: ReturnType<typeof voteReader>;
  readonly hash: UserHash;
  /** Since when messages count, by `performance.now()`. */
  readonly sinceMs: number;
  /** Since when this process counts, by `performance.now()`. */
  readonly begunAtMs: number;
  /** Lower bound of the poll's version, from the engine's replies. */
  version: number;
  /** Users with a vote that is counted or about to be, with the last one. */
  readonly known: Map<string, KnownVote>;
  /** Users with a vote that is not answered yet. */
  readonly casting: Map<string, Vote>;
  /** Users by the messages of their votes, those of deleted messages included. */
  readonly messages: Map<string, string>;
  /** Users whose vote was deleted. */
  readonly deleted: Set<string>;
  isEnded: boolean;
}

/** Translates times by `performance.now()` to those that a platform writes into messages. */
export interface MessageClock {
  at(localMs: number): number;
  /** By which the two may differ, in milliseconds. */
  readonly toleranceMs: number;
}

interface KnownVote {
  /** By the platform's clock. No earlier message counts; none at all after a vote that stands. */
  readonly atMs: number;
  readonly choice: string;
  readonly messageId: string;
}

interface Vote {
  readonly target: Target;
  readonly channel: VoteChannel;
  readonly userId: string;
  readonly user: string;
  /** None withdraw the user's vote, whose message was deleted. */
  readonly answers: readonly AnswerId[];
  readonly messageId: string;
  /** By `performance.now()`. */
  readonly receivedAtMs: number;
  /** Replaces the user's vote before. */
  readonly isChange: boolean;
  /**
   * The poll's version when the message came: a ballot that was counted by then is of an earlier
   * message. Undefined for history.
   */
  readonly version: number | undefined;
  /** Cast after this one: the user has changed their mind meanwhile, or the message was deleted. */
  next: Vote | undefined;
  /** The engine may have counted it. */
  wasSent: boolean;
  /** The user was banned. */
  isVoided: boolean;
  /** The message was deleted before it was cast. */
  isDeleted: boolean;
}

function newVote(from: Omit<Vote, 'receivedAtMs' | 'next' | 'wasSent' | 'isVoided' | 'isDeleted'>): Vote {
  const state = { next: undefined, wasSent: false, isVoided: false, isDeleted: false };
  return { ...from, receivedAtMs: performance.now(), ...state };
}

export interface VoteCasterOptions {
  readonly engine: Pick<Engine, 'polls' | 'archive'>;
  readonly log: FastifyBaseLogger;
  /** UNIX time in milliseconds. */
  readonly clock: () => number;
}

/**
 * Casts what messages vote, once for each user of a poll, or the last vote where the poll allows
 * changes. Ballots of voting pages come first: votes are cast together, with pauses between.
 */
export class VoteCaster {
  readonly #options: VoteCasterOptions;
  readonly #voids: VoidQueue;
  #waiting: Vote[] = [];
  readonly #outstanding = new Outstanding();
  #knownCount = 0;
  #isScheduled = false;
  #castAgainAtMs = 0;
  #lost = 0;
  readonly #isLogDue = oncePer(LOG_LOST_MS);
  #isClosed = false;

  constructor(options: VoteCasterOptions) {
    this.#options = options;
    this.#voids = new VoidQueue(options.engine, options.log);
  }

  /** Forgets its users. Votes that were read are still cast. */
  end(target: Target): void {
    target.isEnded = true;
    this.#knownCount -= target.known.size;
  }

  /**
   * Casts the message, if it is a vote that counts.
   *
   * @returns true for a vote from shortly before the opening
   */
  read(target: Target, channel: VoteChannel, message: ChatMessage, clock: MessageClock): boolean {
    const { userId, messageId, text, whole, atMs } = message;
    const earlyMs = clock.at(target.sinceMs) - clock.toleranceMs - atMs;
    if (earlyMs > 0) return earlyMs < EARLY_MS && target.read(text, whole) !== undefined;
    if (target.messages.has(messageId)) return false;
    const user = `${channel.link.platform}:${userId}`;
    const last = target.known.get(user);
    if (last && atMs < last.atMs) return false;
    const answers = target.read(text, whole);
    const choice = answers && [...answers].sort().join();
    if (!answers || choice === undefined || choice === last?.choice) return false;
    const casting = target.casting.get(user);
    if (!casting && this.#waiting.length >= MAX_WAITING) {
      this.#lose(channel, 'dropped');
      return false;
    }
    const version = atMs < clock.at(target.begunAtMs) ? undefined : target.version;
    const isChange = last !== undefined;
    const vote = newVote({ target, channel, userId, user, answers, messageId, isChange, version });
    // A date in the future says nothing of the order: whatever the user says later is later.
    const isFuture = atMs > clock.at(performance.now()) + clock.toleranceMs;
    const knownAtMs = allowsChange(target) ? (isFuture ? 0 : atMs) : Number.POSITIVE_INFINITY;
    this.#remember(vote, { atMs: knownAtMs, choice, messageId });
    if (casting) followLast(casting, vote);
    else this.#enqueue(vote);
    this.#schedule();
    return false;
  }

  /** Voids the vote of a user, also one that is still being cast. */
  void(target: Target, platform: ChatPlatform, userId: string): void {
    const casting = target.casting.get(`${platform}:${userId}`);
    if (casting) casting.isVoided = true;
    else this.#voidBallot(target, platform, target.hash(platform, userId).ballotId);
  }

  /** Withdraws the vote that a message has cast, unless a later one has replaced it. The user may vote again. */
  delete(target: Target, channel: VoteChannel, messageId: string): void {
    const userId = target.messages.get(messageId);
    const user = `${channel.link.platform}:${userId}`;
    if (userId === undefined || target.known.get(user)?.messageId !== messageId) return;
    this.#forget({ target, user });
    target.deleted.add(user);
    const casting = target.casting.get(user);
    if (casting && !casting.wasSent && !casting.next) {
      casting.isDeleted = true;
      return;
    }
    const own = { target, channel, userId, user, isChange: true, version: undefined };
    const withdrawal = newVote({ ...own, answers: [], messageId: `deleted ${messageId}` });
    // The votes between are of the same user, and the last of them was deleted.
    if (casting) casting.next = withdrawal;
    else this.#enqueue(withdrawal);
    this.#schedule();
  }

  /** Casts what it has, for up to two seconds. */
  async close(): Promise<void> {
    await within(CLOSE_MS, this.#outstanding.settled());
    this.#isClosed = true;
    this.#voids.close();
  }

  clockOf({ source }: Pick<VoteChannel, 'source'>): MessageClock {
    const aheadMs = source.clock?.at(0);
    if (aheadMs === undefined) {
      const ownMs = this.#options.clock() - performance.now();
      return { at: localMs => localMs + ownMs, toleranceMs: CLOCKS_DIFFER_MS };
    }
    const { errorMs } = source.clock!;
    return { at: localMs => localMs + aheadMs, toleranceMs: errorMs > CLOCK_KNOWN_MS ? errorMs : 0 };
  }

  #enqueue(vote: Vote): void {
    this.#outstanding.begin();
    vote.target.casting.set(vote.user, vote);
    this.#waiting.push(vote);
  }

  #remember({ target, user, userId, messageId }: Vote, known: KnownVote): void {
    const isNew = !target.known.has(user);
    if (!isNew || this.#knownCount < MAX_KNOWN) target.known.set(user, known);
    if (isNew && target.known.has(user)) this.#knownCount += 1;
    target.messages.set(messageId, userId);
    if (target.messages.size > MAX_MESSAGES)
      target.messages.delete(target.messages.keys().next().value as string);
  }

  #forget({ target, user }: Pick<Vote, 'target' | 'user'>): void {
    if (target.known.delete(user) && !target.isEnded) this.#knownCount -= 1;
  }

  #lose(channel: VoteChannel, outcome: 'dropped' | 'failed'): void {
    channel.lost += 1;
    chatVotes.of({ platform: channel.link.platform, outcome }).value += 1;
    this.#lost += 1;
    if (!this.#isLogDue('lost')) return;
    this.#options.log.warn({ votes: this.#lost, outcome }, 'votes from chat lost');
    this.#lost = 0;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setTimeout(() => void this.#castWaiting(), this.#castAgainAtMs - performance.now()).unref();
  }

  async #castWaiting(): Promise<void> {
    const begunAtMs = performance.now();
    const votes = this.#waiting.splice(0, MAX_CASTING);
    this.#castAgainAtMs = 0;
    await Promise.all(votes.map(vote => this.#cast(vote)));
    // A slow engine belongs to voting pages half of the time.
    const pauseMs = Math.max(CAST_PAUSE_MS, 2 * (performance.now() - begunAtMs));
    this.#castAgainAtMs = Math.max(this.#castAgainAtMs, begunAtMs + pauseMs);
    this.#isScheduled = false;
    this.#schedule();
  }

  async #cast(vote: Vote): Promise<void> {
    const { target, channel, userId, user, answers, messageId, receivedAtMs, isChange, version } = vote;
    const { platform } = channel.link;
    const { voter, ballotId } = target.hash(platform, userId);
    if (vote.isVoided) {
      // An earlier try may have counted it.
      this.#voidBallot(target, platform, ballotId);
      this.#drop(vote);
      return;
    }
    if (vote.isDeleted && !vote.wasSent) {
      this.#goOn(vote);
      return;
    }
    const keys = isChange && {
      ballotId: target.hash(platform, `${userId} ${messageId}`).ballotId,
      change: { receipt: ballotId },
    };
    const { id: pollId, round } = target.poll;
    const ballot = { pollId, round, answers, voter, address: voter, ballotId, source: platform, ...keys };
    vote.wasSent = true;
    const receipt = await this.#options.engine.polls.cast(ballot).catch(() => undefined);
    if (!receipt) {
      // The ballot may have been counted: the same one again is safe.
      this.#castAgainAtMs = performance.now() + RETRY_MS;
      const isLate = performance.now() - receivedAtMs > LONGEST_WAIT_MS;
      if (!isLate && !this.#isClosed && this.#waiting.length < MAX_WAITING) this.#waiting.push(vote);
      else {
        this.#drop(vote);
        this.#forget(vote);
        this.#lose(channel, 'failed');
      }
      return;
    }
    const { outcome } = receipt;
    const isCounted = outcome === 'accepted' || outcome === 'repeated';
    const isWithdrawal = answers.length === 0;
    const counted = outcome === 'accepted' ? 'counted' : isCounted ? 'repeated' : 'rejected';
    if (!isWithdrawal) chatVotes.of({ platform, outcome: counted }).value += 1;
    target.version = Math.max(target.version, receipt.version);
    const isKnown = target.known.get(user)?.messageId === messageId;
    // Where each message comes to one process, another one may have counted the same user.
    if (outcome === 'accepted' || (isCounted && channel.source.hearsAll))
      channel.votes += isWithdrawal ? -1 : isChange && !target.deleted.has(user) ? 0 : 1;
    const isLast = outcome === 'change_not_allowed' && !allowsChange(target);
    if (isWithdrawal && (outcome === 'too_many_changes' || outcome === 'poll_closed'))
      this.#voidBallot(target, platform, ballotId);
    // No later vote of this user counts, unless the message is deleted.
    if (isKnown && (outcome === 'too_many_changes' || isLast))
      target.known.set(user, { atMs: Number.POSITIVE_INFINITY, choice: '', messageId });
    else if (!isCounted && isKnown) this.#forget(vote);
    const known = target.known.get(user);
    // What history says may have been changed since.
    if (outcome === 'repeated' && version === undefined && known && isKnown)
      target.known.set(user, { ...known, choice: '' });
    const isOlder =
      outcome === 'repeated' &&
      (target.deleted.has(user) ||
        !channel.source.hearsAll ||
        (version !== undefined && receipt.version <= version));
    // Another message of this user has cast the vote. It may have been deleted since.
    if (isOlder && !isChange && isKnown) vote.next ??= { ...vote, isChange: true, wasSent: false };
    if (isCounted && !isWithdrawal) target.deleted.delete(user);
    if (vote.isVoided) this.#voidBallot(target, platform, ballotId);
    this.#goOn(vote);
  }

  /** Casts what the user has said meanwhile. */
  #goOn(vote: Vote): void {
    if (vote.next) this.#enqueue(vote.next);
    else vote.target.casting.delete(vote.user);
    this.#outstanding.end();
  }

  #voidBallot({ poll: { id, round } }: Target, platform: ChatPlatform, ballotId: string): void {
    this.#voids.add({ id, round, platform, ballotId });
  }

  /** Ends with the vote also what the user has said meanwhile. */
  #drop({ target, user }: Vote): void {
    target.casting.delete(user);
    this.#outstanding.end();
  }
}

/** @param from what counts: messages since when, and since when this process reads them */
export function newTarget(
  poll: Poll,
  version: number,
  from: Pick<Target, 'hash' | 'sinceMs' | 'begunAtMs'>,
): Target {
  const users = { known: new Map(), casting: new Map(), messages: new Map(), deleted: new Set<string>() };
  return { ...from, ...users, poll, version, read: voteReader(poll), isEnded: false };
}

/** Replaces what waits behind a vote, but never the withdrawal of a deleted one. */
function followLast(casting: Vote, vote: Vote): void {
  if (casting.next?.answers.length === 0) casting.next.next = vote;
  else casting.next = vote;
}

const allowsChange = ({ poll }: Target) => poll.settings.allowChange;
