import { manage as en, type ManagePhrases } from './en/manage.ts';
import type { PhraseTable } from './language.ts';

export const managePhrases: PhraseTable<ManagePhrases> = { en };
