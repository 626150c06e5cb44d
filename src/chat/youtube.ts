import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { readParts } from '../http/read-parts.ts';
import { type ChatListener, type ChatSource, type ChatSourceOptions, withoutEmotes } from './chat-source.ts';
import { jsonObjects, parseJson } from './json-objects.ts';
import { PlatformClock } from './platform-clock.ts';

const URL_OF_YOUTUBE = 'https://youtube.googleapis.com';

/**
 * A request costs 5 of the 10,000 units that a key has a day, so they begin this far apart. YouTube
 * ends one after some ten seconds.
 */
const REQUEST_EVERY_MS = 5_000;
/** Without a page. Longer than YouTube lets a request last. */
const SILENCE_MS = 30_000;
const LOOKUP_MS = 10_000;
const FIRST_PAUSE_MS = 1_000;
/** Looking for the chat of a video costs 1 unit, of a handle 3. */
const LONGEST_PAUSE_MS = 60_000;
/** A used quota comes back at midnight, Pacific time. */
const QUOTA_PAUSE_MS = 600_000;
/** YouTube sends 2,000 messages in a page at most, of some 1,500 characters. */
const MAX_PAGE_CHARACTERS = 16_000_000;
const MOST_MESSAGES = '2000';
/** Videos of a channel that one request returns at most, newest first. */
const MOST_VIDEOS = 50;

interface Situation {
  readonly fault: string;
  /** Default: it grows with each fault in a row. */
  readonly pauseMs?: number | undefined;
  /** There is no such chat, or no longer. */
  readonly isEnded?: boolean | undefined;
}

const UNUSABLE: Situation = { fault: 'YouTube does not reply' };
const QUOTA: Situation = { fault: 'the daily quota of the API key is used up', pauseMs: QUOTA_PAUSE_MS };
const KEY: Situation = { fault: 'YouTube rejects the API key', pauseMs: LONGEST_PAUSE_MS };
const OVER: Situation = { fault: 'the stream is over', pauseMs: LONGEST_PAUSE_MS, isEnded: true };
/** By the `reason` of YouTube's errors; others are named by their status alone. */
const SITUATIONS = new Map<string | undefined, Situation>([
  ['quotaExceeded', QUOTA],
  ['dailyLimitExceeded', QUOTA],
  ['API_KEY_INVALID', KEY],
  ['keyInvalid', KEY],
  ['keyExpired', KEY],
  ['accessNotConfigured', { ...KEY, fault: 'YouTube Data API v3 is not enabled for the API key' }],
  ['liveChatEnded', OVER],
  ['liveChatNotFound', OVER],
  ['liveChatDisabled', { ...OVER, fault: 'the stream has no live chat' }],
]);

class YouTubeFault extends Error {
  readonly situation: Situation;
  /** The chat, or the token of its last page, is not to be asked for again. */
  readonly isStale: boolean;

  constructor(situation: Situation, status?: number) {
    super(situation.fault);
    this.situation = situation;
    this.isStale = situation.isEnded === true || status === 400 || status === 404;
  }
}

const reasons = z.array(z.object({ reason: z.string() }).partial()).optional();
const error = z.object({ error: z.object({ errors: reasons, details: reasons }) });
const uploads = z.object({
  items: z
    .array(z.object({ contentDetails: z.object({ relatedPlaylists: z.object({ uploads: z.string() }) }) }))
    .default([]),
});
const videos = z.object({
  items: z.array(z.object({ contentDetails: z.object({ videoId: z.string() }) })).default([]),
});
const streams = z.object({
  items: z
    .array(
      z.object({
        liveStreamingDetails: z
          .object({
            activeLiveChatId: z.string().optional(),
            actualStartTime: z.string().optional(),
          })
          .optional(),
      }),
    )
    .default([]),
});
const page = z.object({
  nextPageToken: z.string().optional(),
  offlineAt: z.string().optional(),
  items: z.array(z.unknown()).default([]),
});
const comment = z.object({ userComment: z.string().optional() }).optional();
/** Told apart by their details: the names of types differ between YouTube's interfaces. */
const item = z.object({
  id: z.string(),
  snippet: z.object({
    publishedAt: z.string(),
    textMessageDetails: z.object({ messageText: z.string() }).optional(),
    superChatDetails: comment,
    memberMilestoneChatDetails: comment,
    messageDeletedDetails: z.object({ deletedMessageId: z.string() }).optional(),
    userBannedDetails: z.object({ bannedUserDetails: z.object({ channelId: z.string() }) }).optional(),
  }),
  authorDetails: z.object({ channelId: z.string() }).optional(),
});

