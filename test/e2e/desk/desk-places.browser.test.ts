import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { TESTED_LANGUAGES } from '../voting-tour.ts';
import { deskRig, word } from './desk-rig.ts';

const rig = deskRig();

const SIZES = [
  [1280, 720],
  [320, 900],
  [390, 844],
  [1920, 1080],
] as const;
/** Where texts have the least room. */
const TIGHT_SIZES = SIZES.slice(0, 2);
const COUNTS = [1, 40];

interface Place {
  readonly name: string;
  readonly box: readonly number[];
}

/** Where pictures and keys are. */
function readPlaces(desk: Page): Promise<Place[]> {
  return readPlacesOf(desk, '.stage .frame, .steps button, [data-rundown], [data-drawer]');
}

/** In whole pixels of the window. */
function readPlacesOf(desk: Page, selector: string): Promise<Place[]> {
  return desk.locator(selector).evaluateAll(elements =>
    elements.map(element => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      const name = (element as HTMLElement).dataset['step'] ?? element.className;
      return { name, box: [left, top, right, bottom].map(Math.round) };
    }),
  );
}

/** The places that the window does not show as a whole, and whether the page scrolls. */
function findHidden(desk: Page, places: readonly Place[]): Promise<string[]> {
  return desk.evaluate(all => {
    const { scrollHeight, scrollWidth } = document.documentElement;
    const hidden = all.filter(({ box: [left = 0, top = 0, right = 0, bottom = 0] }) => {
      const isOutside = left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
      return isOutside || right - left < 20 || bottom - top < 20;
    });
    const scrolls = scrollHeight > innerHeight || scrollWidth > innerWidth ? ['the page scrolls'] : [];
    return [...hidden.map(({ name, box }) => `${name} ${box}`), ...scrolls];
  }, places);
}

