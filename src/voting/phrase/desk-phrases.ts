import { desk as ar } from './ar/desk.ts';
import { desk as de } from './de/desk.ts';
import { type DeskPhrases, desk as en } from './en/desk.ts';
import { desk as es } from './es/desk.ts';
import { desk as fr } from './fr/desk.ts';
import { desk as he } from './he/desk.ts';
import { desk as hi } from './hi/desk.ts';
import { desk as it } from './it/desk.ts';
import { desk as ja } from './ja/desk.ts';
import { desk as ko } from './ko/desk.ts';
import type { PhraseTable } from './language.ts';
import { desk as nl } from './nl/desk.ts';
import { desk as pl } from './pl/desk.ts';
import { desk as pt } from './pt/desk.ts';
import { desk as sv } from './sv/desk.ts';
import { desk as tr } from './tr/desk.ts';
import { desk as uk } from './uk/desk.ts';
import { desk as zh } from './zh/desk.ts';

export const deskPhrases: PhraseTable<DeskPhrases> = {
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
