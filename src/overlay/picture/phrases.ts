import { type Phrases, phraseTable } from './phrase-table.ts';

/** The words for a BCP 47 tag; English where the language is not among them. */
export function phrasesFor(language: string): Phrases {
  return phraseTable[baseLanguage(language)] ?? phraseTable['en']!;
}

export const translatedLanguages: readonly string[] = Object.keys(phraseTable);

const RIGHT_TO_LEFT = ['ar', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'];

export function directionOf(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.includes(baseLanguage(language)) ? 'rtl' : 'ltr';
}

const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT_LETTER =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** The direction in which a text is read, by its first letter; undefined without one. */
export function directionOfText(text: string): 'ltr' | 'rtl' | undefined {
  const letter = LETTER.exec(text)?.[0];
  if (letter === undefined) return undefined;
  return RIGHT_TO_LEFT_LETTER.test(letter) ? 'rtl' : 'ltr';
}

function baseLanguage(language: string): string {
  return language.split('-')[0]?.toLowerCase() ?? '';
}
