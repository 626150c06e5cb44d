import { type DeskPhrases, desk as en } from './en/desk.ts';
import type { PhraseTable } from './language.ts';

export const deskPhrases: PhraseTable<DeskPhrases> = { en };
