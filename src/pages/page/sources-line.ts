import type { Wording } from '../../locales/i18n.ts';
import { sourceTexts, type VotersBySource } from '../../poll/chat-platform.ts';

/** Returns `Web page 41 · Twitch 17`; empty without votes from chat. @param page the name of the page */
export function sourcesLine(wording: Wording, sources: VotersBySource | undefined, page: string): string {
  return sourceTexts(sources, page, count => wording.number(count)).join(' · ');
}
