import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { browserRig } from './browser-rig.ts';

const rig = browserRig<LiveSite>(() => startLiveSite({ proofCost: 10 }));

async function open(path: string, options = {}): Promise<Page> {
  const context = await rig.browser.newContext({ locale: 'en-US', ...options });
  const page = await context.newPage();
  await page.goto(rig.site.url + path);
  return page;
}

const answers = (page: Page) =>
  page
    .locator('input[name=answer]')
    .evaluateAll(fields => fields.map(field => (field as HTMLInputElement).value));

/** Pastes into the answer that has the focus, as a browser does with plain text. */
const paste = (page: Page, text: string) =>
  page.evaluate(pasted => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement?.dispatchEvent(event);
  }, text);

describe('the answers of a new poll', () => {
  it('come from a pasted list, between those that are there, and the paste can be taken back', async () => {
    const page = await open('/new');
    await page.getByLabel('Answer 1', { exact: true }).fill('Soup');
    await page.getByLabel('Answer 2', { exact: true }).fill('Tea');
    await page.getByLabel('Answer 1', { exact: true }).focus();
    await paste(page, '1. Salad\n2. Bread\n');
    expect(await answers(page)).toEqual(['Soup', 'Salad', 'Bread', 'Tea']);
    expect(await page.locator('[role=status]').textContent()).toContain('Answers added: 2');
    expect(await page.getByLabel('Answer 3', { exact: true }).inputValue()).toBe('Bread');
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await answers(page)).toEqual(['Soup', 'Tea']);
  });

  it('are at most as many as a poll may have, and the page says how many were left out', async () => {
    const page = await open('/new');
    await page.getByLabel('Answer 1', { exact: true }).focus();
    await paste(page, Array.from({ length: 103 }, (_, index) => `Song ${index}`).join('\n'));
    expect(await answers(page)).toHaveLength(100);
    await page.getByText('A poll has at most 100 answers. Left out: 3').waitFor();
    expect(await page.getByRole('button', { name: 'Add answer' }).isVisible()).toBe(false);
    await page.getByLabel('Question', { exact: true }).fill('Which song?');
    await page.getByRole('button', { name: /Yes, at an event/ }).click();
    await page.getByText('Your poll is ready').waitFor();
  });

  it('move by keys and by dragging, which is announced, and their colors follow', async () => {
    const page = await open('/new');
    await page.getByLabel('Answer 1', { exact: true }).focus();
    await paste(page, 'Soup\nSalad\nBread');
    const colors = () =>
      page
        .locator('input[name=color]')
        .evaluateAll(fields => fields.map(field => (field as HTMLInputElement).value));
    const usual = await colors();
    await page
      .locator('input[name=color]')
      .first()
      .evaluate(field => {
        (field as HTMLInputElement).value = '#123456';
      });
    await page.getByLabel('Answer 1', { exact: true }).press('Alt+ArrowDown');
    expect(await answers(page)).toEqual(['Salad', 'Soup', 'Bread']);
    expect(await colors()).toEqual([usual[0], '#123456', usual[2]]);
    await page.getByText('Soup is now answer 2 of 3.').waitFor();
    expect(await page.locator(':focus').inputValue()).toBe('Soup');
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.press('Alt+ArrowDown');
    expect(await answers(page)).toEqual(['Salad', 'Bread', 'Soup']);

    const [from, to] = await Promise.all(
      ['Move: 3', 'Move: 1'].map(name => page.getByRole('button', { name }).boundingBox()),
    );
    await page.mouse.move(from!.x + 10, from!.y + 10);
    await page.mouse.down();
    await page.mouse.move(to!.x + 10, to!.y + 2, { steps: 20 });
    await page.mouse.up();
    expect(await answers(page)).toEqual(['Soup', 'Salad', 'Bread']);
    await page.getByText('Soup is now answer 1 of 3.').waitFor();
  });

  it('and settings are those of the last poll, by one tap', async () => {
    const page = await open('/new');
    await page.getByRole('button', { name: 'Agree … Disagree' }).click();
    expect(await answers(page)).toHaveLength(5);
    await page.getByText('Voting rules').click();
    await page.getByLabel('Multiple answers').check();
    await page.getByLabel('Question', { exact: true }).fill('Shorter meetings?');
    await page.getByRole('button', { name: /No, from different places/ }).click();
    await page.getByText('Your poll is ready').waitFor();
    await page.goto(`${rig.site.url}/new`);
    await page.getByRole('button', { name: 'Like my last poll' }).click();
    expect((await answers(page))[0]).toBe('Strongly agree');
    expect(await page.getByLabel('Multiple answers').isChecked()).toBe(true);
    expect(await page.getByLabel('Question', { exact: true }).inputValue()).toBe('');
  });
});

