/** Chats whose messages are votes. */
export const CHAT_PLATFORMS = ['twitch', 'youtube', 'kick'] as const;
export type ChatPlatform = (typeof CHAT_PLATFORMS)[number];
export const CHAT_NAMES: Readonly<Record<ChatPlatform, string>> = {
  twitch: 'Twitch',
  youtube: 'YouTube',
  kick: 'Kick',
};
/** Ballots that count from each chat; platforms without one are absent. */
export type ChatVoters = Readonly<Partial<Record<ChatPlatform, number>>>;
