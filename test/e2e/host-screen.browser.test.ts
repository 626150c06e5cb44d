import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { takeShow } from '../support/test-show.ts';
import { findViolations } from './axe.ts';
import { browserRig } from './browser-rig.ts';
import { WidgetSite } from './widget-site.ts';

const FULL_HD = { width: 1920, height: 1080 };

describe('the presenter’s screen of a show', () => {
  const rig = browserRig(WidgetSite.open);

  async function open(path: string): Promise<Page> {
    const page = await rig.browser.newPage({ viewport: FULL_HD, locale: 'en-US' });
    await page.goto(`${rig.site.relayUrl}/overlay/${path}`);
    return page;
  }

  /** A show with a hidden poll on air, and the texts of its screen. */
  async function setUp() {
    const show = await takeShow({ url: rig.site.relayUrl });
    const [first, second, third] = [
      (await show.addPoll({ title: 'Best song?', results_visibility: 'hidden' })).json,
      (await show.addPoll({ title: 'Best singer?' })).json,
      (await show.addPoll({ title: 'Best dress?' })).json,
    ];
    await show.press('next');
    await rig.site.cast(first.id, 0, 321);
    return { show, first, second, third, path: `show/${show.name}?style=host&values=count` };
  }

  const texts = (page: Page) => ({
    title: page.locator('.title'),
    state: page.locator('.state'),
    secret: page.locator('.secret'),
    next: page.locator('.next'),
    count: page.locator('.count').first(),
    away: page.locator('.away'),
  });

  it('shows what the audience does not see, marked as such, and what comes next', async () => {
    const { show, first, path } = await setUp();
    const page = await open(`${path}#key=${show.key}`);
    const { title, secret, next, count } = texts(page);
    await expect.poll(() => title.textContent()).toBe('Best song?');
    await expect.poll(() => count.textContent()).toBe('321');
    expect(await secret.textContent()).toBe('Hidden from the audience');
    await expect.poll(() => next.textContent()).toBe('Next poll: Best singer?');
    await rig.site.cast(first.id, 0, 333);
    await expect.poll(() => count.textContent()).toBe('654');
    await rig.site.change(first.id, show.key, { results_visibility: 'always' });
    await expect.poll(() => secret.count()).toBe(0);
  });

  it('shows neither to a page without the key', async () => {
    const { path } = await setUp();
    const page = await open(path);
    const { title, secret, next, count } = texts(page);
    await expect.poll(() => title.textContent()).toBe('Best song?');
    for (const part of [secret, next, count]) expect(await part.count()).toBe(0);
    expect(await page.locator('body').textContent()).not.toContain('321');
  });

  it('follows the show to its end, past a deleted poll, and says when nothing is on air', async () => {
    const { show, second, path } = await setUp();
    const page = await open(`${path}#key=${show.key}`);
    const { title, state, next } = texts(page);
    await expect.poll(() => next.textContent()).toContain('Best singer?');
    const headers = { 'x-api-key': show.key };
    await fetch(`${rig.site.relayUrl}/api/poll/${second.id}`, { method: 'DELETE', headers });
    await expect.poll(() => next.textContent()).toContain('Best dress?');
    await show.press('next');
    await expect.poll(() => title.textContent()).toBe('Best dress?');
    await expect.poll(() => next.textContent()).toBe('No next poll');
    await show.press('clear');
    await expect.poll(() => title.textContent()).toBe('The show has nothing on air.');
    expect(await state.count()).toBe(0);
    await show.press('previous');
    await expect.poll(() => title.textContent()).toBe('Best dress?');
    await expect.poll(() => state.count()).toBe(1);
  });

  it('shows a poll that the show does not own, though its key does not open it', async () => {
    const { show, path } = await setUp();
    const { id } = await rig.site.create({ title: 'A guest' });
    await rig.site.cast(id, 0, 77);
    await show.patch({ on_air: id });
    const { title, count } = texts(await open(`${path}#key=${show.key}`));
    await expect.poll(() => title.textContent()).toBe('A guest');
    await expect.poll(() => count.textContent()).toBe('77');
  });

  it('marks a lost connection in words, keeps the results, and catches up', async () => {
    const { show, first, path } = await setUp();
    const page = await open(`${path}#key=${show.key}`);
    const { next, count, away } = texts(page);
    await expect.poll(() => next.textContent()).toContain('Best singer?');
    await expect.poll(() => count.textContent()).toBe('321');
    await rig.site.stopRelay();
    await expect.poll(() => away.textContent()).toBe('Connection lost. Trying again…');
    expect(await next.count()).toBe(0);
    expect(await count.textContent()).toBe('321');
    await rig.site.cast(first.id, 0, 333);
    await rig.site.startRelay();
    await expect.poll(() => count.textContent()).toBe('654');
    await expect.poll(() => next.textContent()).toContain('Best singer?');
    expect(await away.count()).toBe(0);
  });

  it('says why it has nothing to show: a wrong key, a deleted poll, no poll', async () => {
    const { path } = await setUp();
    const { title } = texts(await open(`${path}#key=show_${'x'.repeat(43)}`));
    await expect.poll(() => title.textContent()).toMatch(/^Nothing to show: .*key/);
    const { id, admin_key } = await rig.site.create();
    const poll = texts(await open(`${id}?style=host`));
    await expect.poll(() => poll.title.textContent()).toBe('Which song next?');
    const headers = { 'x-api-key': admin_key };
    await fetch(`${rig.site.relayUrl}/api/poll/${id}`, { method: 'DELETE', headers });
    await expect.poll(() => poll.title.textContent()).toMatch(/^Nothing to show: /);
    const none = texts(await open('not.a.poll?style=host'));
    await expect.poll(() => none.title.textContent()).toMatch(/^Nothing to show: /);
  });

  it('sends the key in no URL, and is no overlay to the desk', async () => {
    const { show, path } = await setUp();
    const page = await rig.browser.newPage({ viewport: FULL_HD });
    const urls: string[] = [];
    page.on('request', request => urls.push(request.url()));
    page.on('websocket', socket => urls.push(socket.url()));
    await page.goto(`${rig.site.relayUrl}/overlay/${path}#key=${show.key}`);
    await expect.poll(() => texts(page).next.textContent()).toContain('Best singer?');
    expect(urls.some(url => url.startsWith('ws'))).toBe(true);
    expect(urls.map(url => url.replace(/#.*/, '')).filter(url => url.includes(show.key))).toEqual([]);
    expect((await show.get()).json.screens).toBe(0);
  });

  it('has no axe violations', async () => {
    const { show, path } = await setUp();
    const page = await open(`${path}#key=${show.key}`);
    await expect.poll(() => texts(page).next.textContent()).toContain('Best singer?');
    expect(await findViolations(page)).toEqual([]);
  });
});

describe('the presenter’s screen of one poll', () => {
  const rig = browserRig(WidgetSite.open);

  it('opens hidden results with a view key, and has no line about what comes next', async () => {
    const { id, view_key } = await rig.site.create({ results_visibility: 'hidden' });
    await rig.site.cast(id, 0, 321);
    const page = await rig.browser.newPage({ viewport: FULL_HD, locale: 'en-US' });
    await page.goto(`${rig.site.relayUrl}/overlay/${id}?style=host&values=count#key=${view_key}`);
    await expect.poll(() => page.locator('.secret').textContent()).toBe('Hidden from the audience');
    await expect.poll(() => page.locator('.count').first().textContent()).toBe('321');
    expect(await page.locator('.next').count()).toBe(0);
  });
});
