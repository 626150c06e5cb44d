import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { browserRig } from './browser-rig.ts';

const rig = browserRig<LiveSite>(() => startLiveSite({ proofCost: 1 }));

const SLOT = 'tallycast-polls';
const REMEMBERED = 'This device remembers this poll.';
const NOT_REMEMBERED = 'This device doesn’t remember this poll.';

async function openBrowser(): Promise<Page> {
  const context = await rig.browser.newContext({ locale: 'en-US' });
  return context.newPage();
}

/** Opens the manage page of a new poll. */
async function createPoll(page: Page, title: string): Promise<void> {
  await page.goto(`${rig.site.url}/new`);
  await fillPoll(page, title);
}

async function fillPoll(page: Page, title: string): Promise<void> {
  await page.getByLabel('Question', { exact: true }).fill(title);
  await page.getByRole('button', { name: 'Yes / No' }).click();
  await page.getByRole('button', { name: /Yes, at an event/ }).click();
  await page.getByText('Your poll is ready').waitFor();
}

const idOf = async (page: Page) =>
  (await page.getByLabel('Voting link', { exact: true }).inputValue()).slice(-12);

/** In a new tab of the same browser. */
async function openHome(other: Page): Promise<Page> {
  const page = await other.context().newPage();
  await page.goto(rig.site.url);
  return page;
}

const device = (page: Page) => page.getByRole('region', { name: 'Polls on this device' });
const rows = (page: Page) => device(page).getByRole('listitem');
const stored = (page: Page) => page.evaluate(slot => localStorage.getItem(slot), SLOT);
const store = (page: Page, value: unknown) =>
  page.evaluate(([slot, text]) => localStorage.setItem(slot!, text!), [SLOT, JSON.stringify(value)]);

