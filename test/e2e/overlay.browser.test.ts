import { describe, expect, it } from 'vitest';
import type { PollSnapshot } from '../../src/picture/picture.ts';
import { drawingStyles } from '../../src/picture/styles.ts';
import { themeNames } from '../../src/picture/themes.ts';
import type { ResultsBody } from '../../src/protocol/messages.ts';
import { knownHidden, knownResults } from '../overlay/poll-snapshots.ts';
import { browserRig } from './browser-rig.ts';
import { differingRows } from './pixels.ts';
import { drawScene, StagePages } from './stage-page.ts';
import type { StageWindow } from './stage-window.ts';

const faults = () => (globalThis as unknown as StageWindow).faults();

const LONG_TITLE = 'Wörter und Wörter '.repeat(20).slice(0, 300);
const UNBROKEN = 'W'.repeat(200);
const TEN_DIGITS = [9_876_543_210, 9_876_543_209, 1_234_567_890, 1];

function withTexts(results: ResultsBody, title: string, answer: (at: number) => string): ResultsBody {
  return {
    ...results,
    title,
    poll_answers: results.poll_answers.map((entry, at) => ({ ...entry, answer: answer(at) })),
  };
}

const polls: Record<string, ResultsBody> = {
  'the longest texts': withTexts(knownResults(TEN_DIGITS), LONG_TITLE, at =>
    `${at} ${'long answer '.repeat(20)}`.slice(0, 200),
  ),
  'texts without a break': withTexts(knownResults([3, 2, 1]), 'W'.repeat(300), () => UNBROKEN),
  'right-to-left and mixed scripts': withTexts(
    knownResults([30, 20, 7]),
    'أي أغنية تختتم العرض؟',
    at => ['שעת הזהב', 'قطار 2 Night', 'Plain'][at] ?? '',
  ),
  'emoji and combining marks': withTexts(knownResults([1, 2]), '👩‍👩‍👧‍👦'.repeat(20), () => 'Z̸̧̛̤͓̈́a̷l̵g̶o 🏳️‍🌈 é'),
  'two answers': knownResults([1204, 1203]),
  '100 answers': knownResults(Array.from({ length: 100 }, (_, at) => at)),
  'no votes': knownResults([0, 0, 0, 0]),
  'a winner with a long name': withTexts(
    knownResults([1204, 77, 3], { status: 'closed' }),
    'Which one?',
    at => `${at} Northern Lights over Norway`,
  ),
  'a tie at the end': knownResults([5, 5, 5], { status: 'closed' }),
  'removed votes': knownResults(TEN_DIGITS, {
    status: 'closed',
    voided_votes: 1_234_567_890,
    poll_answers: knownResults([...TEN_DIGITS.slice(0, 1), ...TEN_DIGITS.slice(0, 3)]).poll_answers,
  }),
  'ten digits': knownResults(TEN_DIGITS, { deadline: new Date(Date.now() + 86_400_000 * 9).toISOString() }),
};
/** A wide and a narrow one: the matrix has others. */
const screens = [
  [1280, 720],
  [320, 640],
] as const;

const rig = browserRig(browser => StagePages.bundle(browser));

type Drawing = readonly [name: string, query: string, poll: PollSnapshot];

/** Draws one after the other, and returns the names and faults of those with faults. Runs in the page. */
function check(drawings: readonly Drawing[]): string[] {
  const { show, faults } = globalThis as unknown as StageWindow;
  return drawings.flatMap(([name, query, poll]) => {
    show(query, { poll, away: false });
    return faults().map(fault => `${name}, ${query}: ${fault}`);
  });
}

it.each([
  [90, 60],
  [1920, 100],
])('every style can be drawn in the little room of %i x %i', async (width, height) => {
  const page = await rig.site.open(width, height);
  for (const style of drawingStyles) {
    const query = `style=${style}&speed=0`;
    await page.evaluate(
      check,
      Object.entries(polls).map(([name, poll]) => [name, query, poll] as const),
    );
    expect(await page.locator('.panel').count(), style).toBe(1);
  }
});

it.each(screens)('on a screen of %i x %i no style has layout faults for any poll', async (width, height) => {
  const page = await rig.site.open(width, height);
  const drawings = drawingStyles.flatMap((style): Drawing[] => [
    ...Object.entries(polls).flatMap(([name, poll]) =>
      ['', '&voided=1', '&voided=1&values=count&lang=ar&theme=outline'].map(
        more => [name, `style=${style}&speed=0${more}`, poll] as const,
      ),
    ),
    ...themeNames.map(
      theme =>
        ['hidden', `style=${style}&speed=0&theme=${theme}`, knownHidden({ title: LONG_TITLE })] as const,
    ),
  ]);
  expect(await page.evaluate(check, drawings)).toEqual([]);
});

describe('the search for layout faults', () => {
  it.each([
    ['.label', 'position: relative; left: -200px', 'leaves the panel'],
    ['.panel', 'margin-left: -80px', 'leaves the safe area'],
    ['.percent', 'position: relative; left: -70px', 'lies on'],
    ['.total', 'overflow: visible; width: 9px', 'is wider than its box'],
    ['.percent', 'font-size: 9px', 'is too small to read'],
  ])('finds a fault in %s', async (selector, css, fault) => {
    const page = await rig.site.open();
    await drawScene(page, 'speed=0', knownResults([5, 3]));
    expect(await page.evaluate(faults)).toEqual([]);
    await page.addStyleTag({ content: `.tallycast ${selector} { ${css} !important; display: block }` });
    expect((await page.evaluate(faults)).join()).toContain(fault);
  });
});

