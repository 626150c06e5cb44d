import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { browserRig } from './browser-rig.ts';

const rig = browserRig<LiveSite>(() => startLiveSite({ proofCost: 1 }));

type Sheet = 'opens' | 'is closed' | 'is refused' | 'is missing';

/** What pages gave to the system's sheet. */
const shared = (page: Page) => page.evaluate<ShareData[]>('window.shared');
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

async function openBrowser(sheet: Sheet, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await rig.browser.newContext({
    locale: 'en-US',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  await context.addInitScript(sheet => {
    const shared: unknown[] = [];
    Object.assign(window, { shared });
    if (sheet === 'is missing') return void Reflect.deleteProperty(Navigator.prototype, 'share');
    const share = async (data: unknown) => {
      shared.push(data);
      if (sheet !== 'opens')
        throw new DOMException('', sheet === 'is closed' ? 'AbortError' : 'NotAllowedError');
    };
    Object.defineProperty(Navigator.prototype, 'share', { value: share, configurable: true });
  }, sheet);
  return context.newPage();
}

const share = (page: Page) => page.getByRole('button', { name: 'Share', exact: true });

describe('Share', () => {
  it('gives the voting link to the sheet of the system, on each page, and never a key', async () => {
    const page = await openBrowser('opens');
    const share = page.getByRole('button', { name: 'Share', exact: true });
    await page.goto(`${rig.site.url}/new`);
    await page.getByLabel('Question', { exact: true }).fill('Lunch?');
    await page.getByLabel('Answer 1').fill('Soup');
    await page.getByLabel('Answer 2').fill('Salad');
    await page.getByRole('button', { name: /Yes, at an event/ }).click();
    const url = await page.getByLabel('Voting link', { exact: true }).inputValue();
    await share.click();
    expect(await shared(page)).toEqual([{ url }]);

    await page.goto(`${url}?from=elsewhere#key=admin_x`);
    expect(await share.isVisible()).toBe(false);
    await page.getByText('See results without voting').click();
    await share.click();
    await page.getByLabel('Salad').check();
    await page.getByRole('button', { name: 'Vote', exact: true }).click();
    await page.getByText('You chose Salad.').waitFor();
    await share.click();
    expect(await shared(page)).toEqual([{ url }]);
  });

  it.each<Sheet>(['is missing', 'is refused'])('copies the link where the sheet %s', async sheet => {
    const { id } = await rig.site.createPoll({ mip: true });
    await rig.site.engine.polls.change(id, { closed: true });
    const page = await openBrowser(sheet);
    await page.clock.install();
    await page.goto(`${rig.site.url}/${id}`);
    await share(page).waitFor();
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await share(page).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await clipboard(page)).toBe(`${rig.site.url}/${id}`);
    await page.clock.runFor(2_000);
    await share(page).waitFor();
  });

  it('does nothing when the sheet is closed', async () => {
    const { id } = await rig.site.createPoll({ mip: true });
    await rig.site.engine.polls.change(id, { closed: true });
    const page = await openBrowser('is closed');
    await page.goto(`${rig.site.url}/${id}`);
    await page.evaluate(() => navigator.clipboard.writeText('before'));
    await share(page).click();
    await share(page).click();
    expect(await shared(page)).toHaveLength(2);
    expect(await clipboard(page)).toBe('before');
  });

  it('is not beside a link that has a copy button, if it would do the same', async () => {
    const { id, adminKey } = await rig.site.createPoll({ mip: true });
    const page = await openBrowser('is missing');
    await page.goto(`${rig.site.url}/${id}/manage#key=${adminKey}`);
    await page.getByRole('button', { name: 'Copy: Voting link', exact: true }).waitFor();
    expect(await share(page).count()).toBe(0);
  });
});
