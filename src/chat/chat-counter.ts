import type { FastifyBaseLogger } from 'fastify';
import type { Engine, Records } from '../engine/engine.ts';
import { revisionMark } from '../engine/engine.ts';
import { FollowedValues } from '../engine/followed-topics.ts';
import { ProcessRecords } from '../engine/process-records.ts';
import { voidUsers } from '../engine/void-ballots.ts';
import { chatChannels, chatMessages, chatVotes } from '../metrics/catalogue.ts';
import type { ChatPlatform } from '../poll/ballot.ts';
import { type ChatLink, takesChat } from '../poll/chat-link.ts';
import { type AnswerId, isPollId, nameOfRound, type Poll, type PollId, type Reading } from '../poll/poll.ts';
import { CHAT_LINKS, CHAT_STATE, type ChatReport, nameOfLink, parseChatClaims } from '../show/chat-links.ts';
import { ownsPoll, type StoredShow } from '../show/show.ts';
import type { ShowBoard } from '../show/show-board.ts';
import type { ChatListener, ChatMessage, ChatSource, ChatState } from './chat-source.ts';
import { voteReader } from './vote-reader.ts';

/** Platforms' clocks and ours may differ by so much. */
const CLOCKS_DIFFER_MS = 2_000;
/** A channel is left so long after its show had a poll on air. */
const LEAVE_MS = 3_600_000;
/** Votes that are cast at once: a ballot of a voting page waits behind no more. */
const MAX_CASTING = 300;
/** From one cast to the next at least: few large ones leave the engine to voting pages most of the time. */
const CAST_PAUSE_MS = 100;
/** Votes in memory, some 10 MB. Beyond it new ones are dropped, and their users may vote again. */
const MAX_WAITING = 20_000;
/** Users in memory over all polls, some 40 MB. Beyond it the engine alone knows who has voted. */
const MAX_KNOWN = 300_000;
/** Messages that wait until the poll on air has been read. */
const MAX_EARLY = 1_000;
/** Votes whose deletion voids them, for each poll. Beyond it the oldest is forgotten. */
const MAX_MESSAGES = 50_000;
/** Banned users and deleted votes that wait for the engine. Beyond it the newest are dropped. */
const MAX_VOIDS = 5_000;
const VOIDS_OF_STEP = 250;
const VOID_PAUSE_MS = 100;
/** After an error of the engine. */
const RETRY_MS = 250;
const LONGEST_WAIT_MS = 60_000;
/** Polls change with each vote, and only their state matters here. */
const POLL_PAUSE_MS = 250;
const REPORT_MS = 1_000;
const CLOSE_MS = 2_000;
/** So that an unchanged report does not expire. */
const REPORT_AGAIN_MS = 5_000;
/** The desk shows a process that died for so long. */
const REPORT_TTL_MS = 15_000;
const LOG_LOST_MS = 60_000;
/** Since when votes for a poll on air count, for a process that starts meanwhile. */
const SINCE_TTL_MS = 7 * 86_400_000;

/** Hashes a user for one poll. Each hash tells nothing about another poll, nor without the secret about the user. */
export type UserHash = (platform: ChatPlatform, userId: string) => { voter: string; ballotId: string };

export interface ChatCounterOptions {
  readonly engine: Pick<Engine, 'polls' | 'hints' | 'records' | 'archive'>;
  readonly shows: Pick<ShowBoard, 'followShow'>;
  readonly sources: readonly ((listener: ChatListener) => ChatSource)[];
  readonly hashOf: (id: PollId) => Promise<UserHash>;
  readonly log: FastifyBaseLogger;
  /** UNIX time in milliseconds. */
  readonly clock: () => number;
}

interface Channel {
  readonly source: ChatSource;
  readonly link: ChatLink;
  /** Polls that its messages are votes for. */
  readonly targets: Set<Target>;
  isJoined: boolean;
  /** Whether a poll on air is being read, and what has been said meanwhile. */
  isEarly: boolean;
  early: ChatMessage[];
  state: ChatState | 'waiting';
  fault: string | undefined;
  messages: number;
  votes: number;
  lost: number;
  leaving: NodeJS.Timeout | undefined;
}

