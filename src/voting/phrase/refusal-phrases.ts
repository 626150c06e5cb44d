import { refusal as en, type RefusalPhrases } from './en/refusal.ts';
import type { PhraseTable } from './language.ts';

export const refusalPhrases: PhraseTable<RefusalPhrases> = { en };
