import type { FastifyBaseLogger } from 'fastify';
import type { Engine } from '../engine/engine.ts';
import { oncePer } from '../http/request-log.ts';
import { chatVotes } from '../metrics/catalogue.ts';
import type { ChatPlatform } from '../poll/ballot.ts';
import type { ChatLink } from '../poll/chat-link.ts';
import type { AnswerId, Poll } from '../poll/poll.ts';
import type { ChatMessage, ChatSource } from './chat-source.ts';
import { VoidQueue } from './void-queue.ts';
import { voteReader } from './vote-reader.ts';

/** Platforms' clocks and ours may differ by so much. */
export const CLOCKS_DIFFER_MS = 2_000;
/** Votes that are cast at once: a ballot of a voting page waits behind no more. */
const MAX_CASTING = 300;
/** From one cast to the next at least: few large ones leave the engine to voting pages most of the time. */
const CAST_PAUSE_MS = 100;
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
  readonly source: Pick<ChatSource, 'hearsAll'>;
  readonly link: ChatLink;
  votes: number;
  lost: number;
}

/** A poll on air, as long as it counts votes from chat. */
export interface Target {
  readonly poll: Poll;
  readonly read: ReturnType<typeof voteReader>;
  readonly hash: UserHash;
  readonly sinceMs: number;
  /** Since when this process counts. */
  readonly begunAtMs: number;
  /** Of the poll at least, as the engine has told. */
  version: number;
  /** Users with a vote that is counted or about to be, with the last one. */
  readonly known: Map<string, KnownVote>;
  /** Users with a vote that is not answered yet. */
  readonly casting: Map<string, Vote>;
  /** Users by the messages of their votes. */
  readonly messages: Map<string, string>;
  isEnded: boolean;
}

interface KnownVote {
  /** By the platform's clock. No earlier message counts. */
  readonly atMs: number;
  readonly choice: string;
}

/** Of users whose first vote counts. */
const FIRST_VOTE: KnownVote = { atMs: Number.POSITIVE_INFINITY, choice: '' };

interface Vote {
  readonly target: Target;
  readonly channel: VoteChannel;
  readonly userId: string;
  readonly user: string;
  readonly answers: readonly AnswerId[];
  readonly messageId: string;
  /** By `performance.now()`. */
  readonly receivedAtMs: number;
  /** Replaces the user's vote before. */
  readonly isChange: boolean;
  /** Of the poll when the message came. A ballot that was counted by then is of an earlier message; undefined for history. */
  readonly version: number | undefined;
  /** Cast after this one: the user has changed their mind meanwhile. */
  next: Vote | undefined;
  isVoided: boolean;
}

export interface VoteCasterOptions {
  readonly engine: Pick<Engine, 'polls' | 'archive'>;
  readonly log: FastifyBaseLogger;
}

/**
 * Casts what messages vote, once for each user of a poll, or the last vote where the poll allows changes. Ballots of voting pages come
 * first: votes are cast together, with pauses between.
 */
export class VoteCaster {
  readonly #options: VoteCasterOptions;
  readonly #voids: VoidQueue;
  #waiting: Vote[] = [];
  #castingCount = 0;
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

  /** Casts the message, if it is a vote that counts. */
  read(target: Target, channel: VoteChannel, { userId, messageId, text, atMs }: ChatMessage): void {
    if (atMs < target.sinceMs - CLOCKS_DIFFER_MS) return;
    const user = `${channel.link.platform}:${userId}`;
    const last = target.known.get(user);
    if (last && (atMs < last.atMs || target.messages.has(messageId))) return;
    const answers = target.read(text);
    const choice = answers && [...answers].sort().join();
    if (!answers || choice === last?.choice) return;
    const casting = target.casting.get(user);
    if (!casting && this.#waiting.length >= MAX_WAITING) {
      this.#lose(channel, 'dropped');
      return;
    }
    const vote: Vote = {
      target,
      channel,
      userId,
      user,
      answers,
      messageId,
      isVoided: false,
      next: undefined,
      receivedAtMs: performance.now(),
      isChange: last !== undefined,
      version: atMs < target.begunAtMs ? undefined : target.version,
    };
    this.#remember(vote, allowsChange(target) ? { atMs, choice: `${choice}` } : FIRST_VOTE);
    if (casting) casting.next = vote;
    else this.#enqueue(vote);
    this.#schedule();
  }