/** A poll on air, as long as it counts votes from chat. */
interface Target {
  readonly poll: Reading['poll'];
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
  readonly channel: Channel;
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

interface Void {
  readonly id: PollId;
  readonly platform: ChatPlatform;
  readonly ballotId: string;
}

interface FollowedShow {
  readonly unfollow: () => void;
  show: StoredShow | undefined;
  /** The poll on air that is followed. */
  onAir: { readonly id: PollId; readonly unfollow: () => void } | undefined;
  reading: Reading | undefined;
  /** Whether the state before was seen by this process, so that a change is a new beginning. */
  wasSeen: boolean;
  target: Target | undefined;
  isBeginning: boolean;
  /** Of the newest attempt to count. */
  attempt: number;
}

/**
 * Counts votes from chats. Follows the shows that link a channel, joins it while one of them has a poll on air, and casts what is a
 * vote. Two counters may run at once: the same user has the same ballot, which the engine counts once.
 */
export class ChatCounter {
  readonly #options: ChatCounterOptions;
  readonly #sources: ReadonlyMap<ChatPlatform, ChatSource>;
  readonly #claims: FollowedValues<string | undefined>;
  readonly #polls: FollowedValues<Reading | undefined>;
  readonly #shows = new Map<string, FollowedShow>();
  readonly #channels = new Map<string, Channel>();
  #waiting: Vote[] = [];
  #castingCount = 0;
  #knownCount = 0;
  #isScheduled = false;
  #castAgainAtMs = 0;
  #voids: Void[] = [];
  #isVoiding = false;
  #lost = 0;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #warnedAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  readonly #reports: ProcessRecords;
  readonly #reporting: NodeJS.Timeout;
  #reported = '{}';
  #reportedAtMs = performance.now();
  #countedAtMs = performance.now();
  readonly #endReading: () => void;

