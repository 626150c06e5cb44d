import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Language } from '../../src/locales/catalogues.ts';
import { directionOf } from '../../src/locales/i18n.ts';
import { findViolations } from './axe.ts';
import { browserRig } from './browser-rig.ts';
import { prepareTour, STOPS, TESTED_LANGUAGES, type Tour } from './voting-tour.ts';

/** Names and examples that are the same in all languages. */
const NAMES =
  /Tallycast|OBS|SVG|PNG|busy-night|vMix|Wi-?Fi|VPN|API|CSV|JavaScript|QR|UTC|Ctrl|Alt|Cookies?|https?:\/\/\S*|show_|admin_|--lan|VOTE_PUBLIC_URL|friday-night|(?:view|admin) key|\S*overlay\/show\S*|[OCRK] *$/gi;
const LATIN_WORD = /\p{Script=Latin}{2,}/u;
const WRITTEN_IN_LATIN: readonly Language[] = ['en', 'de', 'tr'];
/** Pixels that a thumb needs. */
const MIN_TARGET_HEIGHT = 44;

interface Look {
  readonly width: 320 | 640 | 1280;
  readonly colorScheme: 'light' | 'dark';
  readonly forcedColors: 'none' | 'active';
  readonly textSize: '100%' | '200%';
}
const NARROW: Look = { width: 320, colorScheme: 'light', forcedColors: 'none', textSize: '100%' };
const LARGE_TEXT: Look = { ...NARROW, width: 640, textSize: '200%' };
const FORCED_COLORS: Look = { ...NARROW, forcedColors: 'active' };
/** Colors and wide pages are the same in all languages. The next page opens in the last look. */
const LOOKS: Partial<Record<Language, readonly Look[]>> = {
  en: [{ ...NARROW, colorScheme: 'dark' }, { ...NARROW, width: 1280 }, LARGE_TEXT, FORCED_COLORS, NARROW],
  ar: [LARGE_TEXT, FORCED_COLORS, NARROW],
};

const rig = browserRig<Tour>(() => prepareTour());

/** The texts of the interface, without what users wrote. */
function textsOfPage(): string[] {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [document.title];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { parentElement } = node;
    const isSkipped = parentElement?.closest('script, style, kbd, time, noscript, textarea');
    if (!isSkipped && parentElement?.checkVisibility()) texts.push(node.textContent ?? '');
  }
  for (const name of ['placeholder', 'aria-label', 'alt', 'title'])
    for (const element of document.querySelectorAll(`[${name}]`))
      texts.push(element.getAttribute(name) ?? '');
  return texts.map(text => text.trim()).filter(text => text !== '');
}

function isUntranslated(language: Language, text: string): boolean {
  return !WRITTEN_IN_LATIN.includes(language) && LATIN_WORD.test(text.replace(NAMES, ' '));
}

/** Elements outside the window, clipped ones, and targets that are too small for a thumb. */
function layoutFaults(minTargetHeight: number): string[] {
  const wide = document.documentElement.scrollWidth > innerWidth ? ['the page is wider than the window'] : [];
  const clipped = [...document.querySelectorAll<HTMLElement>('main *, footer *')].filter(element => {
    if (
      !element.checkVisibility() ||
      element.matches('input, textarea, .visually-hidden, .track, .fill, svg, svg *')
    )
      return false;
    const { left, right, width } = element.getBoundingClientRect();
    const { overflowX, overflowY } = getComputedStyle(element);
    const isClipped =
      (overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1) ||
      (overflowY !== 'visible' && element.scrollHeight > element.clientHeight + 1);
    return width > 0 && (left < -1 || right > innerWidth + 1 || isClipped);
  });
  const targets = 'button, .button, input, textarea, select, summary, footer a, .polls a';
  const small = [...document.querySelectorAll<HTMLElement>(targets)]
    .map(element => element.closest('label') ?? element)
    .filter(element => element.checkVisibility() && element.getAttribute('type') !== 'hidden')
    .filter(element => element.getBoundingClientRect().height < minTargetHeight);
  return [...wide, ...[...clipped, ...small].map(element => element.outerHTML.slice(0, 150))];
}

