import type { Catalogue } from '../../locales/catalogues.ts';
import { fill, type Wording } from '../../locales/i18n.ts';
import { REJECTION_REASONS, type RejectedBallots } from '../../poll/ballot.ts';
import { sourceTexts, type VotersBySource } from '../../poll/chat-platform.ts';

/** How many ballots were rejected and why; empty for none. */
export function rejectedText(
  { rejected: words }: Catalogue['managed'],
  wording: Wording,
  rejected: RejectedBallots,
): string {
  const reasons = REJECTION_REASONS.filter(reason => rejected[reason] > 0);
  if (reasons.length === 0) return '';
  const total = reasons.reduce((sum, reason) => sum + rejected[reason], 0);
  const write = (phrase: string, count: number) => fill(phrase, { count: wording.number(count) });
  return [write(words.total, total), ...reasons.map(reason => write(words[reason], rejected[reason]))].join(
    ' · ',
  );
}

/** Returns `Web page 41 · Twitch 17`; empty without votes from chat. @param page the name of the page */
export function sourcesLine(wording: Wording, sources: VotersBySource | undefined, page: string): string {
  return sourceTexts(sources, page, count => wording.number(count)).join(' · ');
}
