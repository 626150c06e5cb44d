import { create as ar } from './ar/create.ts';
import { create as de } from './de/create.ts';
import { type CreatePhrases, create as en } from './en/create.ts';
import { create as es } from './es/create.ts';
import { create as fr } from './fr/create.ts';
import { create as he } from './he/create.ts';
import { create as hi } from './hi/create.ts';
import { create as it } from './it/create.ts';
import { create as ja } from './ja/create.ts';
import { create as ko } from './ko/create.ts';
import type { PhraseTable } from './language.ts';
import { create as nl } from './nl/create.ts';
import { create as pl } from './pl/create.ts';
import { create as pt } from './pt/create.ts';
import { create as sv } from './sv/create.ts';
import { create as tr } from './tr/create.ts';
import { create as uk } from './uk/create.ts';
import { create as zh } from './zh/create.ts';

export const createPhrases: PhraseTable<CreatePhrases> = {
  en,
  de,
  fr,
  es,
  it,
  pt,
  nl,
  sv,
  pl,
  uk,
  tr,
  ar,
  he,
  hi,
  ja,
  ko,
  zh,
};
