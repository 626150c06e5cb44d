import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { browserRig } from './browser-rig.ts';

const rig = browserRig<LiveSite>(() => startLiveSite({ proofCost: 1 }));

async function openResults(draft: Record<string, unknown> = {}) {
  const { id } = await rig.site.createPoll({ mip: true, ...draft });
  await rig.site.relay.cast(id, 0, 3);
  await rig.site.relay.cast(id, 1, 1);
  const context = await rig.browser.newContext({ locale: 'en-US', viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  await page.goto(`${rig.site.url}/${id}`);
  await page.getByText('See results without voting').click();
  await page.locator('.live').waitFor();
  return { id, page };
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe('results on a voting page', () => {
  it('are bars or a ring by choice, which the browser remembers', async () => {
    const { id, page } = await openResults();
    await button(page, 'Donut').click();
    // Each part is a conic gradient of its own, in a square around the total.
    const [first, second] = await page.locator('.ring .track').evaluateAll(tracks =>
      tracks.map(track => {
        const { width, height, left, top } = track.getBoundingClientRect();
        const { style } = track as HTMLElement;
        const [from, to] = ['--from', '--to'].map(name => Number.parseFloat(style.getPropertyValue(name)));
        return { box: [width, height, left, top].map(Math.round), from, to };
      }),
    );
    expect(first).toMatchObject({ from: 0, to: 0.75 });
    expect(second).toMatchObject({ from: 0.75, to: 1, box: first!.box });
    expect(first!.box[0]).toBe(first!.box[1]);
    await rig.site.relay.cast(id, 1, 2);
    await expect.poll(() => page.locator('.total').textContent()).toBe('6 votes');
    await page.reload();
    await page.getByText('See results without voting').click();
    await button(page, 'Bars').click();
    expect(await page.locator('.ring').count()).toBe(0);
    await page.reload();
    await page.getByText('See results without voting').click();
    await button(page, 'Donut').waitFor();
  });

  it('have no ring where voters choose several answers, whose shares are no parts of a whole', async () => {
    const { page } = await openResults({ ma: true });
    await button(page, 'Share').waitFor();
    expect(await button(page, 'Donut').count()).toBe(0);
  });

  it('have no ring before voting starts, when a page has no answers yet', async () => {
    const { id } = await rig.site.createPoll({ status: 'upcoming' });
    const page = await rig.browser.newPage({ locale: 'en-US' });
    await page.goto(`${rig.site.url}/${id}`);
    await button(page, 'Share').waitFor();
    expect(await button(page, 'Donut').count()).toBe(0);
  });

  it('are marked as live until the poll is closed or its results are hidden', async () => {
    const { id, page } = await openResults();
    await rig.site.engine.polls.change(id, { resultsVisibility: 'hidden' });
    await page.locator('.live').waitFor({ state: 'detached' });
    expect(await button(page, 'Donut').count()).toBe(0);
    await rig.site.engine.polls.change(id, { resultsVisibility: 'always' });
    await page.locator('.live').waitFor();
    await rig.site.engine.polls.change(id, { closed: true });
    await page.getByText('4 votes, final').waitFor();
    expect(await page.locator('.live').count()).toBe(0);
  });
});
