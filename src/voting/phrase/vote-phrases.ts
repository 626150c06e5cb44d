import { vote as en, type VotePhrases } from './en/vote.ts';
import type { PhraseTable } from './language.ts';

export const votePhrases: PhraseTable<VotePhrases> = { en };
