import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../src/locales/catalogues.ts';
import { directionOfText } from '../../src/locales/i18n.ts';
import { OverlayWording } from '../../src/picture/wording.ts';

const MINUTE_MS = 60_000;
const english = new OverlayWording('en', 0);

describe('the wording of the overlay', () => {
  it('formats numbers in the language', () => {
    const german = new OverlayWording('de', 1);
    expect(german.number(1_234_567_890)).toBe('1.234.567.890');
    expect(german.percent(12.5)).toBe('12,5\u00a0%');
    expect(english.percent(12)).toBe('12%');
  });

  it('shortens counts to three digits', () => {
    expect(english.count(999_999, true)).toBe('1M');
    expect(english.count(1_234_567_890, true)).toBe('1.23B');
  });

  it('uses plural forms', () => {
    expect([1, 2, 5].map(total => new OverlayWording('pl', 0).votes(total))).toEqual([
      '1 głos',
      '2 głosy',
      '5 głosów',
    ]);
    expect([0, 1].map(total => english.votes(total))).toEqual(['0 votes', '1 vote']);
    expect([0, 1, 3].map(votes => english.voided(votes))).toEqual(['', '1 vote removed', '3 votes removed']);
  });

  it('formats the time left in minutes, hours and days, never negative', () => {
    const left = [-5, 0, 1, 59_001, 10 * MINUTE_MS, 61 * MINUTE_MS, 25 * 60 * MINUTE_MS].map(ms =>
      english.timeLeft(ms),
    );
    expect(left).toEqual(['0:00', '0:00', '0:01', '1:00', '10:00', '1:01:00', '1d 1:00:00']);
  });

  it('tells when hidden results appear, with the date on another day', () => {
    const now = new Date(2030, 4, 1, 12, 0).getTime();
    const german = new OverlayWording('de', 0);
    expect(german.hidden(new Date(2030, 4, 1, 21, 0).getTime(), now)).toBe('Ergebnis ab 21:00');
    expect(german.hidden(new Date(2030, 4, 2, 21, 0).getTime(), now)).toContain('2. Mai');
    expect(german.hidden(null, now)).toBe('Ergebnis folgt');
    expect(german.hidden(now - 1, now)).toBe('Ergebnis folgt');
  });

  it.each(LANGUAGES)('fills every placeholder in %s', language => {
    const wording = new OverlayWording(language, 0);
    const said = [wording.top(9, 100), wording.votes(5), wording.voided(5), wording.closesIn(MINUTE_MS)];
    for (const words of [...said, wording.hidden(Date.now() + MINUTE_MS, Date.now())])
      expect(words).toMatch(/^[^{}]+$/);
  });

  it('falls back to English with the numbers of the language', () => {
    expect(new OverlayWording('fi', 0).votes(1234)).toMatch(/^1\s234 votes$/);
  });

  it.each([
    ['أي أغنية؟', 'rtl'],
    ['12 + שעת הזהב', 'rtl'],
    ['Golden Hour (ساعة)', 'ltr'],
    ['歌', 'ltr'],
    ['100 %', undefined],
  ])('finds the direction of %j by its first letter', (text, direction) => {
    expect(directionOfText(text)).toBe(direction);
  });

  it('is right to left in languages that are', () => {
    expect(['ar', 'he', 'ur-PK', 'en'].map(tag => new OverlayWording(tag, 0).direction)).toEqual([
      'rtl',
      'rtl',
      'rtl',
      'ltr',
    ]);
  });
});
