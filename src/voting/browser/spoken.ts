// The build puts the language of each page in its place.
import { live } from '../phrase/en/live.ts';
import type { Language } from '../phrase/language.ts';
import { Wording } from '../phrase/wording.ts';

/** What scripts say, in the language of their page. */

const language = document.documentElement.lang as Language;

export const phrases = live;

/** Moments are written as the reader's region does it, as far as it has the page's language. */
export const wording = new Wording(language, {
  locale: navigator.languages.find(tag => tag.split('-')[0] === language),
});
