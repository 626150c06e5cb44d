import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserRig } from './browser-rig.ts';
import { moment, widget } from './widget-page.ts';
import { WidgetSite } from './widget-site.ts';

const rig = browserRig(WidgetSite.open);
const tone = (page: Page) => page.locator('poll-results .frame').first().getAttribute('data-tone');
const REHEARSAL = widget('rehearsal');
const SWITCHED = '<style>html.night { background: #111; transition: background 50ms; }</style>';
const FOLLOWS_SYSTEM = '<meta name="color-scheme" content="light dark">';

describe('light or dark', () => {
  it.each([
    ['a page without colours, whatever the system', REHEARSAL, '', 'dark', 'light'],
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

it('looks the same on a page that sets every inherited property', async () => {
  const page = await rig.site.visit(rig.browser, REHEARSAL);
  await page.getByText('Rehearsal:').waitFor();
  const { changed, set } = await page.evaluate(() => {
    const meant = [
      'color',
      'color-scheme',
      'cursor',
      'font-size',
      'pointer-events',
      'visibility',
      'direction',
    ];
    const values = [
      'right',
      'justify',
      'uppercase',
      'italic',
      '900',
      '7px',
      '3',
      'none',
      'nowrap',
      'break-all',
      'all',
      'red',
      'rgb(1, 2, 3)',
      'always',
      'auto',
      'hidden',
      'vertical-rl',
      'serif',
      '"x" "y"',
      'balance',
      'preserve',
      'under',
      'over left',
      'bottom',
      'hide',
      'inside',
      'square',
      'upright',
      'manual',
      'loose',
      'geometricPrecision',
    ];
    const parent = document.body.appendChild(document.createElement('div'));
    const child = parent.appendChild(document.createElement('i'));
    const inherited = [...getComputedStyle(document.body)].flatMap(name => {
      const initial = getComputedStyle(child).getPropertyValue(name);
      const value = values.find(one => {
        parent.style.setProperty(name, one);
        return getComputedStyle(child).getPropertyValue(name) !== initial;
      });
      parent.removeAttribute('style');
      return value === undefined || meant.includes(name) ? [] : [[name, value] as const];
    });
    parent.remove();
    const elements = [
      ...document.querySelector('poll-results')!.shadowRoot!.querySelectorAll('.frame, .frame *'),
    ];
    const stylesOf = (element: Element) => {
      const style = getComputedStyle(element);
      return inherited.map(([name]) => style.getPropertyValue(name));
    };
    const before = elements.map(stylesOf);
    for (const [name, value] of inherited) document.body.style.setProperty(name, value);
    return {
      set: inherited.map(([name]) => name),
      changed: elements.flatMap((element, at) => {
        const after = stylesOf(element);
        return inherited.map(([name]) => name).filter((_, index) => before[at]![index] !== after[index]);
      }),
    };
  });
  expect(set).toEqual(
    expect.arrayContaining(['text-align', 'letter-spacing', 'text-transform', 'white-space-collapse']),
  );
  expect(set.length).toBeGreaterThan(30);
  expect([...new Set(changed)]).toEqual([]);
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
