import type { ChatPlatform } from './chat-platform.ts';
import type { Poll } from './poll.ts';

/** The chats that a show links, and what people type there. Pure, runs in browsers. */

export interface ChatLink {
  readonly platform: ChatPlatform;
  /** As `parseChannel` returns it. */
  readonly channel: string;
}

/** Returns the links without one, which may be new. */
export function otherLinks(links: readonly ChatLink[] = [], { platform, channel }: ChatLink): ChatLink[] {
  return links.filter(link => link.platform !== platform || link.channel !== channel);
}

/** Links of one show. */
export const MAX_CHAT_LINKS = 3;

/** What a name of each platform may be. */
const NAMES: Readonly<Record<ChatPlatform, RegExp>> = {
  twitch: /^\w{1,25}$/,
  youtube: /^(?:[\w-]{11}|@[\p{L}\p{N}._·-]{1,100})$/u,
  kick: /^[\w-]{1,50}$/,
};
/** A name has none of these, so whatever has is an address. */
const ADDRESS = /^(?:https?:\/\/)?((?:[\w-]+\.)+[a-z]{2,}(?:[/?#].*)?)$/i;
/** Paths before a channel's name. */
const VIEWS = new Set(['popout', 'moderator', 'embed']);
/** Pages that are no channel. */
const PAGES = new Set(
  'directory videos video clip clips category categories browse following search settings dashboard downloads jobs p u team drops inventory wallet subscriptions turbo prime login signup'.split(
    ' ',
  ),
);
/** Paths before the id of a video. */
const VIDEOS = new Set(['live', 'video', 'embed', 'shorts']);

/**
 * Reads the name of a channel, or its address in the forms that people copy: of the page, its
 * videos, a moderator's view, a chat or player of its own. Names of Twitch and Kick become lower
 * case; on YouTube a channel is the id of a video or a `@handle`.
 *
 * @returns undefined if it is neither, such as a page of another platform or one that is no channel
 */
export function parseChannel(platform: ChatPlatform, text: string): string | undefined {
  const given = text.trim();
  const address = ADDRESS.exec(given)?.[1];
  const [name = ''] = given.split(/[?&/]/, 1);
  const plain = platform === 'youtube' ? name : name.replace(/^[#@]/, '');
  const channel = address === undefined ? plain : channelAt(platform, address);
  if (channel === undefined || !NAMES[platform].test(channel)) return undefined;
  return platform === 'youtube' ? channel : channel.toLowerCase();
}

function channelAt(platform: ChatPlatform, address: string): string | undefined {
  if (!URL.canParse(`https://${address}`)) return undefined;
  const { hostname, pathname, searchParams } = new URL(`https://${address}`);
  const parts = pathname.split('/').filter(Boolean);
  const [first = '', second, third] = parts;
  const named = parts.find(part => !VIEWS.has(part));
  const video = searchParams.get('v') ?? (VIDEOS.has(first) ? second : undefined);
  switch (`${platform} ${hostname.replace(/^(?:www|m)\./, '')}`) {
    case 'twitch twitch.tv':
    case 'kick kick.com':
    case 'kick player.kick.com':
      return named && PAGES.has(named.toLowerCase()) ? undefined : named;
    case 'twitch player.twitch.tv':
      return searchParams.get('channel') ?? undefined;
    case 'twitch dashboard.twitch.tv':
      return first === 'u' ? second : second === 'u' ? third : undefined;
    case 'youtube youtu.be':
      return first;
    case 'youtube youtube.com':
    case 'youtube youtube-nocookie.com':
    case 'youtube studio.youtube.com':
      return video ?? (/^(?:@|%40)/i.test(first) ? decodeName(first) : undefined);
    default:
      return undefined;
  }
}

function decodeName(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
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
