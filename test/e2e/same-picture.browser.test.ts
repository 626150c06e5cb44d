import { createCanvas, loadImage } from '@napi-rs/canvas';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { drawingStyles } from '../../src/picture/styles.ts';
import { knownHidden, knownResults } from '../overlay/poll-snapshots.ts';
import { atRest, CODE, draw, type Pixels, pixelsOf, type Size } from '../picture/drawn.ts';
import { browserRig } from './browser-rig.ts';
import { drawScene, StagePages } from './stage-page.ts';
import type { StageWindow } from './stage-window.ts';

const SIZE: Size = [1280, 720];
/** Edges of letters differ a little between two builds of Skia. */
const TRACE = 64;
const MOST_DIFFERENT = 0.01;
/** A picture has more: a code alone has the least. */
const LEAST_INK = 0.004;

const rig = browserRig(browser => StagePages.bundle(browser));

async function readPixels(png: Buffer): Promise<Pixels> {
  const image = await loadImage(png);
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { width, height, data } = context.getImageData(0, 0, image.width, image.height);
  return { width, height, data };
}

/** Part of the pixels that differ visibly. */
function difference(one: Pixels, other: Pixels): number {
  const pixels = one.width * one.height;
  let different = 0;
  for (let at = 0; at < pixels; at++)
    if (
      [0, 1, 2].some(channel => Math.abs(one.data[4 * at + channel]! - other.data[4 * at + channel]!) > TRACE)
    )
      different += 1;
  return different / pixels;
}

function withTexts(title: string, ...answers: string[]) {
  const poll = knownResults([3, 2]);
  const named = poll.poll_answers.map((one, at) => ({ ...one, answer: answers[at]! }));
  return { ...poll, title, poll_answers: named };
}

async function openPage(): Promise<Page> {
  const page = await rig.site.open(...SIZE);
  await page.evaluate(code => (globalThis as unknown as StageWindow).showCode(code), CODE);
  return page;
}

describe('a page and a still', () => {
  it.each(drawingStyles)('have the same picture: %s', async style => {
    const page = await openPage();
    const polls = [
      knownResults([1204, 877, 312]),
      knownResults([1204, 877, 312], { status: 'closed' }),
      knownHidden(),
      // From right to left, in letters whose font both have.
      withTexts(
        'א — Midnight Train Orchestra, or the Paper Planes (live)? Say it: 3 : 2 !',
        '-5 °',
        '3:1 (Yes!)',
      ),
    ];
    for (const poll of polls) {
      const query = `style=${style}&speed=0&qr=right`;
      await drawScene(page, query, poll);
      const laid = draw(poll, query, SIZE);
      // The code of one poll goes with the vote.
      const shown = style === 'code' && poll.status === 'closed' ? [] : atRest(laid);
      const still = pixelsOf(shown, laid, SIZE, '#ffffff');
      const shot = await readPixels(await page.screenshot());
      expect([shot.width, shot.height]).toEqual(SIZE);
      const empty = { ...still, data: new Uint8ClampedArray(still.data.length).fill(255) };
      if (shown.length > 0) expect(difference(still, empty), style).toBeGreaterThan(LEAST_INK);
      expect(difference(still, shot), `${style}, ${poll.status}`).toBeLessThan(MOST_DIFFERENT);
    }
  });
});

describe('the words of a page', () => {
  it('stay when results are hidden again before the winner of their reveal goes on', async () => {
    const page = await openPage();
    const closed = { status: 'closed' } as const;
    for (const poll of [knownHidden(closed), knownResults([5, 3], closed), knownHidden(closed)])
      await drawScene(page, 'style=bars', poll);
    expect(await page.locator('.words').textContent()).toContain('Results to follow');
    expect(await page.locator('.words .percent').count()).toBe(0);
  });

  it('contain markup as text in every style', async () => {
    const page = await openPage();
    const markup = '<img src=x onerror="globalThis.hacked=1"><b>bold</b>&amp;';
    const poll = { ...knownResults([2, 1]), title: markup };
    for (const style of drawingStyles.filter(style => style !== 'code')) {
      await drawScene(page, `style=${style}`, poll);
      expect(await page.locator('.words .title').textContent(), style).toBe(markup);
      expect(await page.locator('img, b').count(), style).toBe(0);
    }
    expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
  });

  it('count down by server time', async () => {
    const page = await openPage();
    const serverMs = Date.now() + 3_600_000;
    const deadline = new Date(serverMs + 90_000).toISOString();
    await drawScene(page, '', knownResults([5], { timestamp: Math.floor(serverMs / 1000), deadline }));
    expect(await page.locator('.words .clock').textContent()).toMatch(/^Closes in 1:(2\d|3[0-2])$/);
  });

  it('are gone `hide` seconds after the end, also when loaded later', async () => {
    const page = await openPage();
    const endedAgo = (seconds: number) =>
      knownResults([5, 3], {
        status: 'closed',
        timestamp: Math.floor(Date.now() / 1000),
        deadline: new Date(Date.now() - seconds * 1000).toISOString(),
      });
    const stage = page.locator('.tallycast');
    await drawScene(page, 'hide=600', endedAgo(10));
    expect(await stage.getAttribute('data-on')).toBe('true');
    await drawScene(page, 'hide=600&', endedAgo(700));
    expect(await stage.getAttribute('data-on')).toBe('false');
    expect(await page.locator('.words > *').count()).toBe(0);
  });
});

it.each([
  ['speed=0', 'no-preference', false],
  ['speed=1', 'reduce', false],
  ['speed=0.25', 'no-preference', true],
] as const)('moves unless it should not: %s, %s', async (query, reducedMotion, moves) => {
  const page = await openPage();
  await page.emulateMedia({ reducedMotion });
  await drawScene(page, query, knownResults([5, 3]));
  const isStill = await page.evaluate(
    ([asked, scene]) => {
      const { show } = globalThis as unknown as StageWindow;
      const read = () => document.querySelector('canvas')!.toDataURL();
      show(asked, scene);
      const first = read();
      // A new stage begins at rest.
      show(`${asked}&`, scene);
      return first === read();
    },
    [query, { poll: knownResults([5, 95]), away: false }] as const,
  );
  expect(isStill).toBe(!moves);
});
