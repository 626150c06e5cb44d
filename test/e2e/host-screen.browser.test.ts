import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Scene } from '../../src/overlay/browser/drawing/stage.ts';
import { knownHidden, knownResults } from '../overlay/poll-snapshots.ts';
import { takeShow } from '../support/test-show.ts';
import { findViolations } from './axe.ts';
import { browserRig } from './browser-rig.ts';
import { scripts } from './picture-matrix.ts';
import { StagePages } from './stage-page.ts';
import type { StageWindow } from './stage-window.ts';
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
    said: page.locator('.said'),
    next: page.locator('.next'),
    count: page.locator('.values .count').first(),
    away: page.locator('.foot .away'),
  });

  it('shows what the audience does not see, marked as such, and what comes next', async () => {
    const { show, first, path } = await setUp();
    const page = await open(`${path}#key=${show.key}`);
    const { title, said, next, count } = texts(page);
    await expect.poll(() => title.textContent()).toBe('Best song?');
    await expect.poll(() => count.textContent()).toBe('321');
    expect(await said.textContent()).toBe('Hidden from the audience');
    await expect.poll(() => next.textContent()).toBe('NextBest singer?');
    await rig.site.cast(first.id, 0, 333);
    await expect.poll(() => count.textContent()).toBe('654');
    await rig.site.change(first.id, show.key, { results_visibility: 'always' });
    await expect.poll(() => said.textContent()).toBe('');
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  });

  it('shows neither to a page without the key', async () => {
    const { path } = await setUp();
    const page = await open(path);
    const { title, said, next } = texts(page);
    await expect.poll(() => title.textContent()).toBe('Best song?');
    expect(await said.textContent()).toBe('Results to follow');
    expect(await next.isVisible()).toBe(false);
    expect(await page.locator('body').textContent()).not.toContain('321');
  });

  it('follows the show to its end, past a deleted poll, and says when nothing is on air', async () => {
    const { show, second, path } = await setUp();
    const page = await open(`${path}#key=${show.key}`);
    const { title, next } = texts(page);
    await expect.poll(() => next.textContent()).toContain('Best singer?');
    const headers = { 'x-api-key': show.key };
    await fetch(`${rig.site.relayUrl}/api/poll/${second.id}`, { method: 'DELETE', headers });
    await expect.poll(() => next.textContent()).toContain('Best dress?');
    await show.press('next');
    await expect.poll(() => title.textContent()).toBe('Best dress?');
    await expect.poll(() => next.textContent()).toBe('No next poll');
    await show.press('clear');
    await expect.poll(() => title.textContent()).toBe('The show has nothing on air.');
    expect(await page.locator('.foot .said').isVisible()).toBe(false);
    await show.press('previous');
    await expect.poll(() => title.textContent()).toBe('Best dress?');
    await expect.poll(() => page.locator('.foot .said').isVisible()).toBe(true);
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
    await rig.site.stopRelay();
    await expect.poll(() => next.textContent()).toBe('Connection lost. Trying again…');
    expect(await away.isVisible()).toBe(true);
    expect(await count.textContent()).toBe('321');
    await rig.site.cast(first.id, 0, 333);
    await rig.site.startRelay();
    await expect.poll(() => count.textContent()).toBe('654');
    await expect.poll(() => next.textContent()).toContain('Best singer?');
    expect(await away.isVisible()).toBe(false);
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
    await expect.poll(() => page.locator('.said').textContent()).toBe('Hidden from the audience');
    expect(await page.locator('.values .count').first().textContent()).toBe('321');
    expect(await page.locator('.next').isVisible()).toBe(false);
  });
});

describe('on every monitor', () => {
  const rig = browserRig(StagePages.bundle);
  const inAMinute = () => new Date(Date.now() + 95_000).toISOString();

  /** A poll of so many answers in a script, whose creator hid its results. */
  function pollIn(script: keyof typeof scripts, count: number, status: 'open' | 'closed') {
    const { title, answers } = scripts[script];
    const votes = Array.from({ length: count }, (_, at) => (count - at) * 1_370);
    const poll = knownResults(votes, { status, title, deadline: inAMinute(), results_visibility: 'hidden' });
    const named = poll.poll_answers.map((entry, at) => ({
      ...entry,
      answer: `${answers[at % answers.length]} ${at}`,
    }));
    return { ...poll, poll_answers: named, timestamp: Math.floor(Date.now() / 1_000) };
  }

  function scenes(): [name: string, query: string, scene: Scene][] {
    const next = (script: keyof typeof scripts) => scripts[script].title;
    const all = (['german', 'arabic'] as const).flatMap(script =>
      [2, 20].flatMap(count =>
        (['open', 'closed'] as const).map((status): [string, string, Scene] => [
          `${count} answers, ${script}, ${status}`,
          `lang=${scripts[script].lang}`,
          { poll: pollIn(script, count, status), away: false, next: next(script) },
        ]),
      ),
    );
    const nothing = { ...knownHidden({ title: next('german'), status: 'upcoming' }), poll_answers: [] };
    return [
      ...all,
      ['a tie', '', { poll: knownResults([5, 5, 5], { status: 'closed' }), away: false, next: null }],
      ['away', '', { poll: pollIn('german', 5, 'open'), away: true, next: next('german') }],
      ['hidden', '', { poll: knownHidden({ title: next('german') }), away: false }],
      ['nothing on air', '', { poll: nothing, away: true, next: next('german') }],
    ];
  }

  it.each([
    [1920, 1080],
    [1280, 720],
    [1024, 768],
    [400, 225],
  ])('has no layout faults at %i x %i, also where one scene follows another', async (width, height) => {
    const page = await rig.site.open(width, height);
    for (const [name, query, scene] of scenes()) {
      const found = await page.evaluate(
        ([asked, drawn]) => {
          const { show, faults } = globalThis as unknown as StageWindow;
          show(asked, drawn);
          return faults();
        },
        [`style=host&${query}`, scene] as const,
      );
      expect(found, name).toEqual([]);
    }
  });

  it('fills the screen with an opaque ground, and shows the whole question of 300 letters', async () => {
    const page = await rig.site.open(1920, 1080);
    const title = 'A question that goes on and on, as questions do when several people write them, '.repeat(
      4,
    );
    const scene = { poll: knownResults([3, 2, 1], { title: title.slice(0, 300) }), away: false };
    await page.evaluate(
      drawn => (globalThis as unknown as StageWindow).show('style=host&theme=outline&plate=ffffff00', drawn),
      scene,
    );
    expect(await page.locator('.title.cut').count()).toBe(0);
    const ground = await page.locator('.tallycast').evaluate(stage => {
      const { width, height } = stage.getBoundingClientRect();
      return [width, height, getComputedStyle(stage).backgroundColor];
    });
    expect(ground).toEqual([1920, 1080, 'rgb(10, 12, 18)']);
  });
});
