import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { browserRig } from './browser-rig.ts';

const ANSWERS = [
  'Waterloo',
  'Volare',
  'Hallelujah',
  'Ne partez pas sans moi',
  'Fuego',
  'Arcade',
  'Tattoo',
  'Euphoria',
];
const LONG =
  'Which of these songs, all of them winners of the last seventy years, should the orchestra play at the end of tonight?';
const PICTURE = 'https://pictures.test/wide.svg';
const SMALL = { width: 320, height: 568 };
const COMMON = { width: 390, height: 844 };

const LANGUAGES = ['en', 'de', 'ar'];

const rig = browserRig<LiveSite>(() => startLiveSite({ proofCost: 1 }));

interface View {
  readonly size: { readonly width: number; readonly height: number };
  readonly language?: string;
  /** The size of the text, as people with low vision set it. */
  readonly textPercent?: number;
  readonly draft?: Record<string, unknown>;
}

async function openPoll({ size, language = 'en', textPercent = 100, draft }: View): Promise<Page> {
  const { id } = await rig.site.createPoll({ mip: true, answers: ANSWERS, ...draft });
  const context = await rig.browser.newContext({
    viewport: size,
    locale: language,
    hasTouch: true,
    isMobile: true,
  });
  const page = await context.newPage();
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="900"><rect width="1600" height="900" fill="#678"/></svg>';
  await page.route(PICTURE, route => route.fulfill({ contentType: 'image/svg+xml', body: svg }));
  await page.goto(`${rig.site.url}/${id}`);
  await page.evaluate(percent => {
    document.documentElement.style.fontSize = `${percent}%`;
  }, textPercent);
  await page.locator('[data-solved]').waitFor();
  return page;
}

/** The answers in the window, those that can be read without scrolling, and whether the Vote button covers any. */
function answersInWindow(): {
  readonly whole: number;
  readonly readable: number;
  readonly isCovered: boolean;
} {
  const boxes = [...document.querySelectorAll('.answer')].map(answer => answer.getBoundingClientRect());
  const texts = [...document.querySelectorAll('.answer span')].map(text => text.getBoundingClientRect());
  const bar = document.querySelector('.cast')!.getBoundingClientRect();
  const edge = Math.min(innerHeight, bar.top);
  return {
    whole: boxes.filter(({ bottom }) => bottom <= edge).length,
    readable: texts.filter(({ bottom }) => bottom <= edge).length,
    isCovered: boxes.some(({ top, bottom }) => bottom > bar.top && top < bar.bottom),
  };
}

const deadline = { has_deadline: true, deadline: new Date(Date.now() + 3_600_000).toISOString() };

describe('a voting page on a small phone', () => {
  it.each(LANGUAGES)('in %s has no answer under the Vote button', async language => {
    const page = await openPoll({ size: SMALL, language });
    const { whole, isCovered } = await page.evaluate(answersInWindow);
    expect(isCovered).toBe(false);
    expect(whole).toBeGreaterThanOrEqual(4);
  });

  it.each(LANGUAGES)('in %s with text twice as large shows an answer on the first screen', async language => {
    const page = await openPoll({ size: SMALL, language, textPercent: 200 });
    expect((await page.evaluate(answersInWindow)).whole).toBeGreaterThanOrEqual(1);
  });

  it('with text twice as large shows an answer below a deadline', async () => {
    const page = await openPoll({ size: SMALL, textPercent: 200, draft: deadline });
    const { readable, isCovered } = await page.evaluate(answersInWindow);
    expect(readable).toBeGreaterThanOrEqual(1);
    expect(isCovered).toBe(false);
  });

  it.each([
    ['long question', { title: LONG }],
    ['picture', { image: PICTURE, has_image: true }],
  ])('with a %s shows an answer on the first screen', async (_, draft) => {
    const page = await openPoll({ size: SMALL, draft });
    expect((await page.evaluate(answersInWindow)).whole).toBeGreaterThanOrEqual(1);
  });
});

describe('a voting page on a common phone', () => {
  const answers = [...ANSWERS, ...ANSWERS.map(text => `${text} (live)`)];

  it.each(LANGUAGES)(
    'in %s keeps Vote in the window, with a shadow while answers go on below',
    async language => {
      const page = await openPoll({ size: COMMON, language, draft: { answers } });
      expect((await page.evaluate(answersInWindow)).isCovered).toBe(true);
      const bar = page.locator('.cast[data-stuck]');
      await bar.waitFor();
      const { bottom, shadow } = await bar.evaluate(element => ({
        bottom: element.getBoundingClientRect().bottom,
        shadow: getComputedStyle(element).boxShadow,
      }));
      expect(bottom).toBeLessThanOrEqual(COMMON.height + 1);
      expect(shadow).toMatch(/ -6px 12px -6px/);
    },
  );

  it('keeps Vote in the window at 360 × 640, too', async () => {
    const page = await openPoll({ size: { width: 360, height: 640 } });
    await page.locator('.cast[data-stuck]').waitFor();
    const { bottom } = await page.locator('[data-submit]').evaluate(button => button.getBoundingClientRect());
    expect(bottom).toBeLessThanOrEqual(640);
  });

  it('has no answer under the Vote button at the end of the list', async () => {
    const page = await openPoll({ size: COMMON, draft: { answers } });
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.locator('.cast:not([data-stuck])').waitFor();
    expect((await page.evaluate(answersInWindow)).isCovered).toBe(false);
  });

  it('shows a short list with its Vote button', async () => {
    const page = await openPoll({ size: COMMON, draft: { answers: ANSWERS.slice(0, 3) } });
    expect(await page.evaluate(answersInWindow)).toMatchObject({ whole: 3, isCovered: false });
  });
});

it('breaks lines of Japanese between phrases, whatever language the page has', async () => {
  const title = 'あなたが今夜いちばん聴きたい曲はどれですか';
  const { id } = await rig.site.createPoll({ title, answers: ['ダンシング・クイーン', 'Waterloo'] });
  const context = await rig.browser.newContext({ locale: 'en-US', viewport: { width: 320, height: 640 } });
  const page = await context.newPage();
  await page.goto(`${rig.site.url}/${id}`);
  const languages = await page
    .locator('h1, .answer, .rows .label')
    .evaluateAll(all => all.map(one => one.getAttribute('lang')));
  expect(languages).toEqual(['ja', 'ja', null, 'ja', null]);
  expect(await page.locator('h1').evaluate(one => getComputedStyle(one).wordBreak)).toBe('auto-phrase');
});
