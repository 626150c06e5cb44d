// The build replaces this import with the language of the page.
import { live } from '../../../locales/en.json';
import { localeFor, PageWording } from '../../../locales/i18n.ts';

const language = document.documentElement.lang;

/** The phrases of scripts, in the language of their page. */
export const phrases = live;

/** Dates follow the reader's region, if the browser has one for the language of the page. */
export const locale = localeFor(language, navigator.languages);

export const wording = new PageWording(language, { locale });
