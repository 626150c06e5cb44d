import * as all from './languages.ts';

export type Language = keyof typeof all;

/** The phrases of one language, by area. Of plural forms only `_other` is in every language. */
export type Catalogue = Phrases<(typeof all)['en']>;

const PLURAL = /_(?:zero|one|two|few|many)$/;

type PluralForm = `${string}_${Exclude<Intl.LDMLPluralRule, 'other'>}`;
type Phrases<Value> = Value extends string
  ? string
  : { readonly [Key in keyof Value as Key extends PluralForm ? never : Key]: Phrases<Value[Key]> };

/** A phrase that a language lacks is in English, until a release. */
export const catalogues = Object.fromEntries(
  Object.entries(all).map(([language, own]) => [language, withEnglish(own, all.en)]),
) as Readonly<Record<Language, Catalogue>>;

interface Tree {
  readonly [key: string]: string | Tree;
}

/** Returns a catalogue, or an area of one, with what only English has. */
export function withEnglish(own: Tree, english: Tree): Tree {
  // A language without a plural form does without.
  const isNeeded = (key: string) => !(key.replace(PLURAL, '_other') in own);
  const lacking = Object.entries(english).filter(([key]) => isNeeded(key));
  const filled: Record<string, string | Tree> = { ...Object.fromEntries(lacking), ...own };
  for (const [key, value] of Object.entries(own)) {
    const original = english[key];
    if (typeof value === 'object' && typeof original === 'object') filled[key] = withEnglish(value, original);
  }
  return filled;
}

export const LANGUAGES = Object.keys(all) as readonly Language[];

/** The catalogue for a BCP 47 tag; English where there is none. */
export function catalogueFor(tag: string): Catalogue {
  return catalogues[findLanguage(tag) ?? 'en'];
}

/** Returns the catalogue's language for a BCP 47 tag of any region, like `pt-BR`; undefined where it has none. */
export function findLanguage(tag = ''): Language | undefined {
  const base = tag.split('-')[0]?.toLowerCase();
  // Old browsers still call Hebrew `iw`.
  return LANGUAGES.find(language => language === (base === 'iw' ? 'he' : base));
}
