import { live as ar } from './ar/live.ts';
import { live as de } from './de/live.ts';
import { live as en, type LivePhrases } from './en/live.ts';
import { live as es } from './es/live.ts';
import { live as fr } from './fr/live.ts';
import { live as he } from './he/live.ts';
import { live as hi } from './hi/live.ts';
import { live as it } from './it/live.ts';
import { live as ja } from './ja/live.ts';
import { live as ko } from './ko/live.ts';
import type { PhraseTable } from './language.ts';
import { live as nl } from './nl/live.ts';
import { live as pl } from './pl/live.ts';
import { live as pt } from './pt/live.ts';
import { live as sv } from './sv/live.ts';
import { live as tr } from './tr/live.ts';
import { live as uk } from './uk/live.ts';
import { live as zh } from './zh/live.ts';

export const livePhrases: PhraseTable<LivePhrases> = {
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