it('from the home page, yes or no is the question and three taps from a QR code', async () => {
  const page = await open('/');
  await page.getByRole('link', { name: 'Create a poll' }).click();
  await page.getByLabel('Question', { exact: true }).fill('Pizza?');
  await page.getByRole('button', { name: 'Yes / No' }).click();
  await page.getByRole('button', { name: /Yes, at an event/ }).click();
  await page.getByRole('img', { name: 'QR code for the voting page' }).waitFor();
});

it('on a wide screen, question, two answers and the buttons that create the poll are there without scrolling', async () => {
  const page = await open('/new', { viewport: { width: 1280, height: 800 } });
  const boxes = await page
    .locator('[name=title], [name=answer], .room button')
    .evaluateAll(elements => elements.map(element => element.getBoundingClientRect().bottom));
  expect(boxes).toHaveLength(5);
  expect(Math.max(...boxes)).toBeLessThan(800);
});

describe('on a phone', () => {
  const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const bottomOf = (page: Page, selector: string) =>
    page
      .locator(selector)
      .evaluateAll(all => Math.max(...all.map(each => each.getBoundingClientRect().bottom)));

  it('a question, two answers and one tap create a poll without scrolling', async () => {
    const page = await open('/new', PHONE);
    expect(await bottomOf(page, '[name=title], [name=answer], .room button')).toBeLessThanOrEqual(844);
    for (const text of ['Lunch?', 'Soup', 'Salad']) {
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    }
    expect(await bottomOf(page, '.room button')).toBeLessThanOrEqual(844);
    await page.getByRole('button', { name: /Yes, at an event/ }).tap();
    await page.getByText('Your poll is ready').waitFor();
  });

  it('a missing question is named between its label and the next one, with both in sight', async () => {
    const page = await open('/new', PHONE);
    await page.evaluate(() => scrollTo(0, 10_000));
    await page.getByRole('button', { name: /Yes, at an event/ }).tap();
    await page.locator('.fault').waitFor();
    const tops = await page.evaluate(() =>
      ['.field > span', '[name=title]', '.fault', '[data-answers] legend'].map(
        selector => document.querySelector(selector)!.getBoundingClientRect().top,
      ),
    );
    expect(tops[0]).toBeGreaterThanOrEqual(0);
    expect(tops).toEqual([...tops].sort((one, other) => one - other));
    await page.getByLabel(/^Question/).fill('Lunch?');
    expect(await page.locator('.fault').count()).toBe(0);
  });

  it('limits of choices follow multiple answers, and keys that it lacks are not spoken of', async () => {
    const page = await open('/new', PHONE);
    expect(await page.getByText('Alt +').isVisible()).toBe(false);
    await page.getByText('Voting rules').tap();
    const most = page.getByLabel('Most answers in a vote');
    expect(await most.isVisible()).toBe(false);
    await page.getByLabel('Multiple answers').check();
    await most.fill('2');
    await page.getByLabel('Multiple answers').uncheck();
    expect(await most.isVisible()).toBe(true);
    await most.fill('');
    expect(await most.isVisible()).toBe(false);
  });

  it('colors and pictures open below what opens them', async () => {
    const page = await open('/new', PHONE);
    const opener = page.getByText('Colors and pictures');
    await opener.tap();
    const tops = await Promise.all(
      [opener, page.getByLabel('Color: 1')].map(async one => (await one.boundingBox())!.y),
    );
    expect(tops[0]).toBeLessThan(tops[1]!);
  });
});

it('the home page has live results only while they are in view', async () => {
  const page = await open('/', { viewport: { width: 390, height: 844 } });
  await page.frameLocator('iframe').getByText('Midnight Train').first().waitFor({ state: 'attached' });
  await page.evaluate(() => {
    document.body.style.paddingBottom = '3000px';
    scrollTo(0, 3_000);
  });
  await page.locator('iframe').waitFor({ state: 'detached' });
  await page.evaluate(() => scrollTo(0, 0));
  await page.locator('iframe').waitFor();
});

it('without scripts, a template and the question are enough for a poll', async () => {
  const page = await open('/new', { javaScriptEnabled: false });
  await page.getByLabel('Question', { exact: true }).fill('Pizza?');
  await page.getByRole('button', { name: 'Yes / No' }).click();
  expect(await answers(page)).toEqual(['Yes', 'No']);
  await page.getByRole('button', { name: /No, from different places/ }).click();
  await page.getByText('Your poll is ready').waitFor();
  await page.getByText('Pizza?').waitFor();
});