/** YouTube's own emotes, like `:hand-pink-waving:` and `:_name:`. A time like 10:30:00 is no emote. */
const EMOTE = /:(?=[^:\s]*[^:\s\d])([^:\s]{1,60}):/g;

interface YouTubeOptions extends ChatSourceOptions {
  readonly key: string;
  /** Rejects if aborted. */
  readonly pause?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Where a channel is read from; both are undefined at first, and after the end of a stream. */
interface StreamPosition {
  chatId?: string | undefined;
  pageToken?: string | undefined;
}

/**
 * Chats of YouTube by the official `liveChat/messages/stream`: a request that stays open and gets a
 * page of messages as they come. The next request begins after the last page, so a lost connection
 * loses no message. Memory: one page for each channel.
 */
export class YouTubeSource implements ChatSource {
  readonly platform = 'youtube';
  readonly hearsAll = true;
  readonly clock = new PlatformClock();
  readonly #url: string;
  readonly #key: string;
  readonly #listener: ChatListener;
  readonly #pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly #joined = new Map<string, AbortController>();
  readonly #following = new Set<Promise<void>>();

  constructor({ url = URL_OF_YOUTUBE, key, listener, pause }: YouTubeOptions) {
    this.#url = url;
    this.#key = key;
    this.#listener = listener;
    this.#pause = pause ?? ((ms, signal) => wait(ms, undefined, { signal }));
  }

  join(channel: string): void {
    if (this.#joined.has(channel)) return;
    const leaving = new AbortController();
    this.#joined.set(channel, leaving);
    // An abort rejects whatever it waits for.
    const following = this.#follow(channel, leaving.signal).catch(() => {});
    this.#following.add(following);
    void following.then(() => this.#following.delete(following));
  }

  leave(channel: string): void {
    this.#joined.get(channel)?.abort();
    this.#joined.delete(channel);
  }

  async close(): Promise<void> {
    for (const channel of [...this.#joined.keys()]) this.leave(channel);
    await Promise.all(this.#following);
  }

  async #follow(channel: string, signal: AbortSignal): Promise<void> {
    let position: StreamPosition = {};
    let faults = 0;
    while (!signal.aborted) {
      const beganMs = performance.now();
      let pauseMs = 0;
      try {
        position.chatId ??= await this.#findChat(channel, signal);
        await this.#readPages(channel, position, signal, () => {
          faults = 0;
        });
      } catch (cause) {
        signal.throwIfAborted();
        faults += 1;
        // Never the cause itself, which may show what was sent.
        const known = cause instanceof YouTubeFault ? cause : undefined;
        const { fault, isEnded, pauseMs: wanted } = known?.situation ?? UNUSABLE;
        const grownMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (faults - 1));
        pauseMs = (wanted ?? grownMs) * (0.75 + Math.random() * 0.25);
        if (known?.isStale) position = {};
        this.#listener.state(channel, isEnded ? 'ended' : 'lost', fault);
      }
      await this.#pause(Math.max(pauseMs, REQUEST_EVERY_MS - (performance.now() - beganMs)), signal);
    }
  }

  async #findChat(channel: string, signal: AbortSignal): Promise<string> {
    const isHandle = channel.startsWith('@');
    const ids = isHandle ? await this.#findVideos(channel, signal) : [channel];
    const query = { part: 'liveStreamingDetails', id: ids.join() };
    const { items } = await this.#look('videos', query, streams, signal);
    // Where a handle is linked, a stream that is planned is not the one people watch.
    const live = items.find(
      ({ liveStreamingDetails: stream }) =>
        stream?.activeLiveChatId && (!isHandle || stream.actualStartTime !== undefined),
    );
    if (live) return live.liveStreamingDetails!.activeLiveChatId!;
    const fault = isHandle ? 'the channel has no live stream' : 'the video has no live chat';
    throw new YouTubeFault({ ...OVER, fault });
  }

  /** Ids of the newest videos, which include live ones. A search would cost a hundred units. */
  async #findVideos(handle: string, signal: AbortSignal): Promise<string[]> {
    const part = 'contentDetails';
    const found = await this.#look('channels', { part, forHandle: handle }, uploads, signal);
    const playlistId = found.items[0]?.contentDetails.relatedPlaylists.uploads;
    if (playlistId === undefined) throw new YouTubeFault({ ...OVER, fault: 'there is no such channel' });
    const query = { part, playlistId, maxResults: `${MOST_VIDEOS}` };
    const { items } = await this.#look('playlistItems', query, videos, signal);
    return items.map(({ contentDetails }) => contentDetails.videoId);
  }

