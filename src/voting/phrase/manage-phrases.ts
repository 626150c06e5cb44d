import { manage as ar } from './ar/manage.ts';
import { manage as de } from './de/manage.ts';
import { manage as en, type ManagePhrases } from './en/manage.ts';
import { manage as es } from './es/manage.ts';
import { manage as fr } from './fr/manage.ts';
import { manage as he } from './he/manage.ts';
import { manage as hi } from './hi/manage.ts';
import { manage as it } from './it/manage.ts';
import { manage as ja } from './ja/manage.ts';
import { manage as ko } from './ko/manage.ts';
import type { PhraseTable } from './language.ts';
import { manage as nl } from './nl/manage.ts';
import { manage as pl } from './pl/manage.ts';
import { manage as pt } from './pt/manage.ts';
import { manage as sv } from './sv/manage.ts';
import { manage as tr } from './tr/manage.ts';
import { manage as uk } from './uk/manage.ts';
import { manage as zh } from './zh/manage.ts';

export const managePhrases: PhraseTable<ManagePhrases> = {
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
