import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../src/locales/catalogues.ts';
import { directionOf } from '../../src/web/i18n.ts';
import { browserRig } from './browser-rig.ts';
import { prepareTour, STOPS, type Tour } from './voting-tour.ts';

/** With PICTURES=<folder> it saves a picture of each page. */
const PICTURES = process.env['PICTURES'];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Names of things, and what is typed as it stands, are the same everywhere. */
const NAMES =
  /Tallycast|OBS|vMix|Wi-?Fi|VPN|API|CSV|JavaScript|QR|UTC|Ctrl|Cookies?|https?:\/\/\S*|show_|admin_|friday-night|(?:view|admin) key|\S*overlay\/show\S*|[OCRK] *$/gi;
const LATIN_WORD = /\p{Script=Latin}{2,}/u;
/** Words that are in nearly every English sentence and in no other of our languages. */
const ENGLISH_WORD = /\b(?:the|your|you|with|this|they|from|nothing|again|everybody|yet)\b/i;
const WRITTEN_IN_LATIN: readonly Language[] = ['de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'pl', 'tr'];

const rig = browserRig<Tour>(() => prepareTour());

/** All that is read or read out, but for what people wrote. */
function textsOfPage(): string[] {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [document.title];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { parentElement } = node;
    if (
      parentElement?.closest('script, style, kbd, time, noscript, textarea') ||
      !parentElement?.checkVisibility()
    )
      continue;
    texts.push(node.textContent ?? '');
  }
  for (const name of ['placeholder', 'aria-label', 'alt', 'title'])
    for (const element of document.querySelectorAll(`[${name}]`))
      texts.push(element.getAttribute(name) ?? '');
  return texts.map(text => text.trim()).filter(text => text !== '');
}

function isForeign(language: Language, text: string): boolean {
  const own = text.replace(NAMES, ' ');
  return WRITTEN_IN_LATIN.includes(language) ? ENGLISH_WORD.test(own) : LATIN_WORD.test(own);
}

/** What sticks out of the window, and what is cut off in its box. */
function misfits(): string[] {
  const wide = document.documentElement.scrollWidth > innerWidth ? ['the page is wider than the window'] : [];
  const cut = [...document.querySelectorAll<HTMLElement>('main *, footer *')].filter(element => {
    if (
      !element.checkVisibility() ||
      element.matches('input, textarea, .visually-hidden, .track, .fill, svg, svg *')
    )
      return false;
    const { left, right, width } = element.getBoundingClientRect();
    const isCut =
      getComputedStyle(element).overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1;
    return width > 0 && (left < -1 || right > innerWidth + 1 || isCut);
  });
  return [...wide, ...cut.map(element => element.outerHTML.slice(0, 150))];
}

/** Contrast and the like are the same in all languages, and are looked at in English. */
async function complaints(page: Page): Promise<unknown> {
  await page.evaluate(AXE);
  return page.evaluate(`axe
    .run({ rules: { 'color-contrast': { enabled: false } } })
    .then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))`);
}

describe.each(LANGUAGES)('the pages in %s', language => {
  it('use it for every word, fit on a phone of 320 px, and are accessible', async () => {
    const context = await rig.browser.newContext({
      locale: language,
      viewport: { width: 320, height: 640 },
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const faults: unknown[] = [];
    for (const [stop, open] of Object.entries(STOPS)) {
      await open(page, rig.site);
      const { lang, dir } = await page.evaluate(() => {
        const { lang, dir } = document.documentElement;
        return { lang, dir };
      });
      expect({ stop, lang, dir }).toEqual({ stop, lang: language, dir: directionOf(language) });
      const texts = await page.evaluate(textsOfPage);
      const unfilled = texts.filter(text => text.includes('{{'));
      if (unfilled.length > 0) faults.push([stop, 'lacks a value', ...unfilled]);
      if (language !== 'en') {
        const foreign = texts.filter(text => isForeign(language, text));
        if (foreign.length > 0) faults.push([stop, 'not translated', ...foreign]);
      }
      const unfit = await page.evaluate(misfits);
      if (unfit.length > 0) faults.push([stop, 'does not fit', ...unfit]);
      const found = (await complaints(page)) as unknown[];
      if (found.length > 0) faults.push([stop, 'axe', ...found]);
      if (PICTURES === undefined) continue;
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: `${PICTURES}/${language}-${stop}.png`, fullPage: true });
    }
    expect(faults).toEqual([]);
  }, 120_000);
});