  async #look<T>(
    path: string,
    query: Record<string, string>,
    schema: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const limit = timeLimit(signal, LOOKUP_MS);
    try {
      const reply = await this.#get(path, query, limit.signal);
      for await (const text of objectsOf(reply, limit.signal)) return schema.parse(parseJson(text));
      throw new Error('no object');
    } finally {
      limit.end();
    }
  }

  /**
   * Resolves when YouTube ends the request, or after a silence.
   *
   * @param onPage also called for pages without messages
   */
  async #readPages(
    channel: string,
    position: StreamPosition,
    signal: AbortSignal,
    onPage: () => void,
  ): Promise<void> {
    const { chatId, pageToken } = position;
    const query = {
      liveChatId: chatId!,
      part: 'id,snippet,authorDetails',
      maxResults: MOST_MESSAGES,
      ...(pageToken !== undefined && { pageToken }),
    };
    const limit = timeLimit(signal, SILENCE_MS);
    let pages = 0;
    try {
      const reply = await this.#get('liveChat/messages/stream', query, limit.signal);
      for await (const text of objectsOf(reply, limit.signal)) {
        const json = parseJson(text);
        if (error.safeParse(json).success) throw faultOf(reply.status, json);
        const { nextPageToken, offlineAt, items } = page.parse(json);
        limit.extend();
        pages += 1;
        onPage();
        if (pages === 1) this.#listener.state(channel, 'connected');
        for (const given of items) {
          signal.throwIfAborted();
          this.#tell(channel, given);
        }
        if (offlineAt !== undefined) throw new YouTubeFault(OVER);
        if (nextPageToken !== undefined) position.pageToken = nextPageToken;
      }
      if (pages === 0) throw new Error('no object');
    } catch (cause) {
      // A quiet chat after its first page.
      if (!limit.hasPassed || pages === 0) throw cause;
    } finally {
      limit.end();
    }
  }

  #tell(channel: string, given: unknown): void {
    const { data } = item.safeParse(given);
    if (!data) return;
    const { id, snippet, authorDetails } = data;
    const { textMessageDetails, messageDeletedDetails, userBannedDetails } = snippet;
    const { superChatDetails: paid, memberMilestoneChatDetails: milestone } = snippet;
    const said = textMessageDetails?.messageText ?? paid?.userComment ?? milestone?.userComment;
    if (messageDeletedDetails) this.#listener.deleted(channel, messageDeletedDetails.deletedMessageId);
    else if (userBannedDetails) this.#listener.banned(channel, userBannedDetails.bannedUserDetails.channelId);
    else if (said !== undefined && authorDetails) {
      const atMs = Date.parse(snippet.publishedAt);
      if (Number.isNaN(atMs)) return;
      const userId = authorDetails.channelId;
      this.#listener.message({ channel, userId, messageId: id, ...withoutEmotes(said, EMOTE), atMs });
    }
  }

  /** The key is in a header, which no log or error shows; a redirect would carry it to another server. */
  async #get(path: string, query: Record<string, string>, signal: AbortSignal): Promise<Response> {
    const sentAtMs = performance.now();
    const reply = await fetch(`${this.#url}/youtube/v3/${path}?${new URLSearchParams(query)}`, {
      headers: { 'x-goog-api-key': this.#key },
      redirect: 'error',
      signal,
    });
    this.clock.learn(reply, sentAtMs);
    if (reply.ok) return reply;
    for await (const text of objectsOf(reply, signal)) throw faultOf(reply.status, parseJson(text));
    throw faultOf(reply.status, undefined);
  }
}

function objectsOf(reply: Response, signal: AbortSignal): AsyncGenerator<string> {
  return jsonObjects(readParts(reply, signal), MAX_PAGE_CHARACTERS);
}

function faultOf(status: number, json: unknown): YouTubeFault {
  const { data } = error.safeParse(json);
  const given = [...(data?.error.details ?? []), ...(data?.error.errors ?? [])];
  const [known] = given.flatMap(({ reason }) => SITUATIONS.get(reason) ?? []);
  return new YouTubeFault(known ?? { fault: `YouTube replies with status ${status}` }, status);
}

/**
 * Aborts with another signal, or after a time without `extend`. `AbortSignal.any` would leave
 * something behind at each request.
 */
function timeLimit(parent: AbortSignal, ms: number) {
  const ending = new AbortController();
  const abort = () => ending.abort();
  const limit = {
    signal: ending.signal,
    hasPassed: false,
    extend: () => void timer.refresh(),
    /** Ends the request as well. */
    end() {
      clearTimeout(timer);
      parent.removeEventListener('abort', abort);
      abort();
    },
  };
  const timer = setTimeout(() => {
    limit.hasPassed = true;
    abort();
  }, ms);
  if (parent.aborted) abort();
  parent.addEventListener('abort', abort);
  return limit;
}
