import { showShare as ar } from './ar/show-share.ts';
import { showShare as de } from './de/show-share.ts';
import { showShare as en, type ShowSharePhrases } from './en/show-share.ts';
import { showShare as es } from './es/show-share.ts';
import { showShare as fr } from './fr/show-share.ts';
import { showShare as he } from './he/show-share.ts';
import { showShare as hi } from './hi/show-share.ts';
import { showShare as it } from './it/show-share.ts';
import { showShare as ja } from './ja/show-share.ts';
import { showShare as ko } from './ko/show-share.ts';
import type { PhraseTable } from './language.ts';
import { showShare as nl } from './nl/show-share.ts';
import { showShare as pl } from './pl/show-share.ts';
import { showShare as pt } from './pt/show-share.ts';
import { showShare as sv } from './sv/show-share.ts';
import { showShare as tr } from './tr/show-share.ts';
import { showShare as uk } from './uk/show-share.ts';
import { showShare as zh } from './zh/show-share.ts';

export const showSharePhrases: PhraseTable<ShowSharePhrases> = {
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
