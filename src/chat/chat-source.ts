import type { ChatPlatform } from '../poll/chat-platform.ts';
import type { PlatformClock } from './platform-clock.ts';

/** A chat message that may be a vote. Neither the user's name nor the text is stored. */
export interface ChatMessage {
  /** As `join` got it. */
  readonly channel: string;
  /** The platform's id of the user, never a name. */
  readonly userId: string;
  /** The platform's id of the message, unique in the channel. */
  readonly messageId: string;
  /**
   * What the user said: without the address of a reply or a cheer, and with a blank for each of the
   * platform's own emotes.
   */
  readonly text: string;
  /** The same with the names of emotes, which may be an answer; absent without emotes. */
  readonly whole?: string | undefined;
  /** When the platform received it: UNIX time in milliseconds by the platform's clock. */
  readonly atMs: number;
}

/**
 * - `joining`: never connected since `join`
 * - `connected`: the channel's messages arrive
 * - `lost`: they did, or should by now; the source tries again by itself
 * - `ended`: the stream is over or the channel does not exist; the source tries again rarely, or not at all
 */
export type ChatState = 'joining' | 'connected' | 'lost' | 'ended';

/** Called in the order in which the platform sends. MUST NOT throw. */
export interface ChatListener {
  message(message: ChatMessage): void;
  /** Moderators have deleted a message. */
  deleted(channel: string, messageId: string): void;
  /** Moderators have banned a user, for good or for a time. */
  banned(channel: string, userId: string): void;
  /** @param fault for the desk and the log, in constant words without a key; absent without one */
  state(channel: string, state: ChatState, fault?: string): void;
}

/**
 * The chats of one platform. MUST reconnect by itself with a growing, random pause, and MUST bound
 * what it keeps in memory.
 */
export interface ChatSource {
  readonly platform: ChatPlatform;
  /** Two processes hear the same messages; otherwise each message comes to one of them. */
  readonly hearsAll: boolean;
  /** By which messages are dated; absent where none can be had. */
  readonly clock?: PlatformClock | undefined;

  /**
   * Joins a channel, named as `parseChannel` returns it. Calls the listener until `leave`, also with
   * history and the same message twice. Returns at once; joining again changes nothing.
   */
  join(channel: string): void;

  /** The listener hears nothing more of the channel. */
  leave(channel: string): void;

  /** MUST release every connection and timer, and MUST NOT call the listener again. */
  close(): Promise<void>;
}

/** The address of a server in place of the platform's own; undefined for the platform's. */
export interface ChatSourceOptions {
  readonly url: string | undefined;
  readonly listener: ChatListener;
}

/** @param emote global, with the emote's name as its first group */
export function withoutEmotes(said: string, emote: RegExp): Pick<ChatMessage, 'text' | 'whole'> {
  const text = said.replace(emote, ' ');
  return text === said ? { text } : { text, whole: said.replace(emote, ' $1 ') };
}
