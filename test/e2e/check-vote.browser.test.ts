import type { BrowserContext, Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { voidBallots } from '../support/void-ballots.ts';
import { type LiveSite, startLiveSite, type TestPoll } from '../voting/voting-site.ts';
import { browserRig } from './browser-rig.ts';

/**
 * A voter checks the own vote, and anyone the result, against a log that the relay serves or that
 * is altered on the way.
 */

let site: LiveSite;
const rig = browserRig(async () => {
  site = await startLiveSite({ proofCost: 1 });
  return site;
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const codeField = (page: Page) => page.getByRole('textbox', { name: 'Your code' });
const newContext = () => rig.browser.newContext({ locale: 'en-US' });

async function voteIn(context: BrowserContext, { id }: TestPoll, answer: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${site.url}/${id}`);
  await page.getByLabel(answer).check();
  await page.getByRole('button', { name: 'Vote', exact: true }).click();
  await heading(page, 'Your vote has been counted').waitFor();
  return page;
}

/** A poll with votes in it, among them that of the returned browser. */
async function closedPoll(votes = 5): Promise<{ poll: TestPoll; context: BrowserContext; page: Page }> {
  const poll = await site.createPoll({ mip: true, verifiable: true });
  await site.relay.cast(poll.id, 0, votes);
  const context = await newContext();
  const page = await voteIn(context, poll, 'Volare');
  await site.relay.cast(poll.id, 2, votes);
  await site.engine.polls.change(poll.id, { closed: true });
  return { poll, context, page };
}

async function openCheck(page: Page, { id }: TestPoll): Promise<void> {
  await page.goto(`${site.url}/${id}/check`);
}

const checkResult = (page: Page) => page.locator('[data-check-result]').click();

/** Changes what the relay replies. */
async function alter(page: Page, url: string, change: (text: string) => string): Promise<void> {
  await page.route(url, async (route: Route) => {
    const response = await route.fetch();
    return route.fulfill({ response, body: change(await response.text()) });
  });
}

describe('a voter', () => {
  it('finds the vote in the log by one click, during the poll and after it', async () => {
    const poll = await site.createPoll({ mip: true, verifiable: true });
    await site.relay.cast(poll.id, 0, 7);
    const page = await voteIn(await newContext(), poll, 'Volare');
    await page.getByRole('link', { name: 'Check my vote' }).click();
    // At first it may be recorded only.
    await heading(page, 'Your vote is in the log').waitFor();
    await page.getByText('It’s number 8: Volare.').waitFor();
    await page.getByText('Your browser has checked this itself.').waitFor();
    await page.getByText('Once voting has ended and').waitFor();
    await site.relay.cast(poll.id, 2, 300);
    await site.engine.polls.change(poll.id, { closed: true });
    await page.reload();
    await page.getByText('It’s number 8: Volare.').waitFor();
    await checkResult(page);
    await heading(page, 'The log confirms the result').waitFor();
    await page.getByText('Votes in the log: 308. They add up to exactly this result.').waitFor();
    expect(await page.locator(':focus').textContent()).toContain('The log confirms the result');
  });

  it('checks the code in another browser by a link, which does not stay in its history', async () => {
    const { poll, page } = await closedPoll();
    await openCheck(page, poll);
    const code = await codeField(page).inputValue();
    const other = await (await newContext()).newPage();
    await other.goto(`${site.url}/${poll.id}/check#${code.toUpperCase()}`);
    await other.getByText('It’s number 6: Volare.').waitFor();
    expect(other.url()).toBe(`${site.url}/${poll.id}/check`);
    await codeField(other).fill(code.replace(/^./, digit => (digit === '0' ? '1' : '0')));
    await other.getByRole('button', { name: 'Check my vote' }).click();
    await heading(other, 'There’s no vote with this code in this poll').waitFor();
  });

  it('learns that the vote is recorded while the results are hidden, and nothing else', async () => {
    const poll = await site.createPoll({ mip: true, verifiable: true, results_visibility: 'hidden' });
    const page = await voteIn(await newContext(), poll, 'Volare');
    await page.getByRole('link', { name: 'Check my vote' }).click();
    await heading(page, 'Your vote is recorded').waitFor();
    expect(await page.locator('[data-verdict]').textContent()).not.toMatch(/\d|number/);
    expect(await page.getByText('Technical details').count()).toBe(0);
    await site.engine.polls.change(poll.id, { closed: true, resultsVisibility: 'always' });
    await page.reload();
    await page.getByText('It’s number 1: Volare.').waitFor();
  });

  it('is told that the vote was removed', async () => {
    const { poll, page } = await closedPoll(1);
    await voidBallots(site.engine.polls, poll.id, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
    await openCheck(page, poll);
    await heading(page, 'Your vote was removed').waitFor();
    await checkResult(page);
    await page.getByText('3 votes were removed by the poll’s creator.').waitFor();
  });

  it('gets the answer of the server without scripts', async () => {
    const { poll, context } = await closedPoll(2);
    const cookies = await context.cookies();
    const plain = await rig.browser.newContext({ locale: 'en-US', javaScriptEnabled: false });
    await plain.addCookies(cookies);
    const page = await plain.newPage();
    await openCheck(page, poll);
    await page.getByRole('button', { name: 'Check my vote' }).click();
    await page.getByText('It’s number 3: Volare.').waitFor();
    await page.getByText('With JavaScript, your browser checks it itself.').waitFor();
    expect(await page.locator('[data-check-result]').isVisible()).toBe(false);
    expect(await page.getByRole('textbox', { name: 'Check it in a terminal' }).inputValue()).toContain(
      `tallycast verify ${site.relay.url}/api/poll/${poll.id}`,
    );
  });
});

describe('a manipulation', () => {
  it('of the proof is found', async () => {
    const { poll, page } = await closedPoll();
    await alter(page, '**/check*', text =>
      text.startsWith('{') ? JSON.stringify({ ...JSON.parse(text), answers: ['other'] }) : text,
    );
    await openCheck(page, poll);
    await heading(page, 'The log doesn’t confirm your vote').waitFor();
    await page.getByText('Details for experts').click();
    expect(await page.getByRole('textbox', { name: 'Values of this check' }).inputValue()).toContain(
      '"faults":',
    );
  });

  it.each<[string, string, (text: string) => string, string]>([
    [
      'a vote',
      '**/entries*',
      text => text.replace('"sequence":2,', '"sequence":2,"voided":true,'),
      'add up to a different',
    ],
    ['the votes', '**/entries*', text => text.replace(/"nonce":"./, '"nonce":"+'), 'aren’t those in the log'],
  ])('of %s is found', async (_, url, change, words) => {
    const { poll, page } = await closedPoll();
    await openCheck(page, poll);
    await heading(page, 'Your vote is in the log').waitFor();
    await alter(page, url, change);
    await checkResult(page);
    await heading(page, 'The log doesn’t confirm the result').waitFor();
    await page.getByText(words).waitFor();
    await page.unrouteAll();
    await checkResult(page);
    await heading(page, 'The log confirms the result').waitFor();
  });

  it('of the stored ballots is found by a browser that saw the log before', async () => {
    const { poll, page } = await closedPoll();
    await openCheck(page, poll);
    await heading(page, 'Your vote is in the log').waitFor();
    await checkResult(page);
    await heading(page, 'The log confirms the result').waitFor();
    // Another history under the same origin, as a server would sign it that has forgotten this one.
    const forged = await page.evaluate(id => {
      const slot = `tallycast-log-${id}`;
      const seen = JSON.parse(localStorage.getItem(slot) ?? '') as { note: string };
      const lines = seen.note.split('\n');
      lines[2] = btoa('\0'.repeat(32));
      localStorage.setItem(slot, JSON.stringify({ ...seen, note: lines.join('\n') }));
      return lines[1];
    }, poll.id);
    expect(forged).toBe('11');
    await checkResult(page);
    await heading(page, 'The log has been changed').waitFor();
    await page.reload();
    await heading(page, 'The log has been changed').waitFor();
  });

  it('of nothing: a relay that is away says nothing about the votes', async () => {
    const { poll, page } = await closedPoll();
    await openCheck(page, poll);
    await page.route('**/entries*', route => route.abort());
    await checkResult(page);
    await heading(page, 'This couldn’t be checked').waitFor();
  });
});

it('a relay that still builds the log is asked again', async () => {
  const { poll, page } = await closedPoll();
  await openCheck(page, poll);
  await page.route('**/log', route => route.fulfill({ status: 503 }), { times: 1 });
  await checkResult(page);
  await heading(page, 'The log confirms the result').waitFor();
});
