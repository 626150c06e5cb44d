import { setTimeout as pause } from 'node:timers/promises';
import { type Engine, type Records, revisionMark } from '../engine/engine.ts';
import { FollowedValues } from '../engine/followed-topics.ts';
import { ProcessRecords, reportEvery } from '../engine/process-records.ts';
import { chatChannels, chatMessages } from '../metrics/catalogue.ts';
import { type ChatLink, takesChat } from '../poll/chat-link.ts';
import type { ChatPlatform } from '../poll/chat-platform.ts';
import { DAY_MS, isPollId, nameOfRound, type Poll, type PollId, type Reading } from '../poll/poll.ts';
import {
  CHAT_LINKS,
  CHAT_STATE,
  type ChatClaim,
  type ChatReport,
  claimChannels,
  nameOfLink,
  parseChatClaims,
} from '../show/chat-links.ts';
import { ownsPoll, type StoredShow } from '../show/show.ts';
import type { ShowBoard } from '../show/show-board.ts';
import type { ChatListener, ChatMessage, ChatSource, ChatState } from './chat-source.ts';
import {
  newTarget,
  type Target,
  type UserHash,
  VoteCaster,
  type VoteCasterOptions,
  type VoteChannel,
} from './vote-caster.ts';
import { voteReader } from './vote-reader.ts';

/** A channel is left so long after its show had a poll on air. */
const LEAVE_MS = 3_600_000;
/** Messages that wait until the poll on air has been read, and the platform's clock. */
const MAX_HELD = 10_000;
/** After an error of the engine. */
const RETRY_MS = 250;
/** Polls change with each vote, and only their state matters here. */
const POLL_PAUSE_MS = 250;
const REPORT_MS = 1_000;
/** Messages that arrive so long after their date are late, or a clock is wrong. */
const LATE_MS = 5_000;
/** A platform may send older messages first. */
const HISTORY_MS = 10_000;
const GIVEN_UP = 'Another show has its place; joined again when a poll is put on air';
/** Since when votes for a poll on air count, for a process that starts meanwhile. */
const SINCE_TTL_MS = 7 * DAY_MS;

export interface ChatCounterOptions extends VoteCasterOptions {
  readonly engine: Pick<Engine, 'polls' | 'hints' | 'records' | 'archive'>;
  readonly shows: Pick<ShowBoard, 'followShow'>;
  readonly hashOf: (id: PollId) => Promise<UserHash>;
  readonly sources: readonly ((listener: ChatListener) => ChatSource)[];
  /** Channels that shows may link, as for `claimChannels`. */
  readonly channels: number;
}

interface CountedChannel extends VoteChannel {
  readonly source: ChatSource;
  /** Polls that its messages are votes for. */
  readonly targets: Set<Target>;
  isJoined: boolean;
  /** Whether a poll on air is being read, or the platform's clock asked, and what has been said meanwhile. */
  isHeld: boolean;
  held: ChatMessage[];
  /** Readers of upcoming polls on air. */
  previews: readonly ReturnType<typeof voteReader>[];
  /** Votes from before the opening of what is on air. */
  early: number;
  /** The polls on air. */
  onAir: string;
  /** By `performance.now()`. */
  connectedAtMs: number;
  /** Between the date of a message and its arrival: the shortest since the last report, and that of the report. */
  leastLateMs: number;
  lateMs: number;
  state: ChatState | 'waiting';
  fault: string | undefined;
  messages: number;
  leaving: NodeJS.Timeout | undefined;
}

interface CountedShow {
  claim: ChatClaim;
  readonly unfollow: () => void;
  show?: StoredShow | undefined;
  /** The poll on air that is followed. */
  onAir?: { readonly id: PollId; readonly unfollow: () => void } | undefined;
  reading?: Reading | undefined;
  /** Whether the state before was seen by this process, so that a change is a new beginning. */
  wasSeen: boolean;
  target?: Target | undefined;
  /** Reads votes for an upcoming poll, which are too early. */
  preview?: ReturnType<typeof voteReader> | undefined;
  isBeginning: boolean;
  /** Number of the newest attempt to count. */
  attempt: number;
}

/**
 * Counts votes from chats. Follows the shows that link a channel, joins it while one of them has a
 * poll on air, and hands its messages to the caster. Two counters may run at once: the same user
 * has the same ballot, which the engine counts once.
 */
