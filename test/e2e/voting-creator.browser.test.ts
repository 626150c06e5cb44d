import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { png } from '../support/images.ts';
import { type LiveSite, reword, startLiveSite } from '../voting/voting-site.ts';
import { findViolations } from './axe.ts';
import { browserRig } from './browser-rig.ts';

const rig = browserRig<LiveSite>(() => startLiveSite({ proofCost: 10 }));

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await rig.browser.newContext({
    locale: 'en-US',
    timezoneId: 'America/New_York',
    ...options,
  });
  const page = await context.newPage();
  await page.goto(rig.site.url + path);
  return page;
}

interface Links {
  readonly id: string;
  readonly manageUrl: string;
  /** The first one on the page, for the air. */
  readonly overlayUrl: string;
  /** For the creator's eyes. */
  readonly keyedOverlayUrl: string;
}

async function createLunch(page: Page): Promise<Links> {
  await page.getByLabel('Question', { exact: true }).fill('Lunch?');
  await page.getByLabel('Answer 1').fill('Soup');
  await page.getByLabel('Answer 2').fill('Salad');
  await page.getByRole('button', { name: /Yes, at an event/ }).click();
  const voteUrl = await page.getByLabel('Voting link', { exact: true }).inputValue();
  return {
    id: voteUrl.slice(-12),
    manageUrl: await page.getByLabel('Manage link', { exact: true }).inputValue(),
    overlayUrl: await page
      .getByLabel(/^Overlay/)
      .first()
      .inputValue(),
    keyedOverlayUrl: await page.getByLabel('Overlay with hidden results', { exact: true }).inputValue(),
  };
}

