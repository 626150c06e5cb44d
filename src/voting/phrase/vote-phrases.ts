import { vote as ar } from './ar/vote.ts';
import { vote as de } from './de/vote.ts';
import { vote as en, type VotePhrases } from './en/vote.ts';
import { vote as es } from './es/vote.ts';
import { vote as fr } from './fr/vote.ts';
import { vote as he } from './he/vote.ts';
import { vote as hi } from './hi/vote.ts';
import { vote as it } from './it/vote.ts';
import { vote as ja } from './ja/vote.ts';
import { vote as ko } from './ko/vote.ts';
import type { PhraseTable } from './language.ts';
import { vote as nl } from './nl/vote.ts';
import { vote as pl } from './pl/vote.ts';
import { vote as pt } from './pt/vote.ts';
import { vote as sv } from './sv/vote.ts';
import { vote as tr } from './tr/vote.ts';
import { vote as uk } from './uk/vote.ts';
import { vote as zh } from './zh/vote.ts';

export const votePhrases: PhraseTable<VotePhrases> = {
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
