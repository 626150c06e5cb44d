import Negotiator from 'negotiator';
import { type Catalogue, catalogues, findLanguage, type Language } from './catalogues.ts';
import { PageWording } from './i18n.ts';

/** The phrases of one language. Times are in UTC: a script rewrites them. */
export interface Phrases extends Catalogue {
  readonly language: Language;
  /** The name of the language in itself. */
  readonly ownName: string;
  readonly direction: 'ltr' | 'rtl';
  readonly wording: PageWording;
}

const COOKIE = 'tallycast-lang';
const IN_ADDRESS = /[?&]lang=([a-z]{2})\b/i;
const IN_COOKIES = new RegExp(`(?:^|; *)${COOKIE}=([a-z]{2})(?:;|$)`);
const LONGEST_PREFERENCE = 300;

/** Keeps `?lang=` through forms and redirects. */
export const LANGUAGE_COOKIE = { name: COOKIE, maxAgeSeconds: 365 * 86_400 };

interface LanguageRequest {
  readonly url?: string | undefined;
  readonly headers: { readonly cookie?: string | undefined; readonly 'accept-language'?: string | undefined };
}

const known = new Map<Language, Phrases>();

export function phrasesFor(request: LanguageRequest): Phrases {
  return phrasesIn(languageOf(request));
}

export function phrasesIn(language: Language): Phrases {
  const phrases = known.get(language) ?? createPhrases(language);
  known.set(language, phrases);
  return phrases;
}

function createPhrases(language: Language): Phrases {
  const wording = new PageWording(language, { timeZone: 'UTC' });
  const ownName = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language;
  return { ...catalogues[language], language, ownName, direction: wording.direction, wording };
}

/** By `?lang=`, the cookie of an earlier `?lang=`, or the browser; default English. */
export function languageOf(request: LanguageRequest): Language {
  const { cookie, 'accept-language': preference } = request.headers;
  return (
    requestedLanguage(request) ??
    findLanguage(IN_COOKIES.exec(cookie ?? '')?.[1]) ??
    preferredLanguage(preference)
  );
}

export function requestedLanguage({ url = '' }: LanguageRequest): Language | undefined {
  return url.includes('lang=') ? findLanguage(IN_ADDRESS.exec(url)?.[1]) : undefined;
}

/** @param preference `Accept-Language`, RFC 9110: `de-AT,de;q=0.9,en;q=0.5` */
function preferredLanguage(preference = ''): Language {
  const headers = { 'accept-language': preference.slice(0, LONGEST_PREFERENCE) };
  for (const tag of new Negotiator({ headers }).languages()) {
    const language = findLanguage(tag);
    if (language) return language;
  }
  return 'en';
}
