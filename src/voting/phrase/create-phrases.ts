import { type CreatePhrases, create as en } from './en/create.ts';
import type { PhraseTable } from './language.ts';

export const createPhrases: PhraseTable<CreatePhrases> = { en };
