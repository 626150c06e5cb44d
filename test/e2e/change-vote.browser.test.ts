import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { browserRig } from './browser-rig.ts';

const PHONE = { viewport: { width: 320, height: 640 }, locale: 'en-US' } as const;
const NO_RESULTS = { votes: [0, 0, 0], voters: 0 };

let site: LiveSite;
const rig = browserRig(async () => {
  site = await startLiveSite({ proofCost: 50 });
  return site;
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** The form is there with its script, which sends a ballot again if its reply is lost. */
async function openChange(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Change my vote' }).click();
  await page.getByRole('button', { name: 'Change my vote' }).waitFor();
  await page.waitForLoadState();
}

interface Voted {
  readonly id: string;
  readonly page: Page;
  /** Requests for a task of the human check after the first vote. */
  readonly tasks: string[];
}

/** A page of a browser that has voted for Volare. */
async function voted(draft: Record<string, unknown> = { change_vote: true }): Promise<Voted> {
  const { id } = await site.createPoll({ mip: true, ...draft });
  const context = await rig.browser.newContext(PHONE);
  const page = await context.newPage();
  await page.goto(`${site.url}/${id}`);
  await page.getByLabel('Volare').check();
  await press(page, 'Vote');
  await page.getByText('You chose Volare.').waitFor();
  const tasks: string[] = [];
  context.on('request', request => request.url().includes('/challenge') && tasks.push(request.url()));
  return { id, page, tasks };
}

/** The same browser with other settings. */
async function sameBrowser(page: Page, options: BrowserContextOptions): Promise<Page> {
  const storageState = await page.context().storageState();
  return (await rig.browser.newContext({ ...PHONE, ...options, storageState })).newPage();
}

describe.each([true, false])('a voter in a browser with JavaScript: %s', javaScriptEnabled => {
  it('changes the vote, withdraws it and votes again, without a second human check', async () => {
    const { id, page: first, tasks } = await voted();
    const page = await sameBrowser(first, { javaScriptEnabled });
    page.on('request', request => request.url().includes('/challenge') && tasks.push(request.url()));
    await page.goto(`${site.url}/${id}`);
    await openChange(page);
    expect(await page.getByLabel('Volare').isChecked()).toBe(true);
    await page.getByLabel('Hallelujah').check();
    await press(page, 'Change my vote');
    await page.getByText('You chose Hallelujah.').waitFor();
    expect(await site.counts(id)).toEqual({ votes: [0, 0, 1], voters: 1 });

    await openChange(page);
    await page.getByRole('link', { name: 'Keep my vote' }).click();
    await page.getByText('You chose Hallelujah.').waitFor();
    await openChange(page);
    await press(page, 'Withdraw my vote');
    await heading(page, 'You’ve withdrawn your vote').waitFor();
    expect(await site.counts(id)).toEqual(NO_RESULTS);
    // A reload sends nothing.
    await page.reload();
    await heading(page, 'You’ve withdrawn your vote').waitFor();
    expect(await page.locator('input[name=answer]:checked').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Withdraw my vote' }).count()).toBe(0);

    await page.getByLabel('Waterloo').check();
    await press(page, 'Vote');
    await page.getByText('You chose Waterloo.').waitFor();
    expect(await site.counts(id)).toEqual({ votes: [1, 0, 0], voters: 1 });
    expect(tasks).toEqual([]);
  });
});

describe('two tabs of one browser', () => {
  it('say what counts and offer the change, if the second one has the form of a new voter', async () => {
    const { id } = await site.createPoll({ mip: true, change_vote: true });
    const context = await rig.browser.newContext(PHONE);
    const [one, two] = [await context.newPage(), await context.newPage()];
    for (const page of [one, two]) await page.goto(`${site.url}/${id}`);
    await one.getByLabel('Volare').check();
    await press(one, 'Vote');
    await one.getByText('You chose Volare.').waitFor();
    await openChange(one);
    await one.getByLabel('Hallelujah').check();
    await press(one, 'Change my vote');
    await one.getByText('You chose Hallelujah.').waitFor();

    await two.getByLabel('Waterloo').check();
    await press(two, 'Vote');
    await heading(two, 'You’ve already voted').waitFor();
    expect(await two.getByText('Your earlier vote counts. This one wasn’t counted.').isVisible()).toBe(true);
    expect(await two.getByText('You chose Hallelujah.').isVisible()).toBe(true);
    expect(await site.counts(id)).toEqual({ votes: [0, 0, 1], voters: 1 });
    await openChange(two);
    expect(await two.getByLabel('Hallelujah').isChecked()).toBe(true);
    await two.getByLabel('Waterloo').check();
    await press(two, 'Change my vote');
    await two.getByText('You chose Waterloo.').waitFor();
    expect(await site.counts(id)).toEqual({ votes: [1, 0, 0], voters: 1 });
  });

  it('that change at the same time count one vote, as each shows after a reload', async () => {
    const { id, page: one } = await voted();
    const two = await one.context().newPage();
    await two.goto(`${site.url}/${id}`);
    for (const [page, answer] of [
      [one, 'Waterloo'],
      [two, 'Hallelujah'],
    ] as const) {
      await openChange(page);
      await page.getByLabel(answer).check();
    }
    await Promise.all([press(one, 'Change my vote'), press(two, 'Change my vote')]);
    // The tabs share a receipt, so the one that is answered first may load the page with that of the other.
    for (const page of [one, two]) await page.getByText(/You chose (Waterloo|Hallelujah)\./).waitFor();
    const { votes, voters } = await site.counts(id);
    expect([voters, votes[1], votes[0]! + votes[2]!]).toEqual([1, 0, 1]);
    await openChange(two);
    await press(two, 'Withdraw my vote');
    await heading(two, 'You’ve withdrawn your vote').waitFor();
    expect(await site.counts(id)).toEqual(NO_RESULTS);
    // The other tab still showed the vote.
    await one.reload();
    await heading(one, 'You’ve withdrawn your vote').waitFor();
  });
});

it('a change without a reply is sent again and counts once', async () => {
  const { id, page } = await voted();
  await openChange(page);
  await page.getByLabel('Waterloo').check();
  await page.route(
    '**/ballot',
    async route => {
      const before = await page.context().cookies();
      await route.fetch();
      // The lost reply included the receipt.
      await page.context().addCookies(before);
      return route.abort('connectionreset');
    },
    { times: 1 },
  );
  await page.getByRole('button', { name: 'Change my vote' }).dblclick();
  await page.getByText('You chose Waterloo.').waitFor();
  const { results } = (await site.engine.polls.find(id))!;
  expect(results).toMatchObject({ votes: [1, 0, 0], totalVoters: 1, version: 3 });
});

it('a withdrawal without a reply is sent again as a withdrawal', async () => {
  const { id, page } = await voted();
  await openChange(page);
  await page.route('**/ballot', route => route.fulfill({ status: 502, body: 'Bad Gateway' }), { times: 1 });
  await press(page, 'Withdraw my vote');
  await heading(page, 'You’ve withdrawn your vote').waitFor();
  expect(await site.counts(id)).toEqual(NO_RESULTS);
});

it('the offer to change goes with the close, comes back with an opening, and a late change is told', async () => {
  const { id, page } = await voted();
  const offer = page.getByRole('link', { name: 'Change my vote' });
  await site.engine.polls.change(id, { closed: true });
  await offer.waitFor({ state: 'hidden' });
  await site.engine.polls.change(id, { closed: false });
  await offer.waitFor();
  const late = await sameBrowser(page, { javaScriptEnabled: false });
  await late.goto(`${site.url}/${id}?change`);
  await site.engine.polls.change(id, { closed: true });
  await late.getByLabel('Waterloo').check();
  await press(late, 'Change my vote');
  await late.getByText('Your change arrived too late.').waitFor();
  expect((await site.counts(id)).votes).toEqual([0, 1, 0]);
});
