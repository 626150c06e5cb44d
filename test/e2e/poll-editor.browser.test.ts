import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { png } from '../support/images.ts';
import { type LiveSite, reword, startLiveSite, type TestPoll } from '../voting/voting-site.ts';
import { findViolations } from './axe.ts';
import { browserRig } from './browser-rig.ts';

const rig = browserRig<LiveSite>(() => startLiveSite({ proofCost: 10 }));
const PHONE = { viewport: { width: 320, height: 700 }, hasTouch: true };

async function open(path: string, locale = 'en-US'): Promise<Page> {
  const context = await rig.browser.newContext({ locale, ...PHONE });
  const page = await context.newPage();
  await page.goto(rig.site.url + path);
  return page;
}

async function openEditor({ id, adminKey }: TestPoll, locale?: string): Promise<Page> {
  const page = await open(`/${id}/manage#key=${adminKey}`, locale);
  await page.locator('[data-edit] > summary').click();
  return page;
}

const answersOf = async (id: string) => (await rig.site.engine.polls.find(id))!.poll.answers;
const shownAnswers = (page: Page) => page.locator('.vote .answer > span:first-of-type').allTextContents();

describe('the editor', () => {
  it('moves, adds and removes answers by keyboard, and changes rules, at 320 pixels', async () => {
    const made = await rig.site.createPoll({ answers: ['One', 'Two', 'Three'] });
    const page = await openEditor(made);
    await page.getByLabel('Answer 1', { exact: true }).press('Alt+ArrowDown');
    await page.getByLabel('Answer 3', { exact: true }).fill('');
    await page.getByRole('button', { name: 'Add answer' }).click();
    await page.getByLabel('Answer 4', { exact: true }).fill('Four');
    await page.locator('.rules > summary').click();
    await page.getByLabel('Multiple answers').check();
    await page.getByLabel('Most answers in a vote').fill('2');
    expect(await findViolations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await page.getByLabel('Question', { exact: true }).press('Enter');
    await page.getByText('The poll has been corrected').waitFor();
    const { poll } = (await rig.site.engine.polls.find(made.id))!;
    const [one, two] = made.poll.answers;
    expect(poll.answers).toMatchObject([two, one, { text: 'Four' }]);
    expect(poll).toMatchObject({ maxChoices: 2, settings: { allowMultiple: true } });
  });

  it('shows a chosen picture at once, replaces it, and takes it back, while texts are typed', async () => {
    const made = await rig.site.createPoll({ answers: ['One', 'Two'] });
    const page = await openEditor(made);
    await page.getByLabel('Question', { exact: true }).fill('Typed?');
    await page.getByText('Colors and pictures').click();
    const file = (size: number) => ({ name: 'a.png', mimeType: 'image/png', buffer: png(size, size) });
    const shown = page.locator('.row [data-shown] img').first();
    await page.getByLabel('Picture: 1', { exact: true }).setInputFiles(file(4));
    await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(4);
    expect((await shown.boundingBox())!.width).toBeLessThan(50);
    await page.getByLabel('Picture: 1', { exact: true }).setInputFiles(file(8));
    await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(8);
    await page.getByRole('button', { name: 'Remove picture: 1' }).click();
    await shown.waitFor({ state: 'hidden' });
    await page.getByLabel('Picture: 2', { exact: true }).setInputFiles(file(4));
    await page.locator('.row [data-shown] img').nth(1).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The poll has been corrected').waitFor();
    expect(await answersOf(made.id)).toMatchObject([
      made.poll.answers[0],
      { text: 'Two', image: expect.any(String) },
    ]);
    expect((await rig.site.engine.polls.find(made.id))!.poll.title).toBe('Typed?');
  });

  it('crops a picture to a point, by a click on it and by its numbers, until it is replaced', async () => {
    const made = await rig.site.createPoll({ answers: ['One', 'Two'] });
    const page = await openEditor(made);
    await page.getByText('Colors and pictures').click();
    const file = (width: number) => ({ name: 'a.png', mimeType: 'image/png', buffer: png(width, 20) });
    const shown = page.locator('.row [data-shown] img').first();
    const numbers = ['left', 'top'].map(side => page.getByLabel(`Crop: 1, percent from the ${side}`));
    const position = () => shown.evaluate(image => getComputedStyle(image).objectPosition);
    const seen = () => Promise.all([...numbers.map(number => number.inputValue()), position()]);
    const save = async () => {
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('The poll has been corrected').waitFor();
      await page.locator('[data-edit] > summary').click();
    };
    const stored = async () => (await answersOf(made.id))[0]!.imageFocus;
    await page.getByLabel('Picture: 1', { exact: true }).setInputFiles(file(60));
    await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(60);
    expect(await seen()).toEqual(['50', '28', '50% 6%']);
    expect(await findViolations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    // The picture is three times as wide as its preview, which shows the middle of it.
    await shown.click({ position: { x: 1, y: 22 } });
    expect(await seen()).toEqual(['34', '50', '18% 50%']);
    await save();
    expect(await stored()).toEqual([34, 50]);
    await numbers[1]!.fill('90');
    expect(await seen()).toEqual(['34', '90', '18% 100%']);
    await save();
    expect(await stored()).toEqual([34, 90]);
    await page.getByLabel('Picture: 1', { exact: true }).setInputFiles(file(50));
    await expect.poll(seen).toEqual(['50', '28', '50% 6%']);
    expect(await stored()).toBeUndefined();
  });

  it('is two taps from the top of the page, and one from saving', async () => {
    const made = await rig.site.createPoll({ title: 'Wich song next?' });
    await rig.site.visitor().vote(made.id, made.poll.answers[0]!.id);
    const page = await open(`/${made.id}/manage#key=${made.adminKey}`);
    const edit = page.locator('[data-edit] > summary');
    await edit.waitFor();
    expect((await edit.boundingBox())!.y).toBeLessThan(350);
    await edit.tap();
    await page.getByLabel('Question', { exact: true }).tap();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Which song next?');
    await page.getByRole('button', { name: 'Save', exact: true }).tap();
    await page.getByText('The poll has been corrected').waitFor();
    expect(await page.locator('h1').textContent()).toBe('Which song next?');
  });

  it('shows, replaces and removes the picture of the question', async () => {
    const made = await rig.site.createPoll();
    const page = await openEditor(made);
    const file = (buffer: Buffer) => ({ name: 'a.png', mimeType: 'image/png', buffer });
    const field = page.getByLabel('Picture: Question', { exact: true });
    const shown = page.locator('[data-edit] [data-shown] img').first();
    for (const size of [4, 8]) {
      await field.setInputFiles(file(png(size, size)));
      await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(size);
    }
    await field.setInputFiles(file(Buffer.from('no image')));
    await page.getByText('Question: the picture couldn’t be saved').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove picture: Question' }).click();
    await shown.waitFor({ state: 'hidden' });
    await expect.poll(async () => (await rig.site.engine.polls.find(made.id))!.poll.image).toBeNull();
    await page.getByLabel('Question', { exact: true }).fill('Which song now?');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The poll has been corrected').waitFor();
  });

  it('is accessible and fits in Arabic', async () => {
    const page = await openEditor(await rig.site.createPoll(), 'ar');
    await page.locator('.rules > summary').click();
    expect(await findViolations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  });
});

it('the editor without a script, opened by its key, fits at 320 pixels', async () => {
  const { id, adminKey } = await rig.site.createPoll();
  const context = await rig.browser.newContext({ ...PHONE, locale: 'de', javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${rig.site.url}/${id}/manage`);
  await page.locator('[name=key]').fill(adminKey);
  await page.getByRole('button', { name: 'Weiter' }).click();
  await page.locator('[data-edit] > summary').click();
  await page.locator('[type=file][name=picture]').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
});

describe('a voting page that is open', () => {
  it('has comments, the check of the result, and another order as soon as the poll has them', async () => {
    const answers = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight'];
    const { id } = await rig.site.createPoll({ answers });
    const page = await open(`/${id}`);
    const change = async (rules: Parameters<typeof reword>[2]) => {
      await page.locator('[data-peek] > summary').click();
      await page.locator('[data-results] .live').waitFor();
      await reword(rig.site, id, rules);
    };
    await change({ allowComments: true });
    await page.getByRole('heading', { name: 'Comments' }).waitFor();
    await change({ isVerifiable: true });
    await page.getByRole('link', { name: 'Check the result' }).waitFor();
    await change({ answerOrder: 'random' });
    await expect.poll(() => shownAnswers(page)).not.toEqual(answers);
    expect((await shownAnswers(page)).sort()).toEqual([...answers].sort());
  });

  it('has new answers and rules, and keeps the choice that still exists', async () => {
    const { id, poll } = await rig.site.createPoll({
      answers: ['One', 'Two', 'Three'],
      mip: true,
    });
    const page = await open(`/${id}`);
    // While results are looked at, a change reaches the page at once.
    const peek = async () => {
      await page.locator('[data-peek] > summary').click();
      await page.locator('[data-results] .live').waitFor();
    };
    await page.getByLabel('Three').check();
    await peek();
    const [one, , three] = poll.answers;
    await reword(rig.site, id, { answers: [three!, { text: 'New' }, one!] });
    await expect.poll(() => shownAnswers(page)).toEqual(['Three', 'New', 'One']);
    expect(await page.getByLabel('Three').isChecked()).toBe(true);
    await peek();
    await reword(rig.site, id, { allowMultiple: true });
    await page.locator('.vote [type=checkbox]').first().waitFor();
    await page.getByLabel('New').check();
    expect(await page.getByLabel('Three').isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Vote', exact: true }).click();
    await page.getByText('Your vote has been counted').waitFor();
    expect((await rig.site.engine.polls.find(id))!.results.votes).toEqual([1, 1, 0]);
  });
});