describe('the polls of this device', () => {
  it('are remembered by themselves, and the home page leads to their manage pages', async () => {
    const page = await openBrowser();
    await page.goto(rig.site.url);
    const home = await openHome(page);
    await createPoll(page, 'Soup?');
    await page.getByText(REMEMBERED).waitFor();
    // Without a reload: another tab tells it.
    await expect.poll(() => rows(home).textContent()).toBe('Soup? Open · 0 votesForget Soup?');
    const link = rows(home).getByRole('link');
    const manage = new RegExp(`^/${await idOf(page)}/manage$`);
    expect(await link.getAttribute('href')).toMatch(manage);
    // In a new tab the same: by the middle button.
    const [tab] = await Promise.all([home.context().waitForEvent('page'), link.click({ button: 'middle' })]);
    await tab.getByRole('button', { name: 'Close voting' }).waitFor();
    expect(await link.getAttribute('href')).toMatch(manage);
    await home.context().clearCookies();
    await link.click();
    await home.getByRole('button', { name: 'Close voting' }).click();
    await home.getByRole('heading', { name: 'Voting is closed' }).first().waitFor();
    expect(home.url()).toMatch(/manage$/);
    await home.goto(rig.site.url);
    await expect.poll(() => rows(home).textContent()).toContain('Voting has ended · 0 votes');
  });

  it('follow a new admin key, and are forgotten on their manage page, which shows the link once more', async () => {
    const page = await openBrowser();
    await createPoll(page, 'Soup?');
    const before = await stored(page);
    await page.getByText('Manage link', { exact: true }).first().click();
    await page.getByRole('button', { name: 'Make a new admin key' }).click();
    await page.getByText('Your new admin key is ready').waitFor();
    expect(await stored(page)).not.toBe(before);
    await page.context().clearCookies();
    const home = await openHome(page);
    await rows(home).getByRole('link').click();
    await home.getByRole('button', { name: 'Close voting' }).waitFor();

    await home.getByRole('button', { name: 'Forget', exact: true }).click();
    await home.getByRole('heading', { name: NOT_REMEMBERED }).waitFor();
    expect(await stored(home)).toBe(null);
    const link = await home.getByLabel('Manage link', { exact: true }).inputValue();
    await home.goBack();
    await home.getByLabel('Admin key').waitFor();
    await home.goto(link);
    await home.getByRole('button', { name: 'Close voting' }).waitFor();
  });

  it('are not remembered where the form says so, and end with the browser', async () => {
    const page = await openBrowser();
    await page.goto(`${rig.site.url}/new`);
    await page.getByLabel('Don’t remember on this computer').check();
    await fillPoll(page, 'Soup?');
    expect(await page.getByText(NOT_REMEMBERED).isVisible()).toBe(true);
    expect(await page.getByLabel('Manage link', { exact: true }).isVisible()).toBe(true);
    await page.reload();
    await page.getByText(NOT_REMEMBERED).waitFor();
    expect(await stored(page)).toBe(null);
    const [cookie] = (await page.context().cookies(page.url())).filter(({ name }) => /manage/.test(name));
    expect(cookie?.expires).toBe(-1);
  });

  it('list shows, whose desks open again after the tab was closed, until they are forgotten', async () => {
    const page = await openBrowser();
    await page.goto(`${rig.site.url}/desk`);
    await page.getByLabel('Title').fill('Late Night');
    await page.getByRole('button', { name: 'Set up show' }).click();
    await page.waitForURL('**/desk/late-night');
    await page.getByText('This device remembers this show.').waitFor();
    const home = await openHome(page);
    await page.close();
    await expect.poll(() => rows(home).textContent()).toBe('Late Night ShowForget Late Night');
    await rows(home).getByRole('link').click();
    await home.locator('summary', { hasText: 'Links' }).click();
    await home.getByRole('button', { name: 'Forget', exact: true }).click();
    await home.getByText('This device doesn’t remember this show.').waitFor();
    await home.reload();
    await home.getByText('This device doesn’t remember this show.').waitFor({ state: 'attached' });
    const later = await openHome(home);
    expect(await device(later).isVisible()).toBe(false);
    await later.goto(`${rig.site.url}/desk/late-night`);
    await later.getByLabel('Show key').waitFor();
  });

  it('are forgotten one by one or together, which can be undone', async () => {
    const page = await openBrowser();
    for (const title of ['Soup?', 'Salad?', 'Bread?']) await createPoll(page, title);
    const home = await openHome(page);
    const titles = () => rows(home).locator('a bdi').allTextContents();
    await expect.poll(titles).toEqual(['Bread?', 'Salad?', 'Soup?']);
    await home.getByRole('button', { name: 'Forget Salad?' }).click();
    expect(await titles()).toEqual(['Bread?', 'Soup?']);
    await home.getByRole('button', { name: 'Forget all' }).click();
    expect([await titles(), await stored(home)]).toEqual([[], null]);
    await home.keyboard.press('Enter');
    expect(await titles()).toEqual(['Bread?', 'Soup?']);
    // The sessions of their manage pages have ended.
    await page.reload();
    await page.getByLabel('Admin key').waitFor();
    await home.getByRole('button', { name: 'Forget all' }).click();
    await home.reload();
    await home.getByRole('heading', { name: 'Public polls' }).waitFor();
    expect([await titles(), await device(home).isVisible()]).toEqual([[], false]);
  });

  it('show no votes that are hidden, and say which ones were deleted', async () => {
    const hidden = await rig.site.createPoll({ title: 'Secret?', results_visibility: 'hidden' });
    const shown = await rig.site.createPoll({ title: 'Soup?' });
    const gone = await rig.site.createPoll({ title: 'Old?' });
    for (const { id } of [hidden, shown]) await rig.site.relay.cast(id, 0, 7);
    await rig.site.engine.polls.remove(gone.id);
    const page = await openBrowser();
    await page.goto(rig.site.url);
    await store(
      page,
      [hidden, shown, gone].map(({ id, adminKey, poll }) => ({ id, title: poll.title, key: adminKey })),
    );
    await page.reload();
    const texts = () => rows(page).getByRole('link').allTextContents();
    await expect
      .poll(async () => (await texts()).map(text => text.replace(/\s+/g, ' ')))
      .toEqual(['Secret? Open', 'Soup? Open · 7 votes', 'Old? Deleted']);
    await page.getByRole('button', { name: 'Forget Old?' }).click();
    expect(await texts()).toHaveLength(2);
  });

  it('are at most 50, the newest ones', async () => {
    const page = await openBrowser();
    await page.goto(rig.site.url);
    const poll = (index: number) => ({ id: `${index}`.padStart(12, 'A'), title: `${index}`, key: 'admin_x' });
    await store(
      page,
      Array.from({ length: 50 }, (_, index) => poll(index)),
    );
    await createPoll(page, 'One more?');
    await page.getByText(REMEMBERED).waitFor();
    const ids = (JSON.parse((await stored(page))!) as { id: string }[]).map(({ id }) => id);
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([50, await idOf(page), poll(48).id]);
  });

  it.each([
    ['rubbish', () => localStorage.setItem('tallycast-polls', '{[')],
    [
      'other content',
      () => localStorage.setItem('tallycast-polls', '[null, 7, {"id":"//evil.test/","title":"","key":""}]'),
    ],
    [
      'no room',
      () => {
        Storage.prototype.setItem = () => {
          throw new DOMException('', 'QuotaExceededError');
        };
      },
    ],
    [
      'no storage',
      () =>
        Object.defineProperty(window, 'localStorage', {
          get: () => {
            throw new DOMException('', 'SecurityError');
          },
        }),
    ],
  ])('break no page with %s', async (state, prepare) => {
    const page = await openBrowser();
    const faults: string[] = [];
    page.on('pageerror', error => faults.push(error.message));
    await page.context().addInitScript(prepare);
    await createPoll(page, 'Soup?');
    const isKept = /rubbish|other/.test(state);
    await page.getByText(isKept ? REMEMBERED : NOT_REMEMBERED).waitFor();
    expect(await page.getByLabel('Manage link', { exact: true }).isVisible()).toBe(!isKept);
    await page.goto(rig.site.url);
    await page.getByRole('heading', { name: 'Public polls' }).waitFor();
    expect(await device(page).isVisible()).toBe(false);
    expect(faults).toEqual([]);
  });
});