describe('a creator', () => {
  it('creates a poll with hidden results, shows them on the overlay, and closes it', async () => {
    const page = await open('/new');
    await page.getByText('Schedule and results').click();
    await page.getByLabel('Only you, until you show them').check();
    const { id, manageUrl, overlayUrl, keyedOverlayUrl } = await createLunch(page);
    expect(page.url()).toBe(`${rig.site.url}/${id}/manage`);
    expect(await page.getByLabel('Manage link', { exact: true }).isVisible()).toBe(false);
    expect(await page.getByLabel('Overlay with hidden results', { exact: true }).isVisible()).toBe(false);

    const [onAir, overlay] = [await open('/'), await open('/')];
    await onAir.goto(overlayUrl);
    await overlay.goto(keyedOverlayUrl);
    await onAir.getByText('Lunch?').first().waitFor();
    await overlay.getByText('Lunch?').first().waitFor();

    const voter = await open(`/${id}`, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await voter.getByLabel('Salad').tap();
    await voter.getByRole('button', { name: 'Vote', exact: true }).tap();
    await voter.getByRole('heading', { name: 'Your vote has been counted' }).waitFor();
    await voter.getByText('The results are hidden').waitFor();
    await overlay.getByText('100').first().waitFor();
    expect(await onAir.getByText('100').count()).toBe(0);

    await page.goto(manageUrl);
    await page.getByRole('heading', { name: 'Voting is open' }).waitFor();
    expect(page.url()).toBe(`${rig.site.url}/${id}/manage`);
    await page.locator('[data-voters]', { hasText: /^1$/ }).waitFor();
    await page.getByRole('button', { name: 'Show results' }).click();
    await page.getByText('The results are visible').waitFor();
    await onAir.getByText('100').first().waitFor();
    await voter.getByText('1 vote', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Close voting' }).click();
    await page.getByRole('heading', { name: 'Voting is closed', exact: true }).first().waitFor();
    await voter.getByText('1 vote, final').waitFor();
  });

  it('can use Back, Forward and Reload after an action', async () => {
    const { id, adminKey } = await rig.site.createPoll();
    const page = await open('/');
    await page.goto(`${rig.site.url}/${id}/manage#key=${adminKey}`);
    await page.getByRole('button', { name: 'Close voting' }).click();
    await page.getByText('You can reopen it at any time.').waitFor();
    await page.getByRole('button', { name: 'Reopen voting' }).click();
    await page.getByText('Voting is open again').waitFor();
    const [notice, figures] = await Promise.all(
      ['.notice.good', '.figures-row'].map(part => page.locator(part).boundingBox()),
    );
    expect(figures!.y - (notice!.y + notice!.height)).toBeGreaterThanOrEqual(16);
    await page.goto(`${rig.site.url}/${id}`);
    await page.goBack();
    await page.getByRole('heading', { name: 'Voting is open', exact: true }).waitFor();
    expect(page.url()).toBe(`${rig.site.url}/${id}/manage`);
    await page.reload();
    await page.getByRole('heading', { name: 'Voting is open', exact: true }).waitFor();
    await page.goForward();
    await page.getByRole('button', { name: 'Vote', exact: true }).waitFor();
  });

  it('sees live counts, and no key in the address bar', async () => {
    const { id, adminKey } = await rig.site.createPoll({ mip: true, results_visibility: 'hidden' });
    const page = await open(`/${id}/manage#key=${adminKey}`);
    await page.getByRole('heading', { name: 'Voting is open' }).waitFor();
    expect(await page.evaluate(() => `${location.href} ${document.referrer}`)).not.toContain('admin_');
    await rig.site.relay.cast(id, 0, 4);
    await expect.poll(() => page.locator('[data-voters]').textContent()).toBe('4');
    expect(await page.locator('[data-results] .count').first().textContent()).toBe('4');
  });

  it('corrects a typo, and keeps what is typed while another page corrects the poll', async () => {
    const { id, adminKey } = await rig.site.createPoll({ title: 'Wich song?', answers: ['One', 'Two'] });
    const page = await open(`/${id}/manage#key=${adminKey}`, { viewport: { width: 390, height: 844 } });
    await page.getByText('Edit', { exact: true }).click();
    await page.getByLabel('Answer 2', { exact: true }).fill('Second');
    await reword(rig.site, id, { title: 'Which song?' });
    await page.getByRole('heading', { name: 'Which song?' }).waitFor();
    expect(await page.getByLabel('Answer 2', { exact: true }).inputValue()).toBe('Second');
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('This poll has been corrected in the meantime.').waitFor();
    expect(await page.getByLabel('Question', { exact: true }).inputValue()).toBe('Wich song?');
    await page.getByLabel('Question', { exact: true }).fill('Which song?');
    await page.getByText('Colors and pictures').click();
    await page.getByLabel('Color: 2').fill('#123456');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The poll has been corrected').waitFor();
    const { title, answers } = (await rig.site.engine.polls.find(id))!.poll;
    expect([title, ...answers.map(({ text, color }) => [text, color])]).toEqual([
      'Which song?',
      ['One', undefined],
      ['Second', '#123456'],
    ]);
  });

  it('saves over no unseen correction of another page, also after choosing a picture', async () => {
    const made = await rig.site.createPoll({ title: 'Wich song?', answers: ['One', 'Two'] });
    const page = await open(`/${made.id}/manage#key=${made.adminKey}`);
    await page.getByText('Edit', { exact: true }).click();
    await page.getByText('Colors and pictures').click();
    const choose = async (answer: number) => {
      const picture = { name: 'a.png', mimeType: 'image/png', buffer: png(answer, answer) };
      const sent = page.waitForResponse('**/manage/picture/*');
      await page.getByLabel(`Picture: ${answer}`, { exact: true }).setInputFiles(picture);
      await (await sent).finished();
      await page
        .locator('.row [data-shown]:not([hidden]) img')
        .nth(answer - 1)
        .waitFor();
    };
    await choose(1);
    await reword(rig.site, made.id, { title: 'Which song?' });
    await choose(2);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('This poll has been corrected in the meantime.').waitFor();
    const { title, answers } = (await rig.site.engine.polls.find(made.id))!.poll;
    expect(title).toBe('Which song?');
    expect(answers.map(({ image }) => image !== undefined)).toEqual([true, true]);
  });

  it('reads that corrections are public as soon as there is a vote', async () => {
    const { id, poll, adminKey } = await rig.site.createPoll({ answers: ['One', 'Two'] });
    const page = await open(`/${id}/manage#key=${adminKey}`);
    const hint = page.locator('#edit-hint');
    expect(await hint.textContent()).toContain('No votes yet');
    await rig.site.visitor().vote(id, poll.answers[0]!.id);
    await page.locator('#edit-hint', { hasText: 'This poll has votes' }).waitFor({ state: 'attached' });
  });

  it('sets a deadline in local time', async () => {
    const page = await open('/new');
    await page.getByText('Schedule and results').click();
    await page.getByText('(your local time)').waitFor();
    await page.getByLabel(/^Voting ends/).fill('2099-07-01T20:30');
    const { id, manageUrl } = await createLunch(page);
    const deadlineMs = (await rig.site.engine.polls.find(id))?.results.deadlineMs;
    expect(new Date(deadlineMs!).toISOString()).toBe('2099-07-02T00:30:00.000Z');
    await page.goto(manageUrl);
    expect(await page.getByLabel(/^Voting ends/).inputValue()).toBe('2099-07-01T20:30');
    await page.getByText('July 1, 2099 at 8:30').first().waitFor();
    await page.getByLabel(/^Voting ends/).fill('2099-01-01T12:00');
    await page.getByRole('button', { name: 'Save deadline' }).click();
    await page.getByText('The deadline has been changed').waitFor();
    const changed = (await rig.site.engine.polls.find(id))?.results.deadlineMs;
    expect(new Date(changed!).toISOString()).toBe('2099-01-01T17:00:00.000Z');
  });

  it('keeps an unchanged deadline to the millisecond, in the hour that a clock change repeats', async () => {
    const { id, adminKey } = await rig.site.createPoll({ mip: true });
    // 1:30 in New York, for the second time in that night.
    const deadlineMs = Date.UTC(2099, 10, 1, 6, 30, 27, 512);
    await rig.site.engine.polls.change(id, { deadlineMs });
    const page = await open(`/${id}/manage#key=${adminKey}`);
    await page.getByText('(your local time)').waitFor();
    expect(await page.getByLabel(/^Voting ends/).inputValue()).toBe('2099-11-01T01:30');
    await page.getByRole('button', { name: 'Save deadline' }).click();
    await page.getByRole('heading', { name: 'Nothing was changed' }).waitFor();
    expect((await rig.site.engine.polls.find(id))!.results.deadlineMs).toBe(deadlineMs);
  });

  it('copies the voting link', async () => {
    const page = await open('/new', { permissions: ['clipboard-read', 'clipboard-write'] });
    const { id } = await createLunch(page);
    // The word is there for two seconds.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await page.getByRole('button', { name: 'Copy: Voting link', exact: true }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${rig.site.url}/${id}`);
  });
});

describe('with the keyboard alone', () => {
  /** Presses Tab until an element with this name has the focus. */
  async function tabTo(page: Page, name: RegExp): Promise<void> {
    for (let press = 0; press < 60; press += 1) {
      await page.keyboard.press('Tab');
      const text = await page.evaluate(() => {
        const element = document.activeElement as HTMLInputElement | null;
        return `${element?.labels?.[0]?.textContent ?? ''} ${element?.textContent ?? ''}`.trim();
      });
      if (name.test(text)) return;
    }
    throw new Error(`Tab does not reach ${name}`);
  }

  it('Enter moves to the next field and submits nothing', async () => {
    const page = await open('/new');
    const answers = page.locator('input[name=answer]');
    await page.getByLabel('Question', { exact: true }).focus();
    await page.keyboard.type('Which way?');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Left');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    expect(await answers.count()).toBe(2);
    expect(await answers.first().inputValue()).toBe('Left');
    expect(await page.locator(':focus').getAttribute('name')).toBe('priv');
    expect(new URL(page.url()).pathname).toBe('/new');
  });

  it('a poll can be created, voted in and closed', async () => {
    const page = await open('/');
    await tabTo(page, /Create a poll/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/new');
    await page.keyboard.type('Which way?');
    await tabTo(page, /Answer 1/);
    for (const answer of ['Left', 'Right', 'Straight on']) {
      await page.keyboard.type(answer);
      await page.keyboard.press('Enter');
    }
    await tabTo(page, /No, from different places/);
    await page.keyboard.press('Enter');
    await page.getByText('Your poll is ready').waitFor();

    await tabTo(page, /Open voting page/);
    const opened = page.context().waitForEvent('page');
    await page.keyboard.press('Enter');
    const voting = await opened;
    await voting.getByText('✓ Ready').waitFor();
    await tabTo(voting, /Left/);
    await voting.keyboard.press('ArrowDown');
    await voting.keyboard.press('ArrowDown');
    await tabTo(voting, /^Vote$/);
    await voting.keyboard.press('Enter');
    await voting.getByText('You chose Straight on.').waitFor();

    await page.bringToFront();
    await page.getByRole('heading', { name: 'Voting is open' }).waitFor();
    await tabTo(page, /Close voting/);
    await page.keyboard.press('Space');
    await page.getByText('You can reopen it at any time.').waitFor();
  });

  it('the focus is always visible', async () => {
    const { id } = await rig.site.createPoll({ co: true, mip: true });
    const page = await open(`/${id}`);
    const unseen: string[] = [];
    for (let press = 0; press < 12; press += 1) {
      await page.keyboard.press('Tab');
      const seen = await page.evaluate(() => {
        const element = document.activeElement;
        if (!element || element === document.body) return '';
        const shown = [element, element.closest('label')].some(
          one => one && getComputedStyle(one).outlineStyle !== 'none',
        );
        return shown ? '' : element.outerHTML.slice(0, 100);
      });
      if (seen !== '') unseen.push(seen);
    }
    expect(unseen).toEqual([]);
  });
});