  constructor(options: ChatCounterOptions) {
    const { hints, records, polls } = options.engine;
    this.#options = options;
    this.#sources = new Map(
      options.sources.map(open => {
        const source: ChatSource = open(this.#listenerOf(() => source.platform));
        return [source.platform, source];
      }),
    );
    const find = (names: readonly string[]) => records.findMany(names);
    this.#claims = new FollowedValues({
      hints,
      topicOf: name => name,
      read: find,
      findMarks: find,
      isSame: (one, other) => one === other,
    });
    this.#polls = new FollowedValues({
      hints,
      topicOf: id => id,
      read: ids => Promise.all(ids.map(id => polls.find(id))),
      findMarks: async ids => (await polls.findRevisions(ids)).map(revisionMark),
      isSame: (one, other) =>
        one?.results.status === other?.results.status && one?.poll.edition === other?.poll.edition,
      pauseMs: POLL_PAUSE_MS,
    });
    this.#claims.follow(CHAT_LINKS, text => this.#followShows(parseChatClaims(text).map(({ show }) => show)));
    this.#reports = new ProcessRecords(records, CHAT_STATE);
    this.#reporting = setInterval(() => void this.#report(), REPORT_MS).unref();
    this.#endReading = chatChannels.read(() => this.#countStates());
  }

  /** For `/readyz`: which platforms have lost a chat. */
  async check(): Promise<string | undefined> {
    const lost = [...this.#channels.values()].filter(({ state }) => state === 'lost');
    const platforms = [...new Set(lost.map(({ link }) => link.platform))];
    return platforms.length === 0 ? undefined : `No connection to a chat of ${platforms.join(', ')}.`;
  }

  /** Casts what it has, for up to two seconds. */
  async close(): Promise<void> {
    clearInterval(this.#reporting);
    await Promise.all([...this.#sources.values()].map(source => source.close()));
    const untilMs = performance.now() + CLOSE_MS;
    while (this.#waiting.length + this.#castingCount > 0 && performance.now() < untilMs)
      await new Promise(resolve => setTimeout(resolve, 10));
    this.#isClosed = true;
    this.#endReading();
    this.#claims.close();
    this.#followShows([]);
    this.#polls.close();
    for (const { leaving } of this.#channels.values()) clearTimeout(leaving);
    await this.#reports.remove().catch(() => {});
  }

  #followShows(names: readonly string[]): void {
    for (const [name, followed] of this.#shows)
      if (!names.includes(name)) {
        this.#shows.delete(name);
        followed.unfollow();
        followed.show = undefined;
        this.#followOnAir(followed);
      }
    for (const name of names) {
      if (this.#shows.has(name)) continue;
      let isFirst = true;
      const followed: FollowedShow = {
        unfollow: () => unfollow(),
        show: undefined,
        onAir: undefined,
        reading: undefined,
        wasSeen: false,
        target: undefined,
        isBeginning: false,
        attempt: 0,
      };
      this.#shows.set(name, followed);
      const unfollow = this.#options.shows.followShow(name, show => {
        followed.show = show;
        this.#followOnAir(followed, !isFirst);
        isFirst = false;
      });
    }
    this.#settleChannels();
  }

  /** @param wasSeen this process has seen what was on air before */
  #followOnAir(followed: FollowedShow, wasSeen = false): void {
    const { show, onAir } = followed;
    const isCounted = show?.chat?.some(({ platform }) => this.#sources.has(platform)) ?? false;
    const id = isCounted && show?.onAir && isPollId(show.onAir) ? show.onAir : undefined;
    if (id !== onAir?.id) {
      onAir?.unfollow();
      followed.reading = undefined;
      followed.wasSeen = wasSeen;
      followed.onAir = undefined;
      this.#end(followed);
      if (id !== undefined) {
        const unfollow = this.#polls.follow(id, reading => {
          // Called at once if another show has the same poll on air.
          followed.reading = reading;
          if (followed.onAir?.id !== id) return;
          this.#consider(followed);
          this.#settleChannels();
        });
        followed.onAir = { id, unfollow };
      }
    }
    if (followed.onAir && followed.reading) this.#consider(followed);
    this.#settleChannels();
  }

  /** Begins or ends counting. */
  #consider(followed: FollowedShow): void {
    const { show, reading, target } = followed;
    if (!reading) {
      this.#end(followed);
      return;
    }
    const { poll, results } = reading;
    const isCounted =
      results.status === 'open' && takesChat(poll) && show !== undefined && ownsPoll(show, poll.show);
    if (!isCounted) {
      followed.wasSeen = true;
      this.#end(followed);
      return;
    }
    if (target?.poll.edition === poll.edition && target) return;
    // Messages from before a round are no votes in it.
    const isSameRound = target?.poll.round === poll.round;
    const sinceMs = isSameRound ? target?.sinceMs : undefined;
    this.#end(followed);
    followed.attempt += 1;
    followed.isBeginning = true;
    void this.#begin(followed, reading, followed.attempt, sinceMs);
  }

  async #begin(
    followed: FollowedShow,
    { poll, results }: Reading,
    attempt: number,
    knownSinceMs: number | undefined,
  ): Promise<void> {
    const nowMs = this.#options.clock();
    const { wasSeen } = followed;
    followed.wasSeen = true;
    const { records } = this.#options.engine;
    const isDue = () => !this.#isClosed && followed.attempt === attempt && followed.onAir?.id === poll.id;
    while (isDue()) {
      try {
        const hash = await this.#options.hashOf(poll.id);
        const sinceMs = knownSinceMs ?? (await since(records, poll, nowMs, wasSeen));
        if (!isDue()) return;
        followed.isBeginning = false;
        followed.target = {
          poll,
          read: voteReader(poll),
          hash,
          sinceMs,
          begunAtMs: this.#options.clock(),
          version: results.version,
          known: new Map(),
          casting: new Map(),
          messages: new Map(),
        };
        this.#settleChannels();
        return;
      } catch {
        // The engine is unavailable, which is reported elsewhere.
        await new Promise(resolve => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  #end(followed: FollowedShow): void {
    followed.attempt += 1;
    followed.isBeginning = false;
    const { target } = followed;
    if (!target) return;
    followed.target = undefined;
    this.#knownCount -= target.known.size;
    for (const { targets } of this.#channels.values()) targets.delete(target);
  }

  /** Joins and leaves channels, and connects them with what is counted. */
  #settleChannels(): void {
    const linked = new Map<
      string,
      { link: ChatLink; targets: Target[]; isOnAir: boolean; isEarly: boolean }
    >();
    for (const { show, onAir, target, reading, isBeginning } of this.#shows.values())
      for (const link of show?.chat ?? []) {
        const name = nameOfLink(link);
        const known = linked.get(name) ?? { link, targets: [], isOnAir: false, isEarly: false };
        if (target) known.targets.push(target);
        known.isOnAir ||= onAir !== undefined;
        known.isEarly ||= onAir !== undefined && (!reading || isBeginning);
        linked.set(name, known);
      }
    for (const [name, channel] of this.#channels) if (!linked.has(name)) this.#leave(channel, true);
    for (const [name, { link, targets, isOnAir, isEarly }] of linked) {
      const source = this.#sources.get(link.platform);
      if (!source) continue;
      const channel = this.#channels.get(name) ?? newChannel(source, link);
      this.#channels.set(name, channel);
      const begun = targets.filter(target => !channel.targets.has(target));
      if (begun.length > 0) channel.votes = channel.lost = 0;
      channel.targets.clear();
      for (const target of targets) channel.targets.add(target);
      const { early } = channel;
      channel.isEarly = isEarly;
      if (!isEarly) channel.early = [];
      for (const message of early) this.#read(channel, message, begun);
      if (isOnAir) {
        clearTimeout(channel.leaving);
        channel.leaving = undefined;
        if (!channel.isJoined) channel.state = 'joining';
        channel.isJoined = true;
        source.join(link.channel);
      } else if (channel.isJoined)
        channel.leaving ??= setTimeout(() => this.#leave(channel, false), LEAVE_MS).unref();
    }
  }

  #leave(channel: Channel, isUnlinked: boolean): void {
    clearTimeout(channel.leaving);
    channel.leaving = undefined;
    if (channel.isJoined) channel.source.leave(channel.link.channel);
    channel.isJoined = false;
    channel.state = 'waiting';
    channel.fault = undefined;
    if (isUnlinked) this.#channels.delete(nameOfLink(channel.link));
  }

  #listenerOf(platformOf: () => ChatPlatform): ChatListener {
    const find = (channel: string) => this.#channels.get(nameOfLink({ platform: platformOf(), channel }));
    return {
      message: message => {
        const channel = find(message.channel);
        if (channel) this.#take(channel, message);
      },
      deleted: (name, messageId) => {
        for (const target of find(name)?.targets ?? []) {
          const user = target.messages.get(messageId);
          if (user !== undefined) this.#void(target, platformOf(), user);
        }
      },
      banned: (name, userId) => {
        for (const target of find(name)?.targets ?? []) this.#void(target, platformOf(), userId);
      },
      state: (name, state, fault) => {
        const channel = find(name);
        if (!channel || (channel.state === state && channel.fault === fault)) return;
        channel.state = state;
        channel.fault = fault;
        const facts = { platform: platformOf(), channel: name, fault };
        if (state === 'connected') this.#options.log.info(facts, 'chat connected');
        else if (state === 'lost') this.#options.log.warn(facts, 'chat lost');
      },
    };
  }

  #take(channel: Channel, message: ChatMessage): void {
    const { platform } = channel.link;
    channel.messages += 1;
    chatMessages.of({ platform }).value += 1;
    if (channel.isEarly && channel.early.length < MAX_EARLY) channel.early.push(message);
    this.#read(channel, message, channel.targets);
  }

  #read(channel: Channel, message: ChatMessage, targets: Iterable<Target>): void {
    const { platform } = channel.link;
    const { userId, messageId, text, atMs } = message;
    for (const target of targets) {
      if (atMs < target.sinceMs - CLOCKS_DIFFER_MS) continue;
      const user = `${platform}:${userId}`;
      const last = target.known.get(user);
      if (last && (atMs < last.atMs || target.messages.has(messageId))) continue;
      const answers = target.read(text);
      const choice = answers && [...answers].sort().join();
      if (!answers || choice === last?.choice) continue;
      const casting = target.casting.get(user);
      if (!casting && this.#waiting.length >= MAX_WAITING) {
        this.#lose(channel, 'dropped');
        continue;
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
    }
    this.#schedule();
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
    const isCurrent = [...this.#shows.values()].some(followed => followed.target === target);
    if (target.known.delete(user) && isCurrent) this.#knownCount -= 1;
  }

  #lose(channel: Channel, outcome: 'dropped' | 'failed'): void {
    channel.lost += 1;
    chatVotes.of({ platform: channel.link.platform, outcome }).value += 1;
    this.#lost += 1;
    if (performance.now() - this.#loggedAtMs < LOG_LOST_MS) return;
    this.#loggedAtMs = performance.now();
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
    const pollId = target.poll.id;
    if (vote.isVoided) {
      target.casting.delete(user);
      // An earlier try may have counted it.
      this.#requestVoid({ id: pollId, platform, ballotId });
      return;
    }
    const keys = isChange && {
      ballotId: target.hash(platform, `${userId} ${messageId}`).ballotId,
      change: {},
    };
    const { round } = target.poll;
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
    if (vote.isVoided) this.#requestVoid({ id: pollId, platform, ballotId });
  }

  #giveUp(vote: Vote): void {
    vote.target.casting.delete(vote.user);
    this.#forget(vote);
    this.#lose(vote.channel, 'failed');
  }

  #void(target: Target, platform: ChatPlatform, userId: string): void {
    const casting = target.casting.get(`${platform}:${userId}`);
    if (casting) casting.isVoided = true;
    else
      this.#requestVoid({ id: target.poll.id, platform, ballotId: target.hash(platform, userId).ballotId });
  }

  #requestVoid(due: Void): void {
    if (this.#voids.length < MAX_VOIDS) this.#voids.push(due);
    else this.#warnOfBans(due.platform);
    if (this.#isVoiding) return;
    this.#isVoiding = true;
    setTimeout(() => void this.#voidAll(), VOID_PAUSE_MS).unref();
  }

  #warnOfBans(platform: ChatPlatform): void {
    if (performance.now() - this.#warnedAtMs < LOG_LOST_MS) return;
    this.#warnedAtMs = performance.now();
    this.#options.log.warn({ platform }, 'too many bans in chat: votes of some still count');
  }

  async #voidAll(): Promise<void> {
    while (this.#voids.length > 0 && !this.#isClosed) {
      const [{ id, platform }] = this.#voids as [Void];
      const isSame = (due: Void) => due.id === id && due.platform === platform;
      const due = this.#voids.filter(isSame).slice(0, VOIDS_OF_STEP);
      const ids = [...new Set(due.map(({ ballotId }) => ballotId))];
      try {
        const { archive, polls } = this.#options.engine;
        const reading = await polls.find(id);
        // Most banned users have not voted.
        const missing = new Set(reading ? await archive.findMissing(reading.poll, ids) : ids);
        const cast = ids.filter(ballotId => !missing.has(ballotId));
        const isRoom = cast.length === 0 || (await voidUsers(polls, id, platform, cast, await polls.now()));
        if (!isRoom) this.#warnOfBans(platform);
        const done = new Set(due);
        this.#voids = this.#voids.filter(one => !done.has(one));
      } catch {
        await new Promise(resolve => setTimeout(resolve, RETRY_MS));
      }
    }
    this.#isVoiding = false;
  }

  /** Writes what has changed, at most once a second. */
  async #report(): Promise<void> {
    const nowMs = performance.now();
    const seconds = (nowMs - this.#countedAtMs) / 1_000;
    this.#countedAtMs = nowMs;
    const reports: Record<string, ChatReport> = {};
    for (const [name, channel] of this.#channels) {
      const { state, source, fault, messages, votes, lost } = channel;
      const messagesPerSecond = Math.round(messages / seconds);
      reports[name] = { state, hearsAll: source.hearsAll, fault, messagesPerSecond, votes, lost };
      channel.messages = 0;
    }
    const text = JSON.stringify(reports);
    const isDue = text !== '{}' && nowMs - this.#reportedAtMs >= REPORT_AGAIN_MS;
    if (text === this.#reported && !isDue) return;
    this.#reported = text;
    this.#reportedAtMs = nowMs;
    await this.#reports.put(text, REPORT_TTL_MS).catch(() => {
      this.#reported = '';
    });
  }

  #countStates() {
    const counts = new Map<string, readonly [{ platform: string; state: string }, number]>();
    for (const { link, state } of this.#channels.values()) {
      const key = `${link.platform} ${state}`;
      counts.set(key, [{ platform: link.platform, state }, (counts.get(key)?.[1] ?? 0) + 1]);
    }
    return [...counts.values()];
  }
}

const allowsChange = ({ poll }: Target) => poll.settings.allowChange;

function newChannel(source: ChatSource, link: ChatLink): Channel {
  return {
    source,
    link,
    targets: new Set(),
    isJoined: false,
    isEarly: false,
    early: [],
    state: 'waiting',
    fault: undefined,
    messages: 0,
    votes: 0,
    lost: 0,
    leaving: undefined,
  };
}

/**
 * Since when votes count: now for a poll that has come on air or was opened before the eyes of this process, else since another
 * process saw that.
 */
async function since(
  records: Pick<Records, 'put' | 'putIfAbsent'>,
  poll: Poll,
  nowMs: number,
  isNew: boolean,
): Promise<number> {
  const name = `chat:since:${nameOfRound(poll)}`;
  if (!isNew) return Number(await records.putIfAbsent(name, `${nowMs}`, SINCE_TTL_MS));
  await records.put(name, `${nowMs}`, SINCE_TTL_MS);
  return nowMs;
}
