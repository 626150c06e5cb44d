import { type DeskPhrases, desk as en } from './en/desk.ts';
import type { UnfinishedTable } from './language.ts';

export const deskPhrases: UnfinishedTable<DeskPhrases> = { en };
