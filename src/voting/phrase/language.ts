import Negotiator from 'negotiator';

/** The languages of the voting pages: those that the overlay speaks. */
export const LANGUAGES = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'sv',
  'pl',
  'uk',
  'tr',
  'ar',
  'he',
  'hi',
  'ja',
  'ko',
  'zh',
] as const;
export type Language = (typeof LANGUAGES)[number];

/** The phrases of one area in every language. */
export type PhraseTable<Phrases> = Readonly<Record<Language, Phrases>>;

const RIGHT_TO_LEFT: readonly Language[] = ['ar', 'he'];
/** What browsers of another age still say. */
const OLD_NAMES: ReadonlyMap<string, Language> = new Map([['iw', 'he']]);
const COOKIE = 'tallycast-lang';
const IN_ADDRESS = /[?&]lang=([a-z]{2})\b/i;
const IN_COOKIES = new RegExp(`(?:^|; *)${COOKIE}=([a-z]{2})(?:;|$)`);
const LONGEST_PREFERENCE = 300;

export function directionOf(language: Language): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.includes(language) ? 'rtl' : 'ltr';
}

/** As much of a request as tells its language, whoever has read it. */
interface Asking {
  readonly url?: string | undefined;
  readonly headers: { readonly cookie?: string | undefined; readonly 'accept-language'?: string | undefined };
}

/** By `?lang=`, by what was asked for by it earlier, by the browser; else English. */
export function languageOf(request: Asking): Language {
  const { cookie, 'accept-language': preference } = request.headers;
  return askedLanguage(request) ?? find(IN_COOKIES.exec(cookie ?? '')?.[1]) ?? preferredLanguage(preference);
}

/** What `?lang=` asks for, where we speak it. */
export function askedLanguage({ url = '' }: Asking): Language | undefined {
  return url.includes('lang=') ? find(IN_ADDRESS.exec(url)?.[1]) : undefined;
}

/** Keeps a language that was asked for through forms and redirects. It is no secret, so it is not sealed. */
export const LANGUAGE_COOKIE = { name: COOKIE, maxAgeSeconds: 365 * 86_400 };

/** @param preference `Accept-Language`, RFC 9110: `de-AT,de;q=0.9,en;q=0.5` */
function preferredLanguage(preference = ''): Language {
  const headers = { 'accept-language': preference.slice(0, LONGEST_PREFERENCE) };
  for (const tag of new Negotiator({ headers }).languages()) {
    const language = find(tag);
    if (language) return language;
  }
  return 'en';
}

/** A language of ours by a tag of any region, like `pt-BR`. */
function find(tag: string | undefined): Language | undefined {
  const base = tag?.split('-')[0]?.toLowerCase() ?? '';
  return LANGUAGES.find(language => language === base) ?? OLD_NAMES.get(base);
}
