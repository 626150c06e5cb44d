import { live as en, type LivePhrases } from './en/live.ts';
import type { PhraseTable } from './language.ts';

export const livePhrases: PhraseTable<LivePhrases> = { en };
