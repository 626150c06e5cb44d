import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { deskRig } from './desk/desk-rig.ts';

const rig = deskRig();

async function manage() {
  const { id, adminKey } = await rig.site.createPoll({ mip: true });
  const page = await rig.open(`${rig.site.url}/${id}/manage#key=${adminKey}`);
  await page.locator('[data-now]').waitFor();
  await page.waitForLoadState();
  const results = async () => (await rig.site.engine.polls.find(id))!.results;
  return { id, page, results };
}

/**
 * Presses a key whose form loads the page again. What it changed may be seen before, and the old
 * page takes keys until then.
 */
async function press(page: Page, key: string): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.keyboard.press(key)]);
}

const heading = (page: Page, name: string) =>
  page.locator('[data-now]').getByRole('heading', { name, exact: true });

describe('the manage page as a desk', () => {
  it('has a key for each step, which also takes it back', async () => {
    const { page, results } = await manage();
    await press(page, 'o');
    await heading(page, 'Voting is closed').waitFor();
    await press(page, 'o');
    await heading(page, 'Voting is open').waitFor();
    await press(page, 'r');
    await page.getByText('people with a key to this poll can see the results').waitFor();
    expect((await results()).resultsVisibility).toBe('hidden');
    await press(page, 'r');
    await page.getByText('Everyone can see the results').waitFor();
    for (const [key, minutes] of [
      ['1', 1],
      ['5', 5],
      ['0', 10],
    ] as const) {
      await press(page, key);
      await page.waitForFunction(least => {
        const [rest = '0'] = document.querySelector('[data-countdown]')?.textContent?.split(':') ?? [];
        return Number(rest) === least;
      }, minutes - 1);
      const { deadlineMs, readAtMs } = await results();
      expect((deadlineMs! - readAtMs) / 60_000).toBeCloseTo(minutes, 0);
    }
    await press(page, 'k');
    await page.getByText('The deadline has been removed').waitFor();
    expect((await results()).deadlineMs).toBeNull();
  });

  it.each([
    ['щ', 'KeyO', 'Voting is closed'],
    ['ο', 'KeyO', 'Voting is closed'],
    ['١', 'Digit1', 'Voting is open'],
    ['&', 'Digit1', 'Voting is open'],
  ])('reads %s by its position, %s', async (key, code, title) => {
    const { page, results } = await manage();
    const press = (key: string, code: string) =>
      page.evaluate(init => document.dispatchEvent(new KeyboardEvent('keydown', init)), { key, code });
    // A Latin letter counts as itself at any position.
    await press('z', code);
    await press(key, code);
    await expect.poll(async () => (await results()).version).toBe(2);
    await heading(page, title).waitFor();
  });

  it('ignores keys that are held down or typed into a field', async () => {
    const { page, results } = await manage();
    await page.locator('summary', { hasText: 'Delete poll' }).click();
    await page.getByLabel('Type delete to confirm').focus();
    await page.keyboard.type('ro15');
    expect(await page.getByLabel('Type delete to confirm').inputValue()).toBe('ro15');
    await page.evaluate(() => {
      (document.activeElement as HTMLElement).blur();
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'o', repeat: true }));
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'o', ctrlKey: true }));
    });
    expect((await results()).version).toBe(1);
  });

  it('ignores keys after shortcuts were turned off, on every page of the browser', async () => {
    const { page, results } = await manage();
    const shortcuts = page.getByLabel('Keyboard shortcuts');
    await shortcuts.uncheck();
    expect(await page.locator('kbd').first().isVisible()).toBe(false);
    await page.reload();
    await page.locator('[data-now]').waitFor();
    expect(await shortcuts.isChecked()).toBe(false);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('o');
    await page.keyboard.press('5');
    const desk = await page.context().newPage();
    await desk.goto(`${rig.site.url}/desk/any-name`);
    expect(await desk.getByLabel('Keyboard shortcuts').isChecked()).toBe(false);
    await shortcuts.check();
    await page.keyboard.press('r');
    await page.getByText('people with a key to this poll can see the results').waitFor();
    expect(await results()).toMatchObject({ status: 'open', deadlineMs: null, version: 2 });
  });

  it('has state, steps, results and links on the first screen of a laptop, and two screens in all', async () => {
    const { page } = await manage();
    const bottoms = await page
      .locator('.figures-row, [data-now] button, [data-results] .rows, .addresses .actions')
      .evaluateAll(parts => parts.map(part => part.getBoundingClientRect().bottom));
    expect(bottoms.length).toBeGreaterThan(6);
    expect(Math.max(...bottoms)).toBeLessThanOrEqual(800);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(1_600);
  });

  it.each([
    [1366, 768],
    [390, 844],
  ])('has the code, the voting page and Present on the first screen of %d × %d', async (width, height) => {
    const { page } = await manage();
    await page.setViewportSize({ width, height });
    await page.locator('form[action$="/join-code"] button').click();
    await page.locator('.join-code').waitFor();
    const bottoms = await page
      .locator('.join-code, .addresses a')
      .evaluateAll(parts => parts.map(part => part.getBoundingClientRect().bottom));
    expect(bottoms).toHaveLength(3);
    expect(Math.max(...bottoms)).toBeLessThanOrEqual(height);
  });

  it.each([
    [390, 100],
    [320, 200],
  ])(
    'keeps the next step in a window of %d px with text at %d percent from the first vote on, and covers nothing at the end',
    async (width, percent) => {
      const { id, page } = await manage();
      await page.setViewportSize({ width, height: 640 });
      await page.evaluate(percent => {
        document.documentElement.style.fontSize = `${percent}%`;
      }, percent);
      const isInWindow = (name: string) =>
        page.getByRole('button', { name }).evaluate(button => {
          const { top, bottom } = button.getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight + 1;
        });
      // Until then, sharing is what is at hand.
      expect([await page.locator('.at-hand').count(), await isInWindow('Close voting')]).toEqual([0, false]);
      await rig.site.relay.cast(id, 0, 1);
      await page.locator('.at-hand').waitFor();
      expect(await isInWindow('Close voting')).toBe(true);
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      expect(await isInWindow('Close voting')).toBe(true);
      const [bar, last] = await Promise.all(
        ['.at-hand form', '.columns'].map(part => page.locator(part).boundingBox()),
      );
      expect(last!.y + last!.height).toBeLessThanOrEqual(bar!.y);
      await rig.site.engine.polls.change(id, { closed: true, resultsVisibility: 'hidden' });
      await page.getByRole('button', { name: 'Show results' }).waitFor();
      expect(await isInWindow('Show results')).toBe(true);
    },
  );

  it('opens the fold of a form that was rejected', async () => {
    const { page } = await manage();
    const word = page.getByLabel('Type delete to confirm');
    expect(await word.isVisible()).toBe(false);
    await page.locator('summary', { hasText: 'Delete poll' }).click();
    await word.fill('remove');
    await page.getByRole('button', { name: 'Delete poll' }).click();
    await page.getByText('The poll hasn’t been deleted').waitFor();
    await word.waitFor();
  });

  it('replaces its buttons with a notice when the poll is deleted', async () => {
    const { id, page } = await manage();
    await rig.site.engine.polls.remove(id);
    await page.getByText('This poll has been deleted.').waitFor();
    expect(await page.getByText('Connection lost').count()).toBe(0);
    expect(await page.getByRole('button').count()).toBe(0);
  });

  it('follows changes made elsewhere, and shows the connected screens', async () => {
    const { id, page } = await manage();
    const screens = page.locator('[data-screens]');
    await expect.poll(() => screens.textContent()).toBe('0');
    await rig.open(`${rig.site.relay.url}/overlay/${id}`);
    await expect.poll(() => screens.textContent()).toBe('1');
    await rig.site.engine.polls.change(id, { closed: true, resultsVisibility: 'hidden' });
    await page.getByRole('button', { name: 'Reopen voting' }).waitFor();
    await page.getByRole('button', { name: 'Show results' }).waitFor();
    expect(await screens.textContent()).toBe('1');
  });
});
