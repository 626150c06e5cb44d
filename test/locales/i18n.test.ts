import { describe, expect, it } from 'vitest';
import { fill, localeFor, PageWording } from '../../src/locales/i18n.ts';
import { phrasesIn } from '../../src/locales/phrases.ts';

describe('the locale of a reader', () => {
  it.each([
    ['en', ['de-AT', 'en-GB', 'en-US'], 'en-GB'],
    ['pt', ['pt-br'], 'pt-BR'],
    ['de', ['en-US'], 'de'],
    // What browsers and their environments have reported.
    ['en', ['en-US@posix'], 'en'],
    ['en', ['en_US', 'C', '', undefined, null, 7], 'en'],
    ['fr', ['fr_FR.UTF-8', 'fr-CA'], 'fr-CA'],
    ['en', ['C', 'en-US@posix', 'en-GB'], 'en-GB'],
    ['fr', [], 'fr'],
    ['fr', undefined, 'fr'],
  ])('for a page in %s and the tags %j is %s', (language, tags, locale) => {
    expect(localeFor(language, tags)).toBe(locale);
  });
});

describe('the words of a page', () => {
  it.each([
    ['de', 'Noch 2 Tage, 3 Std.'],
    ['ar', 'المتبقي: يومان و3 س'],
    ['pl', 'Zamknięcie za 2 dni i 3 godz.'],
    ['en', 'Closes in 2 days, 3 hr'],
  ] as const)('in %s, the time left has the case of its sentence', (language, text) => {
    const { live } = phrasesIn(language);
    const rest = new PageWording(language).timeLeft((2 * 24 + 3) * 3_600_000);
    expect(fill(live.closesIn, { rest })).toBe(text);
  });

  it('have one kind of digits, whatever the region of the reader', () => {
    const wording = new PageWording('ar', { locale: 'ar-EG', timeZone: 'UTC' });
    expect(`${wording.number(25)} ${wording.dateTime(0)}`).not.toMatch(/[\u0660-\u0669]/);
  });
});

describe('a browser that has no formatters', () => {
  it('writes numbers, times and plurals without them', () => {
    const refuse = () => {
      throw new RangeError('Incorrect locale information provided');
    };
    const names = ['DateTimeFormat', 'NumberFormat', 'PluralRules', 'ListFormat'];
    const own = Object.fromEntries(names.map(name => [name, Reflect.get(Intl, name)]));
    Object.assign(Intl, Object.fromEntries(names.map(name => [name, refuse])));
    try {
      const wording = new PageWording('en');
      expect(wording.number(1234)).toBe('1234');
      expect(wording.percent(41.6)).toBe('42%');
      expect(wording.plural({ votes_other: '{{count}} votes' }, 'votes', 1)).toBe('1 votes');
      expect(wording.dateTime(0)).toBe('1970-01-01T00:00:00.000Z');
      expect(wording.timeLeft(90_061_000)).toBe('1 day, 1 hour');
      expect(wording.timeLeft(61_000)).toBe('1:01');
    } finally {
      Object.assign(Intl, own);
    }
  });
});
