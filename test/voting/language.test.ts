import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Catalogue, catalogues, LANGUAGES } from '../../src/locales/catalogues.ts';
import { languageOf, phrasesIn } from '../../src/locales/phrases.ts';
import { visibleText } from './visitor.ts';
import { startVotingSite, type VotingSite } from './voting-site.ts';

let site: VotingSite;
beforeAll(async () => {
  site = await startVotingSite();
});
afterAll(() => site.close());

const langOf = (page: string) => /<html lang="(\w+)" dir="(\w+)">/.exec(page)?.slice(1).join(' ');

describe('the language of a page', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.5', 'de'],
    ['en;q=0.5, fr;q=0.9', 'fr'],
    ['fi-FI, sv;q=0.4, en;q=0.3', 'sv'],
    ['pt-BR', 'pt'],
    ['zh-Hant-TW', 'zh'],
    ['iw', 'he'],
    ['de;q=0, fr;q=0.1', 'fr'],
    ['tlh, *', 'en'],
    ['constructor', 'en'],
    [',;q=,,=;', 'en'],
  ])('for a browser that prefers %s is %s', (preference, language) => {
    expect(languageOf({ url: '/', headers: { 'accept-language': preference } })).toBe(language);
  });

  it.each([
    ['/?lang=ar', 'ar'],
    ['/?x=1&lang=pt-BR', 'pt'],
    ['/?lang=tlh', 'fr'],
    ['/?slang=ar', 'fr'],
  ])('for %s is %s, before the preference of the browser', (url, language) => {
    expect(languageOf({ url, headers: { 'accept-language': 'fr' } })).toBe(language);
  });

  it('is in the page and in its headers, with its direction', async () => {
    const { id } = await site.createPoll();
    const { headers, body } = await site.visitor().get(`/${id}`, { 'accept-language': 'he' });
    expect(langOf(body)).toBe('he rtl');
    expect(headers).toMatchObject({ 'content-language': 'he', vary: 'accept-language, cookie' });
    expect(headers['cache-control']).toBe('private, no-store');
  });

  it('of `?lang=` is kept through the form, a rejection and the redirect', async () => {
    const { id, poll } = await site.createPoll();
    const visitor = site.visitor();
    expect(langOf((await visitor.get(`/${id}?lang=ja`)).body)).toBe('ja ltr');
    const form = await visitor.fillForm(id);
    const rejected = await visitor.post(`/${id}/ballot`, form);
    expect(langOf(rejected.body)).toBe('ja ltr');
    expect(visibleText(rejected.body)).toContain(phrasesIn('ja').vote.notCounted.no_answer.title);
    const cast = await visitor.post(`/${id}/ballot`, { ...form, answer: poll.answers[0]!.id });
    const receipt = await visitor.get(String(cast.headers.location));
    expect(visibleText(receipt.body)).toContain(phrasesIn('ja').vote.counted.title);
    expect(langOf((await visitor.get('/nothing/here')).body)).toBe('ja ltr');
  });

  it('differs between visitors, although pages are cached', async () => {
    const { id } = await site.createPoll();
    for (const language of ['de', 'uk', 'de', 'en', 'uk'] as const) {
      const { body } = await site.visitor().get(`/${id}`, { 'accept-language': language });
      expect(langOf(body)).toBe(`${language} ltr`);
      expect(body).toContain(`>${phrasesIn(language).vote.vote}<`);
      expect(body).toMatch(language === 'en' ? /\/vote\.[\w-]{10}\.js/ : RegExp(`/vote\\.${language}\\.`));
    }
  });

  it('includes the name of anonymous comments', async () => {
    const { id } = await site.createPoll({ co: true });
    await site.engine.comments.add(id, { id: '1', name: '', text: 'x', writtenAtMs: 0 }, 10);
    const { body } = await site.visitor().get(`/${id}`, { 'accept-language': 'de' });
    expect(visibleText(body)).toContain('Anonym 1. Januar 1970 um 00:00 UTC');
  });
});

/** Texts by their key. */
function leavesOf(phrases: object, path = ''): [string, string][] {
  return Object.entries(phrases).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[`${path}${name}`, value]] : leavesOf(value, `${path}${name}.`),
  );
}

/** Words that several languages share. */
const SHARED =
  /^(?:Name|Live|No|Show|Question|Description|Open|Votes|Donut|Ticker|Versus|Flat|Text|Panel|Area|Platform|Theme|Style|Overlays|\(UTC\)|\{\{seconds\}\} s|Color: \{\{answer\}\}|\{\{action\}\}: \{\{title\}\}|\{\{count\}\} (?:votes?|person))$/;
const AREAS = Object.keys(catalogues.en) as (keyof Catalogue)[];

describe.each(LANGUAGES.filter(language => language !== 'en'))('the phrases in %s', language => {
  it.each(AREAS)('have no English text in %s', area => {
    const english = new Map(leavesOf(catalogues.en[area]));
    const same = leavesOf(catalogues[language][area]).filter(
      ([path, text]) => text === english.get(path) && !SHARED.test(text),
    );
    expect(same).toEqual([]);
  });

  it('have a plural form for every number', () => {
    const { wording, live } = phrasesIn(language);
    const texts = [0, 1, 2, 3, 5, 11, 21, 100, 1_000_000].map(n => wording.plural(live, 'votes', n));
    expect(texts.filter(text => text.trim() === '' || /undefined|[{}]/.test(text))).toEqual([]);
    expect(texts.at(-1)).toContain(wording.number(1_000_000));
  });
});

it('times and numbers have the form of the language', () => {
  const written = (language: (typeof LANGUAGES)[number]) => {
    const { wording } = phrasesIn(language);
    return [
      wording.number(12_345.6),
      wording.percent(42),
      wording.timeLeft(899_000),
      wording.timeLeft(93_600_000),
    ];
  };
  expect(written('en')).toEqual(['12,345.6', '42%', '14:59', '1 day, 2 hr']);
  expect(written('de')).toEqual(['12.345,6', '42\u00a0%', '14:59', '1 Tag, 2 Std.']);
  expect(written('tr')[1]).toBe('%42');
});
