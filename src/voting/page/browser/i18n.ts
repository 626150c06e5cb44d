// The build puts the language of each page in its place.
import { live } from '../../../locales/en.json';
import { PageWording } from '../../../web/i18n.ts';

/** What scripts say, in the language of their page. */

const language = document.documentElement.lang;

export const phrases = live;

/** Moments are written as the reader's region does it, as far as it has the page's language. */
export const wording = new PageWording(language, {
  locale: navigator.languages.find(tag => tag.split('-')[0] === language),
});
