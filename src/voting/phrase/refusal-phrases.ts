import { refusal as ar } from './ar/refusal.ts';
import { refusal as de } from './de/refusal.ts';
import { refusal as en, type RefusalPhrases } from './en/refusal.ts';
import { refusal as es } from './es/refusal.ts';
import { refusal as fr } from './fr/refusal.ts';
import { refusal as he } from './he/refusal.ts';
import { refusal as hi } from './hi/refusal.ts';
import { refusal as it } from './it/refusal.ts';
import { refusal as ja } from './ja/refusal.ts';
import { refusal as ko } from './ko/refusal.ts';
import type { PhraseTable } from './language.ts';
import { refusal as nl } from './nl/refusal.ts';
import { refusal as pl } from './pl/refusal.ts';
import { refusal as pt } from './pt/refusal.ts';
import { refusal as sv } from './sv/refusal.ts';
import { refusal as tr } from './tr/refusal.ts';
import { refusal as uk } from './uk/refusal.ts';
import { refusal as zh } from './zh/refusal.ts';

export const refusalPhrases: PhraseTable<RefusalPhrases> = {
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
