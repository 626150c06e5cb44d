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
/** People by where they voted: `page` is everything but chat. Together as many as all voters. */
export type VotersBySource = ChatVoters & { readonly page: number };

/** Returns undefined if none voted in a chat. The same text for the same counts: positions are digests of it. */
export function votersBySource({
  totalVoters,
  chatVoters,
}: {
  readonly totalVoters: number;
  readonly chatVoters?: ChatVoters | undefined;
}): VotersBySource | undefined {
  if (!chatVoters) return undefined;
  const chats = CHAT_PLATFORMS.flatMap(platform => {
    const count = chatVoters[platform];
    return count ? [[platform, count] as const] : [];
  });
  const page = chats.reduce((rest, [, count]) => rest - count, totalVoters);
  return { page, ...Object.fromEntries(chats) };
}

/** Returns `Web page 41` and `Twitch 17`; empty without votes from chat. @param page the name of the page */
export function sourceTexts(
  sources: VotersBySource | undefined,
  page: string,
  write: (count: number) => string,
): string[] {
  if (!sources) return [];
  const chats = CHAT_PLATFORMS.filter(platform => sources[platform]);
  return [
    `${page} ${write(sources.page)}`,
    ...chats.map(platform => `${CHAT_NAMES[platform]} ${write(sources[platform]!)}`),
  ];
}
