import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { idOfRule } from '../../src/poll/void-rule.ts';
import { pointShow } from '../support/point-show.ts';
import { restoreBallots, voidBallots } from '../support/void-ballots.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { browserRig } from './browser-rig.ts';

const PHONE = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  locale: 'en-US',
} as const;

let site: LiveSite;
const rig = browserRig(async () => {
  site = await startLiveSite({ proofCost: 50 });
  return site;
});

async function phone(): Promise<Page> {
  return (await rig.browser.newContext(PHONE)).newPage();
}

async function openPhone(path: string): Promise<Page> {
  const page = await phone();
  await page.goto(site.url + path);
  return page;
}

const voteButton = (page: Page) => page.getByRole('button', { name: 'Vote', exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { name });

async function vote(page: Page, answer = 'Volare'): Promise<void> {
  await page.getByLabel(answer).tap();
  await voteButton(page).tap();
  await heading(page, 'Your vote has been counted').waitFor();
}

describe('a voter with a phone', () => {
  it('votes, has the focus on the outcome, and sees live results', async () => {
    const { id, poll } = await site.createPoll({ mip: true });
    const page = await openPhone(`/${id}`);
    await vote(page);
    const focused = page.locator(':focus');
    expect(await focused.getAttribute('role')).toBe('status');
    expect(await focused.textContent()).toContain('You chose Volare.');
    await page.getByText('1 vote', { exact: true }).waitFor();
    await site.relay.cast(id, 0, 3);
    await page.getByText('4 votes', { exact: true }).waitFor();
    expect(await page.locator(`[data-answer="${poll.answers[0]!.id}"] .count`).textContent()).toBe('3');
    const bar = page.locator(`[data-answer="${poll.answers[0]!.id}"] .fill`);
    expect(await bar.evaluate(element => element.style.transform)).toBe(
      'translateX(calc(var(--way) * -25.000%))',
    );
    expect(await site.counts(id)).toEqual({ votes: [3, 1, 0], voters: 4 });
  });

  it('is rejected the second time by one request, and a reload sends nothing', async () => {
    const { id } = await site.createPoll({ mip: true });
    const page = await openPhone(`/${id}`);
    const tab = await page.context().newPage();
    await tab.goto(`${site.url}/${id}`);
    await vote(page);
    const ballots: string[] = [];
    tab.on('request', request => request.method() === 'POST' && ballots.push(request.url()));
    await tab.getByLabel('Waterloo').tap();
    await voteButton(tab).tap();
    await heading(tab, 'You’ve already voted').waitFor();
    expect(await tab.getByText('Your earlier vote counts').count()).toBe(1);
    expect(await tab.locator(':focus').textContent()).toContain('You’ve already voted');
    expect(tab.url()).toBe(`${site.url}/${id}`);
    await site.relay.cast(id, 1, 1);
    await tab.getByText('2 votes', { exact: true }).waitFor();
    await tab.reload();
    await heading(tab, 'Your vote has been counted').waitFor();
    expect(ballots).toEqual([`${site.url}/${id}/ballot`]);
    expect(await site.counts(id)).toEqual({ votes: [0, 2, 0], voters: 2 });
  });

  it('gets the outcome by a retry after a lost reply, and is counted once', async () => {
    const { id } = await site.createPoll({ mip: true });
    const page = await openPhone(`/${id}`);
    await page.getByLabel('Hallelujah').tap();
    let lost = 0;
    await page.route('**/ballot', async route => {
      if (lost > 0) return route.continue();
      await route.fetch();
      // The lost reply included the receipt.
      await page.context().clearCookies({ name: 'tallycast-receipt' });
      lost += 1;
      return route.abort('connectionreset');
    });
    await voteButton(page).dblclick();
    await heading(page, 'Your vote has been counted').waitFor();
    expect(lost).toBe(1);
    await page.getByText('You chose Hallelujah.').waitFor();
    expect(await site.counts(id)).toEqual({ votes: [0, 0, 1], voters: 1 });
  });

  it('keeps page and choice while offline, and is counted once online', async () => {
    const { id } = await site.createPoll({ mip: true });
    const page = await openPhone('/');
    await page.goto(`${site.url}/${id}`);
    await page.getByText('✓ Ready').waitFor();
    await page.getByLabel('Volare').tap();
    await page.context().setOffline(true);
    await voteButton(page).tap();
    await page.getByText('Your vote hasn’t been sent yet. Trying again').waitFor();
    expect(page.url()).toBe(`${site.url}/${id}`);
    expect(await page.getByLabel('Volare').isChecked()).toBe(true);
    expect(await site.counts(id)).toEqual({ votes: [0, 0, 0], voters: 0 });
    await page.context().setOffline(false);
    await page.getByText('You chose Volare.').waitFor();
    expect(await site.counts(id)).toEqual({ votes: [0, 1, 0], voters: 1 });
    await page.goBack();
    await page.getByRole('link', { name: 'Create a poll' }).waitFor();
    await page.goForward();
    await heading(page, 'Your vote has been counted').waitFor();
    expect(await site.counts(id)).toEqual({ votes: [0, 1, 0], voters: 1 });
  });

  it.each([
    ['502 from a proxy', { status: 502, body: '<h1>Bad Gateway</h1>' }],
    ['429', { status: 429, headers: { 'retry-after': '1' }, body: 'later' }],
    ['200 from a captive portal', { status: 200, body: '<h1>Log in to the WLAN</h1>' }],
  ])('is counted by a retry after a %s', async (_, answer) => {
    const { id } = await site.createPoll({ mip: true });
    const page = await openPhone(`/${id}`);
    await page.getByLabel('Volare').tap();
    let answers = 0;
    await page.route('**/ballot', route => {
      answers += 1;
      return route.fulfill(answer);
    });
    await voteButton(page).tap();
    await page.getByText('Your vote hasn’t been sent yet. Trying again').waitFor();
    await expect.poll(() => answers).toBeGreaterThan(1);
    await page.unroute('**/ballot');
    await page.getByText('You chose Volare.').waitFor();
    expect(await site.counts(id)).toEqual({ votes: [0, 1, 0], voters: 1 });
  });

  it('gets a new check if it expires while offline, and the same ballot is counted', async () => {
    const { id } = await site.createPoll({ mip: true });
    const page = await phone();
    await page.clock.install();
    await page.goto(`${site.url}/${id}`);
    await page.getByText('✓ Ready').waitFor();
    await page.getByLabel('Volare').tap();
    await page.context().setOffline(true);
    await voteButton(page).tap();
    await page.getByText('Your vote hasn’t been sent yet. Trying again').waitFor();
    await page.clock.fastForward(601_000);
    const renewed = page.waitForRequest('**/challenge');
    await page.context().setOffline(false);
    await page.clock.runFor(30_000);
    await renewed;
    await page.getByText('You chose Volare.').waitFor();
    expect((await site.counts(id)).voters).toBe(1);
  });

  it('is counted by a retry after requests without a reply', async () => {
    const { id } = await site.createPoll({ mip: true });
    const page = await phone();
    await page.clock.install();
    await page.goto(`${site.url}/${id}`);
    await page.getByText('✓ Ready').waitFor();
    await page.clock.fastForward(601_000);
    await page.getByLabel('Volare').tap();
    const silent = ['**/challenge', '**/ballot'];
    for (const path of silent) await page.route(path, () => {}, { times: 1 });
    const requests = silent.map(path => page.waitForRequest(path));
    await voteButton(page).tap();
    for (const request of requests) {
      await request;
      await page.clock.fastForward(15_001);
      await page.getByText('Your vote hasn’t been sent yet. Trying again').waitFor();
      await page.clock.fastForward(10_000);
    }
    await page.getByText('You chose Volare.').waitFor();
    expect((await site.counts(id)).voters).toBe(1);
  });

  it('sees a notice without a choice until an answer is chosen', async () => {
    const { id } = await site.createPoll({ mip: true, ma: true });
    const page = await openPhone(`/${id}`);
    await voteButton(page).tap();
    await heading(page, 'Choose an answer first').waitFor();
    await page.getByLabel('Volare').tap();
    expect(await heading(page, 'Choose an answer first').count()).toBe(0);
    await voteButton(page).tap();
    await heading(page, 'Your vote has been counted').waitFor();
  });

  it('is told how many answers are missing or too many, also by the keyboard, before anything is sent', async () => {
    const { id } = await site.createPoll({ mip: true, ma: true, min_choices: 2, max_choices: 2 });
    const page = await openPhone(`/${id}`);
    await page.getByRole('group', { name: 'Choose 2' }).waitFor();
    const state = page.locator('#choices');
    const boxes = page.getByRole('checkbox');
    await boxes.nth(0).focus();
    await page.keyboard.press('Space');
    await page.getByText('Choose 1 more.').waitFor();
    await page.keyboard.press('Enter');
    expect(await boxes.nth(0).evaluate((box: HTMLInputElement) => box.validationMessage)).toBe(
      'Choose 1 more.',
    );
    await page.getByLabel('Volare').tap();
    await page.getByLabel('Hallelujah').tap();
    expect(await state.textContent()).toBe('That’s 1 too many.');
    await voteButton(page).tap();
    expect((await site.counts(id)).voters).toBe(0);
    await page.getByLabel('Hallelujah').tap();
    expect(await state.textContent()).toBe('');
    await voteButton(page).tap();
    await heading(page, 'Your vote has been counted').waitFor();
    expect((await site.counts(id)).votes).toEqual([1, 1, 0]);
  });

  it('sees the results live after the vote, until they are hidden, and once voting has ended', async () => {
    const { id, poll } = await site.createPoll({ mip: true, results_visibility: 'after_vote' });
    const page = await openPhone(`/${id}`);
    await page.locator('[data-before-vote]', { hasText: 'once you’ve voted' }).waitFor();
    const waiting = await openPhone(`/${id}`);
    await page.getByLabel('Volare').tap();
    await voteButton(page).tap();
    await heading(page, 'Your vote has been counted').waitFor();
    await site.visitor().vote(id, poll.answers[0]!.id);
    await page.locator('[data-total]', { hasText: '2 votes' }).waitFor();
    await site.engine.polls.change(id, { resultsVisibility: 'hidden' });
    await page.getByText('The results are hidden for now.').waitFor();
    await site.engine.polls.change(id, { resultsVisibility: 'after_vote' });
    await page.locator('[data-total]', { hasText: '2 votes' }).waitFor();
    expect(await waiting.getByText('2 votes').count()).toBe(0);
    await site.engine.polls.change(id, { closed: true });
    await page.locator('[data-total]', { hasText: 'Final' }).waitFor();
  });

  it('keeps seeing the results if they are shown to voters only from now on', async () => {
    const { id, poll } = await site.createPoll({ mip: true });
    const page = await openPhone(`/${id}`);
    await page.getByLabel('Volare').tap();
    await voteButton(page).tap();
    await heading(page, 'Your vote has been counted').waitFor();
    await site.engine.polls.change(id, { resultsVisibility: 'after_vote' });
    await site.visitor().vote(id, poll.answers[0]!.id);
    await page.locator('[data-total]', { hasText: '2 votes' }).waitFor();
  });

  it('can tap before the check is done', async () => {
    const slow = await startLiveSite({ proofCost: 4_000 });
    const { id } = await slow.createPoll();
    const page = await phone();
    // The check begins after the tap, however long that takes.
    await page.addInitScript(() => {
      window.Worker = class extends Worker {
        override postMessage(task: unknown) {
          Object.assign(window, { solve: () => super.postMessage(task) });
        }
      };
    });
    await page.goto(`${slow.url}/${id}`);
    await page.evaluate(() => {
      const seen: string[] = [];
      const button = document.querySelector('[data-submit]')!;
      new MutationObserver(() => {
        seen.push(button.textContent ?? '');
        sessionStorage.setItem('seen', JSON.stringify(seen));
      }).observe(button, { childList: true });
      document.querySelector<HTMLInputElement>('input[name=answer]')!.checked = true;
      document.querySelector<HTMLButtonElement>('[data-submit]')!.click();
      (window as unknown as { solve(): void }).solve();
    });
    await heading(page, 'Your vote has been counted').waitFor();
    expect(await page.evaluate(() => sessionStorage.getItem('seen'))).toBe('["One moment…","Sending…"]');
    await slow.close();
  });

  it('sees without scripts what voting needs', async () => {
    const { id } = await site.createPoll();
    const context = await rig.browser.newContext({ ...PHONE, javaScriptEnabled: false });

    const page = await context.newPage();
    await page.goto(`${site.url}/${id}`);
    expect(await page.content()).toContain('<noscript><p class="notice problem">Voting needs JavaScript');
    await page.getByLabel('Volare').check();
    await voteButton(page).click();
    await heading(page, 'The check that you’re human didn’t run').waitFor();
    expect(await page.getByLabel('Volare').isChecked()).toBe(true);
  });
});

const farOff = () => new Date(Date.now() + 600_000).toISOString();

/** Matches all ballots. */
const ALL = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

/** Returns to the tab again and again, so that the page requests the state more often. */
async function returnUntil(page: Page, seen: Locator): Promise<void> {
  const timer = setInterval(() => {
    page.evaluate(() => document.dispatchEvent(new Event('visibilitychange'))).catch(() => {});
  }, 1_500);
  await seen.waitFor().finally(() => clearInterval(timer));
}

describe('results', () => {
  const share = 'Each percentage is the share of voters who chose that answer.';
  const percents = (page: Page) => page.locator('.percent').allTextContents();

  it('of several answers for each voter are shares of the voters, and say so', async () => {
    const { id, adminKey } = await site.createPoll({ mip: true, ma: true });
    const page = await openPhone(`/${id}`);
    await page.getByLabel('Waterloo').tap();
    await vote(page);
    await page.getByText('2 votes from 1 person').waitFor();
    expect(await percents(page)).toEqual(['100%', '100%', '0%']);
    expect(await page.getByText(share).isVisible()).toBe(true);
    await site.relay.cast(id, 1, 1);
    await page.getByText('3 votes from 2 people').waitFor();
    expect(await percents(page)).toEqual(['50%', '100%', '0%']);
    const unscripted = await site.visitor().get(`/${id}`);
    expect(unscripted.body).toMatch(/class=percent>50%.*class=percent>100%.*class=percent>0%/s);
    await page.goto(`${site.url}/${id}/manage#key=${adminKey}`);
    await expect.poll(() => page.locator('[data-all-votes]').textContent()).toBe('3');
    expect(await percents(page)).toEqual(['50%', '100%', '0%']);
    expect(await page.getByText(share).isVisible()).toBe(true);
  });

  it('of a closed poll without ballots say that nobody voted', async () => {
    const { id } = await site.createPoll();
    await site.engine.polls.change(id, { closed: true });
    const page = await openPhone(`/${id}`);
    await page.getByText('No votes were cast', { exact: true }).waitFor();
  });
});

describe('a page that is open when', () => {
  it('the deadline passes loses its form and keeps the results', async () => {
    const { id } = await site.createPoll({ mip: true, has_deadline: true, deadline: farOff() });
    await site.relay.cast(id, 1, 2);
    const page = await openPhone(`/${id}`);
    await page.getByLabel('Volare').focus();
    await site.engine.polls.change(id, { deadlineMs: Date.now() + 59_000 });
    await returnUntil(page, page.getByText(/^Closes in 0:\d\d$/));
    await site.engine.polls.change(id, { deadlineMs: Date.now() + 2_000 });
    await returnUntil(page, heading(page, 'Voting has ended'));
    expect(await voteButton(page).isVisible()).toBe(false);
    expect(await page.getByText('See results without voting').isVisible()).toBe(false);
    expect(await page.locator(':focus').textContent()).toContain('Voting has ended');
    await page.getByText('2 votes, final').waitFor();
    await page.reload();
    await heading(page, 'Voting has ended').waitFor();
    await page.getByText('2 votes, final').waitFor();
  });

  it('the deadline passes closes by the clock of the server, without a relay and with a wrong clock', async () => {
    const alone = await startLiveSite({ proofCost: 10, relayUrl: 'http://127.0.0.1:9' });
    const deadline = new Date(Date.now() + 2_000).toISOString();
    const { id } = await alone.createPoll({ has_deadline: true, deadline });
    const page = await phone();
    await page.addInitScript(() => {
      const now = Date.now.bind(Date);
      Date.now = () => now() - 3_600_000;
    });
    await page.goto(`${alone.url}/${id}`);
    await heading(page, 'Voting has ended').waitFor();
    expect(await voteButton(page).isVisible()).toBe(false);
    await alone.close();
  });

  it('the creator moves the deadline, closes and reopens the poll follows', async () => {
    const { id } = await site.createPoll({ mip: true, has_deadline: true, deadline: farOff() });
    const page = await openPhone(`/${id}`);
    await page.getByText('✓ Ready').waitFor();
    await site.engine.polls.change(id, { deadlineMs: Date.now() + 50 * 3_600_000 });
    await returnUntil(page, page.getByText('in 2 days'));
    await site.engine.polls.change(id, { closed: true });
    await returnUntil(page, heading(page, 'Voting has ended'));
    await site.engine.polls.change(id, { closed: false });
    await returnUntil(page, voteButton(page));
    await vote(page);
  });

  it('the creator reopens the poll has a form, also if it came after the close', async () => {
    const { id } = await site.createPoll({ mip: true });
    const voter = await openPhone(`/${id}`);
    await vote(voter);
    await voter.evaluate(() => Object.assign(window, { isSamePage: true }));
    await site.engine.polls.change(id, { closed: true });
    const late = await openPhone(`/${id}`);
    await heading(late, 'Voting has ended').waitFor();
    expect(await late.locator('form[data-vote]').count()).toBe(0);
    await heading(voter, 'Voting has ended').waitFor();
    await site.engine.polls.change(id, { closed: false });
    await returnUntil(late, voteButton(late));
    await vote(late);
    expect(await site.counts(id)).toEqual({ votes: [0, 2, 0], voters: 2 });
    await returnUntil(voter, voter.getByText('2 votes', { exact: true }));
    expect(await voter.evaluate(() => 'isSamePage' in window)).toBe(true);
  });

  it('a ballot is rejected keeps the time that is left', async () => {
    const deadline = new Date(Date.now() + 300_000).toISOString();
    const { id } = await site.createPoll({ mip: true, enter_name: true, has_deadline: true, deadline });
    const page = await phone();
    await page.clock.install();
    await page.goto(`${site.url}/${id}`);
    await page.getByText('✓ Ready').waitFor();
    await page.getByLabel('Volare').tap();
    // From here on the page has the rejection alone to set its clock by.
    await page.route('**/state', route => route.abort());
    // Not visible.
    await page.getByLabel('Your name').fill('\u200b');
    await page.clock.fastForward(240_000);
    await page.getByText(/^Closes in 0:\d\d$/).waitFor();
    await voteButton(page).tap();
    await page.getByRole('alert').first().waitFor();
    expect(await page.locator('[data-countdown]').textContent()).toMatch(/[1-4]:\d\d$/);
  });

  it('voting begins on air shows its form at once, with the focus on the question', async () => {
    const { id } = await site.createPoll({ mip: true, status: 'upcoming' });
    await pointShow(site.engine, 'voting-begins', id);
    const page = await openPhone('/show/voting-begins');
    await heading(page, 'Voting hasn’t started yet').waitFor();
    expect(await voteButton(page).isVisible()).toBe(false);
    expect(await page.getByText('See results').isVisible()).toBe(false);
    expect(await heading(page, 'Voting has ended').isVisible()).toBe(false);
    await site.engine.polls.change(id, { closed: false });
    await voteButton(page).waitFor();
    await page.getByText('See results').waitFor();
    expect(await heading(page, 'Voting hasn’t started yet').isVisible()).toBe(false);
    // On the question: an answer with the focus would look chosen.
    await page.locator('h1:focus').waitFor();
    await vote(page);
  });

  it('hidden results are revealed shows them, and hides them again', async () => {
    const { id } = await site.createPoll({ mip: true, results_visibility: 'hidden' });
    const page = await openPhone(`/${id}`);
    await vote(page);
    await page.getByText('They’ll appear here when the poll’s creator shows them.').waitFor();
    expect(await page.locator('.rows').isVisible()).toBe(false);
    await site.engine.polls.change(id, { resultsVisibility: 'always' });
    await page.getByText('1 vote', { exact: true }).waitFor();
    await site.engine.polls.change(id, { resultsVisibility: 'hidden' });
    await page.locator('.rows').waitFor({ state: 'hidden' });
  });

  it('hidden results are revealed by steps shows each place, also after the close and without scripts', async () => {
    const { id, poll } = await site.createPoll({ mip: true, results_visibility: 'hidden' });
    await site.relay.cast(id, 0, 3);
    await site.relay.cast(id, 1);
    await pointShow(site.engine, 'by-steps', id);
    const voter = await openPhone(`/${id}`);
    await vote(voter, 'Hallelujah');
    await site.engine.polls.change(id, { closed: true, revealedFrom: 2 });
    const late = await openPhone('/show/by-steps');
    const context = await rig.browser.newContext({ ...PHONE, javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${site.url}/${id}`);
    const figures = (page: Page) =>
      Promise.all(
        poll.answers.map(({ id: answer }) => page.locator(`[data-answer="${answer}"] .values`).textContent()),
      );
    for (const page of [voter, late, plain]) {
      await page.getByText('The rest of the results will follow.').waitFor();
      await page.getByText('5 votes', { exact: true }).waitFor();
      expect((await figures(page)).map(text => text?.replace(/\s/g, ''))).toEqual(['', '120%', '120%']);
      expect(await page.locator('.leads, .wins, .lost').count()).toBe(0);
    }
    await site.engine.polls.change(id, { resultsVisibility: 'always' });
    await plain.reload();
    for (const page of [voter, late]) await page.getByText('5 votes, final').waitFor();
    for (const page of [voter, late, plain]) {
      expect(await page.getByText('The rest of the results will follow.').isVisible()).toBe(false);
      expect((await figures(page))[0]).toContain('60');
    }
  });

  it('the deadline of hidden results passes shows them', async () => {
    const draft = { has_deadline: true, deadline: farOff(), results_visibility: 'after_deadline' };
    const { id } = await site.createPoll({ mip: true, ...draft });
    const page = await openPhone(`/${id}`);
    await vote(page);
    await page.getByText('They’ll appear here when it ends').waitFor();
    // Relative to the loaded page.
    await site.engine.polls.change(id, { deadlineMs: Date.now() + 1_000 });
    await page.getByText('1 vote, final').waitFor();
  });

  it.each([
    ['visible', true, 10],
    ['hidden', false, 0],
  ] as const)(
    'the poll is closed and the relay is down retries rarely while %s, and at once when shown again',
    async (_, isSeen, most) => {
      const alone = await startLiveSite({ proofCost: 10, relayUrl: 'http://127.0.0.1:9' });
      const { id } = await alone.createPoll();
      await alone.engine.polls.change(id, { closed: true });
      const page = await phone();
      await page.clock.install();
      let requests = 0;
      await page.route('http://127.0.0.1:9/**', route => {
        requests += 1;
        return route.abort();
      });
      await page.addInitScript(seen => {
        const state = { seen };
        Object.assign(window, { state });
        Object.defineProperty(document, 'visibilityState', {
          get: () => (state.seen ? 'visible' : 'hidden'),
        });
      }, isSeen);
      await page.goto(`${alone.url}/${id}`);
      // From now on, time passes by `runFor` only.
      await page.clock.pauseAt(Date.now() + 10_000);
      for (let second = 0; second < 60; second += 0.5) await page.clock.runFor(500);
      expect(requests).toBeLessThanOrEqual(most);
      const before = requests;
      await page.evaluate(() => {
        Object.assign((window as unknown as { state: object }).state, { seen: true });
        document.dispatchEvent(new Event('visibilitychange'));
      });
      await page.clock.runFor(1_000);
      await expect.poll(() => requests).toBe(before + 1);
      await alone.close();
    },
  );

  it('the creator removes votes says so, until they count again', async () => {
    const { id } = await site.createPoll({ mip: true });
    await site.relay.cast(id, 0, 3);
    const page = await openPhone(`/${id}`);
    await page.getByText('See results without voting').tap();
    await page.getByText('3 votes', { exact: true }).waitFor();
    expect(await page.locator('[data-voided]').isVisible()).toBe(false);
    await voidBallots(site.engine.polls, id, ALL);
    await page.getByText('3 votes were removed by the poll’s creator', { exact: true }).waitFor();
    await page.getByText('0 votes', { exact: true }).waitFor();
    await restoreBallots(site.engine.polls, id, idOfRule(ALL));
    await page.getByText('3 votes', { exact: true }).waitFor();
    expect(await page.locator('[data-voided]').isVisible()).toBe(false);
  });

  it('the creator removes votes after the end shows the new results, without a connection', async () => {
    const { id } = await site.createPoll({ mip: true });
    await site.relay.cast(id, 0, 1);
    await site.engine.polls.change(id, { closed: true });
    const page = await openPhone(`/${id}`);
    let sockets = 0;
    page.on('websocket', () => {
      sockets += 1;
    });
    await page.getByText('1 vote, final').waitFor();
    await voidBallots(site.engine.polls, id, ALL);
    await returnUntil(page, page.getByText('1 vote was removed by the poll’s creator', { exact: true }));
    await page.getByText('0 votes, final').waitFor();
    expect(sockets).toBe(0);
  });

  it('it is deleted shows that', async () => {
    const { id } = await site.createPoll();
    const page = await openPhone(`/${id}`);
    await page.getByText('See results without voting').tap();
    await site.engine.polls.remove(id);
    await returnUntil(page, page.getByText('This poll has been deleted.'));
  });
});

describe('the connection to the relay', () => {
  it('is opened once results are visible', async () => {
    const { id } = await site.createPoll({ mip: true });
    const page = await phone();
    let sockets = 0;
    page.on('websocket', () => {
      sockets += 1;
    });
    await page.goto(`${site.url}/${id}`);
    await page.getByText('✓ Ready').waitFor();
    await returnUntil(page, voteButton(page));
    expect(sockets).toBe(0);
    await page.getByText('See results without voting').tap();
    await site.relay.cast(id, 0, 1);
    await page.getByText('1 vote', { exact: true }).waitFor();
    expect(sockets).toBe(1);
  });
});

it('a remote check is rendered again after a rejection, and the vote is counted', async () => {
  // Accepts every token.
  const verifyUrl = 'data:application/json,{"success":true}';
  const checked = await startLiveSite({ turnstile: { siteKey: 'site-key', secret: 'x', verifyUrl } });
  const { id } = await checked.createPoll({ mip: true, ma: true });
  const page = await phone();
  await page.route('https://challenges.cloudflare.com/**', route =>
    route.fulfill({ contentType: 'text/javascript', body: `(${turnstileStub})()` }),
  );
  await page.goto(`${checked.url}/${id}`);
  await page.locator('[name=cf-turnstile-response]').waitFor({ state: 'attached' });
  await voteButton(page).tap();
  await heading(page, 'Choose an answer first').waitFor();
  await page.getByLabel('Volare').tap();
  await voteButton(page).tap();
  await heading(page, 'Your vote has been counted').waitFor();
  await checked.close();
});

/** A stub of Turnstile: renders what is on the page when it loads, and the rest on request. */
function turnstileStub(): void {
  let tokens = 0;
  const render = (box: HTMLElement, { sitekey }: { sitekey: string | undefined }) => {
    tokens += 1;
    box.innerHTML = `<input type="hidden" name="cf-turnstile-response" value="${sitekey} ${tokens}">`;
  };
  Object.assign(window, { turnstile: { render } });
  for (const box of document.querySelectorAll<HTMLElement>('.cf-turnstile'))
    render(box, { sitekey: box.dataset['sitekey'] });
}