it.each(COUNTS)('pictures and keys keep their places in sight with %i polls', async count => {
  const show = await rig.takeShow();
  for (let number = 1; number <= count; number += 1)
    await show.addPoll({ title: `Question ${number}?`, answers: ['Yes', 'No'], status: 'upcoming' });
  const desk = await rig.desk(show);
  const rows = desk.locator('[data-rundown] li');
  for (const [width, height] of SIZES) {
    await show.press('clear');
    await rows.filter({ hasText: 'On air' }).waitFor({ state: 'detached' });
    await desk.setViewportSize({ width, height });
    await expect.poll(() => desk.locator('[data-rundown] li').count()).toBe(count);
    const places = await readPlaces(desk);
    expect(await findHidden(desk, places)).toEqual([]);
    const fixed = async () => (await readPlaces(desk)).filter(({ name }) => !/\[|drawer|^$/.test(name));
    const before = await fixed();
    const [first] = (await show.get()).json.rundown;
    await show.patch({ on_air: first });
    await rows.filter({ hasText: 'On air' }).waitFor();
    expect(await fixed()).toEqual(before);
    await desk.keyboard.press('o');
    await rows.first().getByText('Open').waitFor();
    await desk.keyboard.press('x');
    await desk.getByText('Closes in').waitFor();
    // What follows may take more than its half a minute.
    await rig.site.engine.polls.change(first, { deadlineMs: Date.now() + 599_000 });
    expect(await fixed()).toEqual(before);
    await rows.last().locator('.choose').click();
    await desk
      .locator('[data-drawer]')
      .getByRole('button', { name: /^Remove: / })
      .waitFor();
    expect(await fixed()).toEqual(before);
    if (count > 1) {
      const buttons = async () => {
        // A click that is tried again scrolls to its button.
        await desk.locator('[data-drawer]').evaluate(drawer => drawer.scrollTo(0, 0));
        return readPlacesOf(desk, '[data-drawer] :is(button, a, input)');
      };
      const ofRow = await buttons();
      await desk.getByRole('button', { name: /^Open voting: / }).click();
      await rows.last().getByText('Open').waitFor();
      await desk.getByRole('button', { name: /^Close in 30 s: / }).click();
      await desk.locator('[aria-label^="Keep open: "][aria-disabled=false]').click();
      await desk.locator('[aria-label^="Keep open: "][aria-disabled=true]').waitFor();
      await desk.getByRole('button', { name: /^Close voting: / }).click();
      await rows.last().getByText('Closed').waitFor();
      expect(await buttons()).toEqual(ofRow);
    }
    await desk.locator('[data-edit]').click();
    await desk.locator('form.edit').waitFor();
    expect(await fixed()).toEqual(before);
    await desk.keyboard.press('Escape');
    const last = (await rows.last().boundingBox())!;
    expect(last.y + last.height).toBeLessThanOrEqual(height);
    await desk.keyboard.press('a');
    await desk.keyboard.press('Enter');
    await expect.poll(() => word(desk)).toContain('Enter a question');
    await desk.keyboard.press('Escape');
    expect(await fixed()).toEqual(before);
    await desk.keyboard.press('x');
    await desk.getByText('Closes in').waitFor({ state: 'hidden' });
    await desk.keyboard.press('o');
    await rows.first().getByText('Closed').waitFor();
    expect(await findHidden(desk, await readPlaces(desk))).toEqual([]);
    expect(await fixed()).toEqual(before);
  }
});

it('the texts of a row keep their places when it is selected', async () => {
  const show = await rig.takeShow();
  await show.addPoll();
  const desk = await rig.desk(show);
  const texts = () => readPlacesOf(desk, '[data-rundown] :is(.number, .question, .status)');
  const row = desk.locator('[data-rundown] li');
  await row.getByText('Open').waitFor();
  const before = await texts();
  await row.locator('.choose').click();
  await desk.locator('[data-rundown] li[data-chosen]').waitFor();
  expect(await texts()).toEqual(before);
});

it('a selected poll has its picture in sight, its buttons in the drawer, and its whole text', async () => {
  const show = await rig.takeShow();
  const title =
    'Which song of all ten seasons, from the very first to the one that ends tonight, should close it?';
  for (const name of [title, 'Second?'])
    await show.addPoll({ title: name, answers: ['Yes', 'No'], status: 'upcoming' });
  const desk = await rig.desk(show);
  await desk.getByText('Second?').first().waitFor();
  expect(await desk.locator('[data-rundown] .question').first().getAttribute('title')).toBe(title);
  await desk.locator('[data-rundown] .choose').first().click();
  for (const [width, height] of [
    [1440, 900],
    [1280, 720],
    [1024, 768],
    [390, 844],
  ] as const) {
    await desk.setViewportSize({ width, height });
    const drawer = (await desk.locator('[data-drawer]').boundingBox())!;
    const frame = desk.locator('[data-picture=chosen] .frame');
    const heading = desk.locator('[data-drawer] h2');
    expect(await heading.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true);
    if (width > 390) {
      const { y, height: high } = (await frame.boundingBox())!;
      expect(y + high).toBeLessThanOrEqual(Math.min(height, drawer.y + drawer.height));
    }
    for (const button of await desk.locator('[data-drawer] button').all()) {
      const box = (await button.boundingBox())!;
      expect(box.y).toBeGreaterThanOrEqual(drawer.y);
      expect([box.x >= drawer.x, box.x + box.width <= drawer.x + drawer.width]).toEqual([true, true]);
    }
  }
});

/** Texts on keys and in the drawer that are wider or higher than their place. */
function findOverflows(desk: Page): Promise<string[]> {
  return desk.evaluate(() => {
    const boxes = document.querySelectorAll<HTMLElement>(
      '.steps button, .drawer button, .drawer a, .gauges, .bar summary',
    );
    return [...boxes]
      .filter(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => {
        return scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1;
      })
      .map(({ textContent }) => textContent?.replace(/\s+/g, ' '));
  });
}

it.each(TESTED_LANGUAGES)('every text fits its place in %s', async language => {
  const show = await rig.takeShow();
  const results_visibility = 'hidden';
  for (const title of ['First?', 'Second?'])
    await show.addPoll({ title, answers: ['Yes', 'No'], status: 'upcoming', results_visibility });
  await show.press('next');
  const { on_air: id } = (await show.get()).json;
  const desk = await rig.open(`${rig.site.url}/desk/${show.name}?lang=${language}#key=${show.key}`);
  for (const [width, height] of TIGHT_SIZES) {
    await desk.setViewportSize({ width, height });
    for (const closed of [false, true]) {
      await rig.site.engine.polls.change(id, { closed });
      await desk.locator(`[data-poll="${id}"] .choose[aria-pressed=false]`).click();
      expect(await findOverflows(desk)).toEqual([]);
      await desk.locator('[data-edit]').click();
      await desk.locator('form.edit').waitFor();
      expect(await findOverflows(desk)).toEqual([]);
      await desk.keyboard.press('Escape');
      await desk.keyboard.press('a');
      expect(await findOverflows(desk)).toEqual([]);
      expect(await findHidden(desk, await readPlaces(desk))).toEqual([]);
      await desk.keyboard.press('Escape');
    }
  }
});
