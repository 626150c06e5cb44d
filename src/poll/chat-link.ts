import type { ChatPlatform } from './ballot.ts';
import type { Poll } from './poll.ts';

/** The chats that a show links, and what people type there. Pure, runs in browsers. */

export interface ChatLink {
  readonly platform: ChatPlatform;
  /** As `readChannel` returns it. */
  readonly channel: string;
}

/** Returns the links without one, which may be new. */
export function otherLinks(
  links: readonly ChatLink[] = [],
  { platform, channel }: ChatLink,
): readonly ChatLink[] {
  return links.filter(link => link.platform !== platform || link.channel !== channel);
}

/** Of one show. */
export const MAX_CHAT_LINKS = 3;

const CHANNELS: Readonly<Record<ChatPlatform, { readonly link: RegExp; readonly name: RegExp }>> = {
  twitch: { link: /^(?:https?:\/\/)?(?:(?:www|m)\.)?twitch\.tv\/(?:popout\/)?|^[#@]/i, name: /^\w{1,25}$/ },
  youtube: {
    link: /^(?:https?:\/\/)?(?:(?:www|m|studio)\.)?(?:youtu\.be\/|youtube\.com\/(?:watch\?(?:.*&)?v=|live\/|video\/|live_chat\?(?:.*&)?v=)?)/i,
    name: /^(?:[\w-]{11}|@[\p{L}\p{N}._·-]{1,100})$/u,
  },
  kick: { link: /^(?:https?:\/\/)?(?:www\.)?kick\.com\/|^@/i, name: /^[\w-]{1,50}$/ },
};

/**
 * Reads the name of a channel, or its address as browsers show it. Names of Twitch and Kick become lower case; on YouTube a channel
 * is the id of a video or a `@handle`.
 *
 * @returns undefined if it is neither
 */
export function readChannel(platform: ChatPlatform, text: string): string | undefined {
  const { link, name } = CHANNELS[platform];
  const [channel = ''] = text
    .trim()
    .replace(link, '')
    .split(/[?&/#]/, 1);
  if (!name.test(channel)) return undefined;
  return platform === 'youtube' ? channel : channel.toLowerCase();
}

/** The alphabet of `chat_words`. */
export const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** With at most half the alphabet for one poll, a poll and the next one of its show share no letter. */
export const MAX_LETTERS = LETTERS.length / 2;

/** Whether chats count for a poll if its show links some: a chat knows neither accounts nor names. */
export function takesChat({ chat, settings }: Pick<Poll, 'chat' | 'settings'>): boolean {
  return chat !== false && !settings.requireSignIn && !settings.requireName;
}

interface ChatPoll {
  readonly answers: readonly unknown[];
  readonly settings: { readonly chatWords: boolean };
  readonly firstLetter?: number | undefined;
}

/** What people type for each answer, in order: numbers from 1, or letters with `chatWords`. */
export function chatLabels({ answers, settings, firstLetter = 0 }: ChatPoll): string[] {
  return answers.map((_, index) =>
    settings.chatWords ? LETTERS[(firstLetter + index) % LETTERS.length]! : `${index + 1}`,
  );
}
