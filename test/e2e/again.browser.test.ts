import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { ResultsVisibility } from '../../src/poll/poll.ts';
import { stateOf } from '../../src/poll/poll-change.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { browserRig } from './browser-rig.ts';

let site: LiveSite;
const rig = browserRig(async () => {
  site = await startLiveSite({ proofCost: 50 });
  return site;
});

async function openPhone(path: string): Promise<Page> {
  const page = await (await rig.browser.newContext({ locale: 'en-US' })).newPage();
  await page.goto(site.url + path);
  return page;
}

const voteButton = (page: Page) => page.getByRole('button', { name: 'Vote', exact: true });
const counted = (page: Page) => page.getByRole('heading', { name: 'Your vote has been counted' }).waitFor();

async function begin(id: string, resultsVisibility: ResultsVisibility = 'always'): Promise<void> {
  const reading = (await site.engine.polls.find(id))!;
  const [{ poll }, before] = [reading, stateOf(reading)];
  const next = { before, poll: { ...poll, edition: `round-after-${before.round ?? 1}` } };
  expect(await site.engine.polls.again(id, { ...next, deadlineMs: null, resultsVisibility })).toBe(true);
}

describe('a phone, when the next round begins', () => {
  it('with a filled form keeps what it says and votes in that round; with a vote gets the form', async () => {
    const { id } = await site.createPoll({ mip: true, enter_name: true });
    const [filled, voted] = [await openPhone(`/${id}`), await openPhone(`/${id}`)];
    await voted.getByLabel('Waterloo').check();
    await voted.getByLabel('Your name').fill('Ben');
    await voteButton(voted).click();
    await counted(voted);
    await filled.getByLabel('Volare').check();
    await filled.getByLabel('Your name').fill('Ann');
    await filled.evaluate(() => Object.assign(window, { isSamePage: true }));

    await begin(id);
    await filled.locator('article[data-round="2"]').waitFor();
    expect(await filled.evaluate(() => 'isSamePage' in window)).toBe(true);
    expect(await filled.getByLabel('Volare').isChecked()).toBe(true);
    expect(await filled.getByLabel('Your name').inputValue()).toBe('Ann');
    await voteButton(filled).click();
    await counted(filled);
    expect(await site.counts(id)).toEqual({ votes: [0, 1, 0], voters: 1 });

    await voteButton(voted).waitFor();
    await voted.getByLabel('Waterloo').check();
    await voted.getByLabel('Your name').fill('Ben');
    await voteButton(voted).click();
    await counted(voted);
    expect(await site.counts(id)).toEqual({ votes: [1, 1, 0], voters: 2 });
  });

  it('with a vote that showed it the results gets the form', async () => {
    const { id } = await site.createPoll({ mip: true, results_visibility: 'after_vote' });
    const page = await (await rig.browser.newContext({ locale: 'en-US' })).newPage();
    await page.clock.install();
    await page.goto(`${site.url}/${id}`);
    await page.getByLabel('Waterloo').check();
    await voteButton(page).click();
    await counted(page);
    await page.locator('[data-total]', { hasText: '1 vote' }).waitFor();
    const refused = page.waitForResponse(reply => reply.url().endsWith('/results') && reply.status() === 403);
    await begin(id, 'after_vote');
    await refused;
    const skipAhead = async () => {
      await page.clock.fastForward(2_000);
      return voteButton(page).isVisible();
    };
    await expect.poll(skipAhead).toBe(true);
    await page.getByLabel('Volare').check();
    await voteButton(page).click();
    await counted(page);
    expect(await site.counts(id)).toEqual({ votes: [0, 1, 0], voters: 1 });
  });
});