export class ChatCounter {
  readonly #options: ChatCounterOptions;
  readonly #sources: ReadonlyMap<ChatPlatform, ChatSource>;
  readonly #claims: FollowedValues<string | undefined>;
  readonly #polls: FollowedValues<Reading | undefined>;
  readonly #shows = new Map<string, CountedShow>();
  readonly #channels = new Map<string, CountedChannel>();
  readonly #caster: VoteCaster;
  #isClosed = false;
  readonly #reports: ProcessRecords;
  readonly #endReports: () => void;
  #countedAtMs = performance.now();
  readonly #endReading: () => void;

  constructor(options: ChatCounterOptions) {
    const { hints, records, polls } = options.engine;
    this.#options = options;
    this.#caster = new VoteCaster(options);
    this.#sources = new Map(
      options.sources.map(open => {
        const source: ChatSource = open(this.#listenerOf(() => source.platform));
        void source.clock?.asked.then(() => this.#settleChannels());
        return [source.platform, source];
      }),
    );
    const find = (names: readonly string[]) => records.findMany(names);
    this.#claims = new FollowedValues({
      hints,
      read: find,
      findMarks: find,
    });
    this.#polls = new FollowedValues({
      hints,
      read: ids => Promise.all(ids.map(id => polls.find(id))),
      findMarks: async ids => (await polls.findRevisions(ids)).map(revisionMark),
      isSame: (one, other) =>
        one?.results.status === other?.results.status && one?.poll.edition === other?.poll.edition,
      pauseMs: POLL_PAUSE_MS,
    });
    this.#claims.follow(CHAT_LINKS, text => this.#followShows(parseChatClaims(text)));
    this.#reports = new ProcessRecords(records, CHAT_STATE);
    this.#endReports = reportEvery(REPORT_MS, this.#reports, () => this.#report());
    this.#endReading = chatChannels.read(() =>
      [...this.#channels.values()].map(({ link, state }) => [{ platform: link.platform, state }, 1]),
    );
  }

  /** For `/readyz`: which platforms have lost a chat. */
  async check(): Promise<string | undefined> {
    const lost = [...this.#channels.values()].filter(({ state }) => state === 'lost');
    const platforms = [...new Set(lost.map(({ link }) => link.platform))];
    return platforms.length === 0 ? undefined : `No connection to a chat of ${platforms.join(', ')}.`;
  }

  /** Casts what it has, for up to two seconds. */
  async close(): Promise<void> {
    this.#endReports();
    await Promise.all([...this.#sources.values()].map(source => source.close()));
    await this.#caster.close();
    this.#isClosed = true;
    this.#endReading();
    this.#claims.close();
    this.#followShows([]);
    this.#polls.close();
    for (const { leaving } of this.#channels.values()) clearTimeout(leaving);
    await this.#reports.remove().catch(() => {});
  }

  #followShows(claims: readonly ChatClaim[]): void {
    const names = claims.map(({ show }) => show);
    for (const [name, followed] of this.#shows)
      if (!names.includes(name)) {
        this.#shows.delete(name);
        followed.unfollow();
        followed.show = undefined;
        this.#followOnAir(followed);
      }
    for (const claim of claims) {
      const { show: name } = claim;
      const known = this.#shows.get(name);
      if (known) {
        known.claim = claim;
        this.#followOnAir(known);
        continue;
      }
      let isFirst = true;
      const followed: CountedShow = {
        unfollow: () => unfollow(),
        claim,
        wasSeen: false,
        isBeginning: false,
        attempt: 0,
      };
      this.#shows.set(name, followed);
      const unfollow = this.#options.shows.followShow(name, show => {
        const isTake = !isFirst && show?.onAir && show.onAir !== followed.show?.onAir;
        followed.show = show;
        if (isTake && followed.claim.isGivenUp) void this.#claimAgain(followed.claim, show);
        this.#followOnAir(followed, !isFirst);
        isFirst = false;
      });
    }
    this.#settleChannels();
  }

  /** Another show may have needed the place of one that had nothing on air. */
  async #claimAgain({ show, by }: ChatClaim, { chat = [] }: StoredShow): Promise<void> {
    const { engine, channels, log } = this.#options;
    try {
      if (chat.length > 0) await claimChannels(engine, { show, chat, by }, channels);
    } catch (cause) {
      log.warn({ show, cause: (cause as Error).message }, 'no room for the chats of a show');
    }
  }

  /** @param wasSeen this process has seen what was on air before */
  #followOnAir(followed: CountedShow, wasSeen = false): void {
    const { show, onAir } = followed;
    const isRead = show?.chat?.some(({ platform }) => this.#sources.has(platform)) ?? false;
    const id =
      isRead && !followed.claim.isGivenUp && show?.onAir && isPollId(show.onAir) ? show.onAir : undefined;
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
  #consider(followed: CountedShow): void {
    const { show, reading, target } = followed;
    if (!reading) {
      this.#end(followed);
      return;
    }
    const { poll, results } = reading;
    const isOwn = takesChat(poll) && show !== undefined && ownsPoll(show, poll.show);
    followed.preview = isOwn && results.status === 'upcoming' ? voteReader(poll) : undefined;
    if (!isOwn || results.status !== 'open') {
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
    followed: CountedShow,
    { poll, results }: Reading,
    attempt: number,
    knownSinceMs: number | undefined,
  ): Promise<void> {
    const seenAtMs = performance.now();
    const { wasSeen } = followed;
    followed.wasSeen = true;
    const { records, polls } = this.#options.engine;
    const isDue = () => !this.#isClosed && followed.attempt === attempt && followed.onAir?.id === poll.id;
    while (isDue()) {
      try {
        const hash = await this.#options.hashOf(poll.id);
        // The engine's clock is the one that all processes share.
        const askedAtMs = performance.now();
        const engineAheadMs = (await polls.now()) - (askedAtMs + performance.now()) / 2;
        const engineMs = Math.round(seenAtMs + engineAheadMs);
        const sinceMs = knownSinceMs ?? (await since(records, poll, engineMs, wasSeen)) - engineAheadMs;
        if (!isDue()) return;
        followed.isBeginning = false;
        const begunAtMs = performance.now();
        followed.target = newTarget(poll, results.version, { hash, sinceMs, begunAtMs });
        this.#settleChannels();
        return;
      } catch {
        // The engine is unavailable, which is reported elsewhere.
        await pause(RETRY_MS);
      }
    }
  }

  #end(followed: CountedShow): void {
    followed.attempt += 1;
    followed.isBeginning = false;
    const { target } = followed;
    if (!followed.reading) followed.preview = undefined;
    if (!target) return;
    followed.target = undefined;
    this.#caster.end(target);
    for (const { targets } of this.#channels.values()) targets.delete(target);
  }

  /** Joins and leaves channels, and connects them with what is counted. */
  #settleChannels(): void {
    const linked = new Map<string, LinkedChannel>();
    for (const { claim, show, onAir, target, preview, reading, isBeginning } of this.#shows.values())
      for (const link of show?.chat ?? []) {
        const name = nameOfLink(link);
        const nothing = { targets: [], previews: [], onAir: [], isHeld: false, isGivenUp: true };
        const known: LinkedChannel = linked.get(name) ?? { link, ...nothing };
        if (!claim.isGivenUp) known.isGivenUp = false;
        if (target) known.targets.push(target);
        if (preview) known.previews.push(preview);
        if (onAir) known.onAir.push(onAir.id);
        known.isHeld ||= onAir !== undefined && (!reading || isBeginning);
        linked.set(name, known);
      }
    for (const [name, channel] of this.#channels) if (!linked.has(name)) this.#leave(channel, true);
    for (const [name, { link, targets: counted, previews, onAir, isHeld, isGivenUp }] of linked) {
      const source = this.#sources.get(link.platform);
      if (!source) continue;
      const isDated = source.clock?.isAsked ?? true;
      const targets = isDated ? counted : [];
      const channel = this.#channels.get(name) ?? newChannel(source, link);
      this.#channels.set(name, channel);
      const begun = targets.filter(target => !channel.targets.has(target));
      if (begun.length > 0) channel.votes = channel.lost = 0;
      if (channel.onAir !== onAir.join()) channel.early = 0;
      channel.onAir = onAir.join();
      channel.previews = previews;
      channel.targets.clear();
      for (const target of targets) channel.targets.add(target);
      const { held } = channel;
      channel.isHeld = isHeld || !isDated;
      if (!channel.isHeld) channel.held = [];
      for (const message of held) this.#read(channel, begun, message);
      const isOnAir = onAir.length > 0;
      if (isGivenUp && channel.isJoined) this.#leave(channel, false);
      if (!channel.isJoined) channel.fault = isGivenUp ? GIVEN_UP : undefined;
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

  #leave(channel: CountedChannel, isUnlinked: boolean): void {
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
        const channel = find(name);
        for (const target of channel?.targets ?? []) this.#caster.delete(target, channel!, messageId);
      },
      banned: (name, userId) => {
        for (const target of find(name)?.targets ?? []) this.#caster.void(target, platformOf(), userId);
      },
      state: (name, state, fault) => {
        const channel = find(name);
        if (!channel || (channel.state === state && channel.fault === fault)) return;
        channel.state = state;
        channel.fault = fault;
        channel.connectedAtMs = performance.now();
        const facts = { platform: platformOf(), channel: name, fault };
        if (state === 'connected') this.#options.log.info(facts, 'chat connected');
        else if (state === 'lost') this.#options.log.warn(facts, 'chat lost');
        else if (state === 'ended') this.#options.log.warn(facts, 'chat not available');
      },
    };
  }

  #take(channel: CountedChannel, message: ChatMessage): void {
    const { platform } = channel.link;
    const nowMs = performance.now();
    channel.messages += 1;
    chatMessages.of({ platform }).value += 1;
    const clock = this.#caster.clockOf(channel);
    if (nowMs - channel.connectedAtMs > HISTORY_MS) {
      const lateMs = clock.at(nowMs) - message.atMs;
      if (Math.abs(lateMs) < Math.abs(channel.leastLateMs)) channel.leastLateMs = lateMs;
    }
    if (channel.isHeld && channel.held.length < MAX_HELD) channel.held.push(message);
    if (channel.previews.some(read => read(message.text, message.whole))) channel.early += 1;
    this.#read(channel, channel.targets, message, clock);
  }

  #read(
    channel: CountedChannel,
    targets: Iterable<Target>,
    message: ChatMessage,
    clock = this.#caster.clockOf(channel),
  ): void {
    let isEarly = false;
    for (const target of targets) isEarly = this.#caster.read(target, channel, message, clock) || isEarly;
    if (isEarly) channel.early += 1;
  }

  /** @returns by how many seconds messages are late, from `LATE_MS` on */
  #latenessOf(channel: CountedChannel): number | undefined {
    const { link, leastLateMs } = channel;
    const wasLate = isLate(channel.lateMs);
    // Without a message since the last report, nothing is new.
    if (Number.isFinite(leastLateMs)) channel.lateMs = leastLateMs;
    channel.leastLateMs = Number.POSITIVE_INFINITY;
    const seconds = Math.round(channel.lateMs / 1_000);
    const facts = { platform: link.platform, channel: link.channel, seconds };
    if (!isLate(channel.lateMs)) {
      if (wasLate) this.#options.log.info(facts, 'messages of a chat are in time again');
      return undefined;
    }
    if (!wasLate)
      this.#options.log.warn(facts, 'messages of a chat are late, or the clock of this server is wrong');
    return seconds;
  }

  /** Counts start at zero after each report. */
  #report(): Record<string, ChatReport> {
    const nowMs = performance.now();
    const seconds = (nowMs - this.#countedAtMs) / 1_000;
    this.#countedAtMs = nowMs;
    const reports: Record<string, ChatReport> = {};
    for (const [name, channel] of this.#channels) {
      const { state, source, fault, messages, votes, lost, early } = channel;
      const messagesPerSecond = Math.round(messages / seconds);
      const counts = { messagesPerSecond, votes, lost, early, late: this.#latenessOf(channel) };
      reports[name] = { state, hearsAll: source.hearsAll, fault, ...counts };
      channel.messages = 0;
    }
    return reports;
  }
}

