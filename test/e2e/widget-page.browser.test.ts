import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserRig } from './browser-rig.ts';
import { moment, widget } from './widget-page.ts';
import { WidgetSite } from './widget-site.ts';

const rig = browserRig(WidgetSite.open);
const tone = (page: Page) => page.locator('poll-results .frame').first().getAttribute('data-tone');
const REHEARSAL = widget('rehearsal');
const SWITCHED = '<style>html.night { background: #111; transition: background 50ms; }</style>';
const INHERITED = `
  text-align: right; text-indent: 9px; text-transform: uppercase; text-shadow: red 1px 1px; text-wrap-mode: nowrap;
  white-space-collapse: preserve; letter-spacing: 7px; word-spacing: 7px; word-break: break-all; line-height: 3; hyphens: auto;
  tab-size: 3; font-style: italic; font-weight: 900; font-variant-caps: small-caps; font-kerning: none; writing-mode: vertical-rl;
  list-style-type: square; border-collapse: collapse; caption-side: bottom; quotes: none; orphans: 7`;
const FOLLOWS_SYSTEM = '<meta name="color-scheme" content="light dark">';

describe('light or dark', () => {
  it.each([
    ['a page without colors, whatever the system', REHEARSAL, '', 'dark', 'light'],
    ['a page that follows a dark system', REHEARSAL, FOLLOWS_SYSTEM, 'dark', 'dark'],
    ['a page that follows a light system', REHEARSAL, FOLLOWS_SYSTEM, 'light', 'light'],
    ['a dark page', REHEARSAL, '<style>body { background: #1b1d22; color: #eee }</style>', 'light', 'dark'],
    [
      'a light card on a dark page',
      `<div style="background: #fff">${REHEARSAL}</div>`,
      '<style>body { background: #000 }</style>',
      'dark',
      'light',
    ],
    [
      'a veil over a dark page',
      `<div style="background: #ffffff22">${REHEARSAL}</div>`,
      '<style>body { background: oklch(0.2 0.05 280) }</style>',
      'light',
      'dark',
    ],
    [
      'a dark picture',
      `<div style="background: linear-gradient(#000, #123); color: white">${REHEARSAL}</div>`,
      '',
      'light',
      'dark',
    ],
    [
      'theme="light" on a dark page',
      widget('rehearsal', 'theme="light"'),
      '<style>body { background: #000 }</style>',
      'dark',
      'light',
    ],
    ['theme="dark" on a light page', widget('rehearsal', 'theme="dark"'), '', 'light', 'dark'],
  ] as const)('%s', async (_, body, head, colorScheme, expected) => {
    const page = await rig.site.visit(rig.browser, body, { head, colorScheme });
    await page.getByText('Rehearsal:').waitFor();
    expect(await tone(page)).toBe(expected);
  });

  it('changes with the page, and with the system if the page does', async () => {
    const page = await rig.site.visit(rig.browser, REHEARSAL, { head: FOLLOWS_SYSTEM + SWITCHED });
    await page.getByText('Rehearsal:').waitFor();
    expect(await tone(page)).toBe('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => tone(page)).toBe('dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(() => tone(page)).toBe('light');
    await page.evaluate(() => document.documentElement.classList.add('night'));
    await expect.poll(() => tone(page)).toBe('dark');
  });
});

it('looks the same on a page that sets inherited properties', async () => {
  const page = await rig.site.visit(rig.browser, REHEARSAL);
  await page.getByText('Rehearsal:').waitFor();
  const { before, after, body } = await page.evaluate(css => {
    const names = css.split(';').map(rule => rule.split(':')[0]!.trim());
    const frame = document.querySelector('poll-results')!.shadowRoot!.querySelector('.frame')!;
    const stylesOf = (element: Element) =>
      names.map(name => `${name}: ${getComputedStyle(element).getPropertyValue(name)}`);
    const read = () => [frame, ...frame.querySelectorAll('*')].flatMap(stylesOf);
    const [before, plain] = [read(), stylesOf(document.body)];
    document.body.style.cssText = css;
    const set = stylesOf(document.body);
    return { before, after: read(), body: plain.filter((style, at) => style === set[at]) };
  }, INHERITED);
  expect(body).toEqual([]);
  expect(after).toEqual(before);
});

describe('the link to the vote', () => {
  it('is shown while the poll is open, and opens it in a new tab', async () => {
    const { id } = await rig.site.create();
    const page = await rig.site.visit(rig.browser, widget(id) + widget(id, 'vote="none"'));
    await expect.poll(() => moment(page, 'waiting').count()).toBe(2);
    const link = page.locator('a.vote').first();
    expect(await link.getAttribute('href')).toBe(`${rig.site.relayUrl}/vote/${id}`);
    const reply = await fetch(`${rig.site.relayUrl}/vote/${id}`, { redirect: 'manual' });
    expect(reply.headers.get('location')).toBe(`http://127.0.0.1/${id}`);
    expect(await page.locator('a.vote').evaluateAll(all => all.map(a => a.textContent))).toEqual([
      'Vote',
      '',
    ]);
    expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(40);
    await rig.site.engine.polls.change(id, { closed: true });
    await moment(page, 'closed').first().waitFor();
    expect(await link.isVisible()).toBe(false);
  });

  it('leads to the vote of a show, and is hidden before the poll opens', async () => {
    const { id } = await rig.site.create({ status: 'upcoming' });
    await rig.site.point('evening', id);
    const page = await rig.site.visit(rig.browser, '<poll-results show="evening" lang="de"></poll-results>');
    await moment(page, 'upcoming').waitFor();
    expect(await page.locator('a.vote').isVisible()).toBe(false);
    await rig.site.engine.polls.change(id, { closed: false });
    await page.getByText('Abstimmen').waitFor();
    expect(await page.locator('a.vote').getAttribute('href')).toBe(`${rig.site.relayUrl}/vote/show/evening`);
  });
});

describe('the font', () => {
  const loaded = (page: Page) =>
    page.evaluate(() => [...document.fonts].map(face => `${face.family} ${face.unicodeRange.slice(0, 4)}`));

  it('is loaded from the relay under a CSP that allows results, only for the scripts in use', async () => {
    const { id } = await rig.site.create({ answers: ['Так', 'Ні'] });
    const relay = rig.site.relayUrl;
    const policy = `default-src 'none'; script-src ${relay}; connect-src ${relay} ${relay.replace('http', 'ws')}`;
    const asked: string[] = [];
    const page = await rig.site.visit(rig.browser, '', { policy });
    page.on('request', request => asked.push(request.url()));
    await page.evaluate(poll => {
      const element = document.createElement('poll-results');
      element.setAttribute('poll', poll);
      document.body.append(element);
    }, id);
    await expect.poll(() => loaded(page)).toHaveLength(2);
    const files = asked.filter(url => url.endsWith('.woff2')).map(url => url.replace(/.*inter-|\..*/g, ''));
    expect(files.sort()).toEqual(['cyrillic', 'latin']);
    const used = await page
      .locator('.label')
      .first()
      .evaluate(label => getComputedStyle(label).fontFamily);
    expect(used).toMatch(/^"Tallycast Inter"/);
  });

  it('is not loaded if the page sets one', async () => {
    const page = await rig.site.visit(rig.browser, REHEARSAL, {
      head: '<style>poll-results { --poll-font: 18px serif }</style>',
    });
    await page.getByText('Rehearsal:').waitFor();
    await page.waitForLoadState('networkidle').catch(() => undefined);
    expect(await loaded(page)).toEqual([]);
  });
});