/**
 * In forced colors: controls with neither edge nor text, boxes that draw their marks themselves,
 * and bars or swatches in the color of the page.
 */
function colorFaults(): string[] {
  const controls = document.querySelectorAll<HTMLElement>('a, button, input, textarea, select, summary');
  const unseen = [...controls].filter(element => {
    const { borderTopWidth, borderTopStyle, appearance } = getComputedStyle(element);
    const hasEdge = borderTopStyle !== 'none' && borderTopWidth !== '0px';
    const isSeen = element.matches('[type=radio], [type=checkbox]')
      ? appearance === 'auto'
      : hasEdge || element.textContent?.trim() !== '';
    return element.checkVisibility() && !isSeen;
  });
  const ground = getComputedStyle(document.body).backgroundColor;
  const bars = [...document.querySelectorAll<HTMLElement>('.fill, .key i')].filter(
    bar => bar.checkVisibility() && getComputedStyle(bar).backgroundColor === ground,
  );
  return [...unseen, ...bars].map(element => element.outerHTML.slice(0, 150));
}

/** Pages differ in their direction only, and wide ones in their layout. */
const isCheckedByAxe = (language: Language, look: Look) =>
  language === 'en' ? look.width === NARROW.width : language === 'ar' && look === NARROW;

/**
 * What axe finds. In other colors only colors differ. Of forced ones it takes the text colors
 * from our style sheets.
 */
function violations(
  page: Page,
  language: Language,
  { colorScheme, forcedColors }: Look,
): Promise<string[][]> {
  const links = { runOnly: ['link-in-text-block'] };
  const colors = { runOnly: ['color-contrast', 'link-in-text-block'] };
  const rest = { rules: { 'color-contrast': { enabled: language === 'en' } } };
  if (forcedColors === 'active') return findViolations(page, links);
  return findViolations(page, colorScheme === 'dark' ? colors : rest);
}

describe('the voting pages', () => {
  it.each(TESTED_LANGUAGES)(
    'in %s are translated, fit, and are accessible',
    async language => {
      const context = await rig.browser.newContext({ locale: language, reducedMotion: 'reduce' });
      const page = await context.newPage();
      const show = async ({ width, colorScheme, forcedColors, textSize }: Look) => {
        await page.setViewportSize({ width, height: width === 1280 ? 800 : 640 });
        await page.emulateMedia({ colorScheme, forcedColors });
        await page.evaluate(size => {
          document.documentElement.style.fontSize = size;
        }, textSize);
      };
      await show(NARROW);
      const faults: unknown[] = [];
      page.on('pageerror', error => faults.push(String(error)));
      page.on('console', message => {
        const text = message.text();
        if (message.type() === 'error' && !/status of 4\d\d/.test(text)) faults.push(text);
      });
      for (const [stop, open] of Object.entries(STOPS)) {
        await open(page, rig.site);
        const { lang, dir } = await page.evaluate(() => {
          const { lang, dir } = document.documentElement;
          return { lang, dir };
        });
        expect({ stop, lang, dir }).toEqual({ stop, lang: language, dir: directionOf(language) });
        for (const look of LOOKS[language] ?? [NARROW]) {
          await show(look);
          const texts = await page.evaluate(textsOfPage);
          const found = {
            'lacks a value': texts.filter(text => text.includes('{{')),
            'not translated': texts.filter(text => isUntranslated(language, text)),
            'does not fit': await page.evaluate(layoutFaults, MIN_TARGET_HEIGHT),
            'not seen': look === FORCED_COLORS ? await page.evaluate(colorFaults) : [],
            axe: isCheckedByAxe(language, look) ? await violations(page, language, look) : [],
          };
          for (const [fault, details] of Object.entries(found))
            if (details.length > 0) faults.push([stop, look, fault, ...details]);
        }
      }
      expect(faults).toEqual([]);
    },
    600_000,
  );
});