/** What all shows together want of a channel. */
interface LinkedChannel {
  readonly link: ChatLink;
  readonly targets: Target[];
  readonly previews: ReturnType<typeof voteReader>[];
  /** Ids of polls. */
  readonly onAir: string[];
  isHeld: boolean;
  isGivenUp: boolean;
}

const isLate = (lateMs: number) => Math.abs(lateMs) >= LATE_MS;

function newChannel(source: ChatSource, link: ChatLink): CountedChannel {
  const never = Number.POSITIVE_INFINITY;
  const counts = { messages: 0, votes: 0, lost: 0, early: 0 };
  const lateness = { connectedAtMs: never, leastLateMs: never, lateMs: 0 };
  const state = { isJoined: false, state: 'waiting', fault: undefined, leaving: undefined } as const;
  const heard = { onAir: '', targets: new Set<Target>(), previews: [], isHeld: false, held: [] };
  return { source, link, ...counts, ...lateness, ...state, ...heard };
}

/**
 * Since when votes count: now for a poll that has come on air or was opened before the eyes of this
 * process, else since another process saw that.
 */
async function since(records: Records, poll: Poll, nowMs: number, isNew: boolean): Promise<number> {
  const name = `chat:since:${nameOfRound(poll)}` as const;
  if (!isNew) return Number(await records.putIfAbsent(name, `${nowMs}`, SINCE_TTL_MS));
  await records.put(name, `${nowMs}`, SINCE_TTL_MS);
  return nowMs;
}
