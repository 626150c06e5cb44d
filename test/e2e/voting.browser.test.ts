import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LiveSite, startLiveSite } from '../voting/live-site.ts';
import { launchChromium } from './chromium.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

let site: LiveSite;
let browser: Browser;
beforeAll(async () => {
  site = await startLiveSite({ proofCost: 50 });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

async function openPhone(path: string): Promise<Page> {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  await page.goto(site.url + path);
  return page;
}

describe('a voter with a phone', () => {
  it('votes, is told so, and sees the results move with the next vote', async () => {
    const { id, poll } = await site.createPoll({ mip: true });
    const page = await openPhone(`/${id}`);
    await page.getByLabel('Volare').tap();
    await page.getByRole('button', { name: 'Vote' }).tap();
    await page.getByRole('heading', { name: 'Your vote is counted' }).waitFor();
    const votes = page.locator(`[data-answer="${poll.answers[0]!.id}"] [data-votes]`);
    await page.getByText('1 vote', { exact: true }).waitFor();
    await site.relay.cast(id, 0, 3);
    await page.getByText('4 votes', { exact: true }).waitFor();
    expect(await votes.textContent()).toBe('3');
    expect(await site.counts(id)).toEqual({ votes: [3, 1, 0], voters: 4 });
    await page.screenshot({ path: '/tmp/shot1.png' });
  });
});