describe('an overlay', () => {
  it('keeps a pile of marks, in a text from before there was a limit, in its row', async () => {
    const page = await rig.site.open(960, 540);
    const shoot = async (marks: string) => {
      const text = `Zal${marks}go`;
      await drawScene(
        page,
        'speed=0',
        withTexts(knownResults([3, 2]), text, at => (at ? text : 'Plain')),
      );
      return page.screenshot();
    };
    const [plain, piled] = [await shoot(''), await shoot('\u0301\u0316'.repeat(99))];
    const rows = await differingRows(rig.browser, plain, piled);
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.length).toBeLessThan(540 / 4);
  });

  it('shows markup as text in every style', async () => {
    const page = await rig.site.open();
    const markup = '<img src=x onerror="globalThis.hacked=1"><b>bold</b>&amp;';
    for (const style of drawingStyles) {
      await drawScene(
        page,
        `style=${style}`,
        // A label longer than its column would be cut, so the answers' markup is short.
        withTexts(knownResults([2, 1]), markup, at => `<b>${at}</b>`),
      );
      expect(await page.locator('.title').textContent(), style).toBe(markup);
      if (style !== 'code')
        expect(await page.locator('.label').first().textContent(), style).toContain('<b>0</b>');
      expect(await page.locator('img, b').count(), style).toBe(0);
    }
    expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
  });

  it('shows removed votes in every style only if asked for, and only while counts are visible', async () => {
    const page = await rig.site.open();
    const removed = knownResults([5, 3], { voided_votes: 3 });
    const line = page.getByText('3 votes removed');
    for (const style of drawingStyles) {
      await drawScene(page, `style=${style}&speed=0`, removed);
      expect(await line.count(), style).toBe(0);
      const query = `style=${style}&speed=0&voided=on`;
      await drawScene(page, query, removed);
      expect(await line.isVisible(), style).toBe(true);
      for (const poll of [knownHidden(), knownResults([5, 3])]) {
        await drawScene(page, query, poll);
        expect(await page.getByText('removed').count(), style).toBe(0);
      }
    }
  });

  it('hides an empty footer, and shows it again with the result', async () => {
    const page = await rig.site.open();
    const foot = page.locator('.foot');
    const query = 'total=0&countdown=0';
    await drawScene(page, query, knownResults([5, 3], { deadline: '2999-01-01T00:00:00.000Z' }));
    const [gap] = await page
      .locator('.panel')
      .evaluateAll(([panel]) =>
        [panel, panel!.querySelector('.body')].map(box => box!.getBoundingClientRect()),
      )
      .then(([panel, body]) => [panel!.bottom - body!.bottom]);
    const padding = await page
      .locator('.panel')
      .evaluate(panel => Number.parseFloat(getComputedStyle(panel).paddingBottom));
    expect(await foot.isVisible()).toBe(false);
    expect(gap).toBeCloseTo(padding, 0);
    await drawScene(page, query, knownResults([5, 3], { status: 'closed' }));
    expect(await foot.locator('.clock').textContent()).toBe('Final results');
    expect(await foot.isVisible()).toBe(true);
    await drawScene(page, query, knownResults([0, 0]));
    expect(await foot.locator('.said').textContent()).toBe('Waiting for the first vote');
    expect(await foot.isVisible()).toBe(true);
  });

  it.each([
    ['', 'rtl'],
    ['lang=de', 'ltr'],
  ])('lays out an Arabic poll right to left, unless a language is set (%s)', async (query, side) => {
    const page = await rig.site.open();
    const poll = withTexts(knownResults([5, 3]), 'أي أغنية تختتم العرض؟', at => ['قطار', 'Plain'][at]!);
    await drawScene(page, query, poll);
    const places = await page.evaluate(() => {
      const textBox = (selector: string) => {
        const range = document.createRange();
        range.selectNodeContents(document.querySelector(selector)!);
        return range.getBoundingClientRect();
      };
      const middle = document.querySelector('.panel')!.getBoundingClientRect();
      const half = middle.left + middle.width / 2;
      return Object.fromEntries(
        ['.title', '.label', '.total', '.percent'].map(name => {
          const { left, right } = textBox(name);
          return [name, left + right > 2 * half ? 'right' : 'left'];
        }),
      );
    });
    const [begin, end] = side === 'rtl' ? ['right', 'left'] : ['left', 'right'];
    expect(places).toEqual({ '.title': begin, '.label': begin, '.total': begin, '.percent': end });
    expect(await page.locator('.total').textContent()).toMatch(/^8 /);
  });

  it('names no leader beside the big number before the first vote, unless an answer is set', async () => {
    const page = await rig.site.open();
    await drawScene(page, 'style=big-number', knownResults([0, 0]));
    expect(await page.locator('.number').textContent()).toBe('0%');
    expect(await page.locator('.label').isVisible()).toBe(false);
    await drawScene(page, 'style=big-number&answer=2', knownResults([0, 0]));
    expect(await page.locator('.label').textContent()).toBe('Answer 2');
    await drawScene(page, 'style=big-number', knownResults([0, 1]));
    expect(await page.locator('.label').textContent()).toBe('Answer 2');
  });

  it('counts down by server time', async () => {
    const page = await rig.site.open();
    const serverMs = Date.now() + 3_600_000;
    const deadline = new Date(serverMs + 90_000).toISOString();
    await drawScene(page, '', knownResults([5], { timestamp: Math.floor(serverMs / 1000), deadline }));
    expect(await page.locator('.clock').textContent()).toMatch(/^Closes in 1:(29|3[0-2])$/);
  });
});
