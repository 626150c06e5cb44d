// The build replaces this import with the language of the page.
import { live } from '../../../locales/en.json';
import { PageWording } from '../../../web/i18n.ts';

const language = document.documentElement.lang;

/** The phrases of scripts, in the language of their page. */
export const phrases = live;

/** Dates follow the reader's region, if the browser has one for the language of the page. */
export const locale = navigator.languages.find(tag => tag.split('-')[0] === language) ?? language;

export const wording = new PageWording(language, { locale });