  /** Voids the vote of a user, also one that is still being cast. */
  void(target: Target, platform: ChatPlatform, userId: string): void {
    const casting = target.casting.get(`${platform}:${userId}`);
    if (casting) casting.isVoided = true;
    else this.#voidBallot(target, platform, target.hash(platform, userId).ballotId);
  }

  /** Casts what it has, for up to two seconds. */
  async close(): Promise<void> {
    const untilMs = performance.now() + CLOSE_MS;
    while (this.#waiting.length + this.#castingCount > 0 && performance.now() < untilMs)
      await new Promise(resolve => setTimeout(resolve, 10));
    this.#isClosed = true;
    this.#voids.close();
  }

  #enqueue(vote: Vote): void {
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

  #forget({ target, user }: Vote): void {
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
    this.#castingCount = votes.length;
    this.#castAgainAtMs = 0;
    await Promise.all(votes.map(vote => this.#cast(vote)));
    this.#castingCount = 0;
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
      target.casting.delete(user);
      // An earlier try may have counted it.
      this.#voidBallot(target, platform, ballotId);
      return;
    }
    const keys = isChange && {
      ballotId: target.hash(platform, `${userId} ${messageId}`).ballotId,
      change: {},
    };
    const { id: pollId, round } = target.poll;
    const ballot = { pollId, round, answers, voter, address: voter, ballotId, source: platform, ...keys };
    const receipt = await this.#options.engine.polls.cast(ballot).catch(() => undefined);
    if (!receipt) {
      // The ballot may have been counted: the same one again is safe.
      this.#castAgainAtMs = performance.now() + RETRY_MS;
      const isLate = performance.now() - receivedAtMs > LONGEST_WAIT_MS;
      if (!isLate && !this.#isClosed && this.#waiting.length < MAX_WAITING) this.#waiting.push(vote);
      else this.#giveUp(vote);
      return;
    }
    target.casting.delete(user);
    const { outcome } = receipt;
    const isCounted = outcome === 'accepted' || outcome === 'repeated';
    const counted = outcome === 'accepted' ? 'counted' : isCounted ? 'repeated' : 'rejected';
    chatVotes.of({ platform, outcome: counted }).value += 1;
    target.version = Math.max(target.version, receipt.version);
    // Where each message comes to one process, another one may have counted the same user.
    if (outcome === 'accepted' || (isCounted && channel.source.hearsAll)) channel.votes += isChange ? 0 : 1;
    if (outcome === 'too_many_changes') target.known.set(user, FIRST_VOTE);
    else if (!isCounted) this.#forget(vote);
    const known = target.known.get(user);
    // What history says may have been changed since.
    if (outcome === 'repeated' && version === undefined && known && !vote.next)
      target.known.set(user, { ...known, choice: '' });
    const isOlder =
      outcome === 'repeated' &&
      (!channel.source.hearsAll || (version !== undefined && receipt.version <= version));
    // Another process counted another message of this user.
    if (isOlder && !isChange && allowsChange(target)) vote.next ??= { ...vote, isChange: true };
    if (isCounted && vote.next) this.#enqueue(vote.next);
    if (vote.isVoided) this.#voidBallot(target, platform, ballotId);
  }

  #voidBallot({ poll: { id, round } }: Target, platform: ChatPlatform, ballotId: string): void {
    this.#voids.add({ id, round, platform, ballotId });
  }

  #giveUp(vote: Vote): void {
    vote.target.casting.delete(vote.user);
    this.#forget(vote);
    this.#lose(vote.channel, 'failed');
  }
}

/** @param from what counts: messages since when, and since when this process reads them */
export function newTarget(
  poll: Poll,
  version: number,
  from: Pick<Target, 'hash' | 'sinceMs' | 'begunAtMs'>,
): Target {
  return {
    ...from,
    poll,
    version,
    read: voteReader(poll),
    known: new Map(),
    casting: new Map(),
    messages: new Map(),
    isEnded: false,
  };
}

const allowsChange = ({ poll }: Target) => poll.settings.allowChange;
