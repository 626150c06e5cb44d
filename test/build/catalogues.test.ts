import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkCatalogues } from '../../src/build/build-locales.ts';
import { withEnglish } from '../../src/locales/catalogues.ts';

const ENGLISH = {
  live: { title: 'Results', by: 'By {{name}}', votes_one: '{{count}} vote', votes_other: '{{count}} votes' },
};
const GERMAN = {
  live: { title: 'Ergebnis', by: 'Von {{name}}', votes_one: 'Eine Stimme', votes_other: '{{count}} Stimmen' },
};
const SOURCE =
  "const { live, wording } = phrases; write(live.title, fill(live.by, { name }), wording.plural(live, 'votes', 3));";

/** Checks a small source with two catalogues. */
function check(german: object, english: object = ENGLISH, isRelease = true): void {
  const folder = mkdtempSync(join(tmpdir(), 'tallycast-catalogues-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'locales'));
  writeFileSync(join(folder, 'page.ts'), SOURCE);
  writeFileSync(join(folder, 'locales', 'en.json'), JSON.stringify(english));
  writeFileSync(join(folder, 'locales', 'de.json'), JSON.stringify(german));
  checkCatalogues(folder, isRelease);
}

it('a catalogue with every English phrase and its own plural forms is valid', () => {
  expect(() => check(GERMAN)).not.toThrow();
  expect(() => check({ live: { ...GERMAN.live, votes_few: '{{count}} x' } })).not.toThrow();
});

it.each([
  ['lacks a phrase', { title: undefined }, 'de.json: live.title is missing'],
  ['has a phrase that English lacks', { more: 'Mehr' }, 'de.json: live.more is not in en.json'],
  ['has another placeholder', { by: 'Von {{names}}' }, 'de.json: live.by'],
  ['has an empty phrase', { title: ' ' }, 'de.json: live.title'],
  [
    'has a plural without the form for all other numbers',
    { votes_other: undefined },
    'live.votes lacks _other',
  ],
  ['lacks the count', { votes_other: 'Stimmen' }, 'de.json: live.votes_other'],
])('a catalogue that %s fails the build of a release', (_, change, fault) => {
  expect(() => check({ live: { ...GERMAN.live, ...change } })).toThrow(fault);
});

it('a phrase that a language lacks is English until a release', () => {
  const { title: _, ...live } = GERMAN.live;
  expect(() => check({ live }, ENGLISH, false)).not.toThrow();
  expect(withEnglish({ live }, ENGLISH)).toEqual({ live: { ...GERMAN.live, title: 'Results' } });
});

it('a phrase that no source uses fails the build', () => {
  const more = { left: 'Left over' };
  expect(() => check({ live: { ...GERMAN.live, ...more } }, { live: { ...ENGLISH.live, ...more } })).toThrow(
    'en.json: no source uses live.left',
  );
});
