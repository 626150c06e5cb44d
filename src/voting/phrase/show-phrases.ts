import { show as ar } from './ar/show.ts';
import { show as de } from './de/show.ts';
import { show as en, type ShowPhrases } from './en/show.ts';
import { show as es } from './es/show.ts';
import { show as fr } from './fr/show.ts';
import { show as he } from './he/show.ts';
import { show as hi } from './hi/show.ts';
import { show as it } from './it/show.ts';
import { show as ja } from './ja/show.ts';
import { show as ko } from './ko/show.ts';
import type { PhraseTable } from './language.ts';
import { show as nl } from './nl/show.ts';
import { show as pl } from './pl/show.ts';
import { show as pt } from './pt/show.ts';
import { show as sv } from './sv/show.ts';
import { show as tr } from './tr/show.ts';
import { show as uk } from './uk/show.ts';
import { show as zh } from './zh/show.ts';

export const showPhrases: PhraseTable<ShowPhrases> = {
  ar,
  de,
  en,
  es,
  fr,
  he,
  hi,
  it,
  ja,
  ko,
  nl,
  pl,
  pt,
  sv,
  tr,
  uk,
  zh,
};
