import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import en from '../../src/locales/en.json' with { type: 'json' };
import { drawingStyles } from '../../src/picture/styles.ts';
import { takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { BROWSERS, type DrivenBrowser, type DrivenPage } from './driven-browsers.ts';
import { WidgetSite } from './widget-site.ts';

/**
 * Overlay, widget, desk and the presenter's screen in each engine that a browser source may have: OBS, mimoLive on a Mac, a
 * kiosk. Other tests know Chromium, so here it is what the others are compared with.
 */

const PATIENCE_MS = 40_000;
const FULL_HD = { width: 1920, height: 1080 };
/** Browsers round letters and lines differently. */
const SLACK_PX = 6;

/** The page and all its shadow roots. */
const ROOTS = `const rootsOf = root => [root, ...[...root.querySelectorAll('*')].flatMap(one => one.shadowRoot ? rootsOf(one.shadowRoot) : [])];
  const roots = rootsOf(document);`;
const TEXT = `${ROOTS} return roots.map(root => [...root.children].map(one => one.innerText).join(' ')).join(' ');`;
const BOXES = `${ROOTS} return roots.flatMap(root => [...root.querySelectorAll(args[0])]).map(one => {
    const { left, top, width, height } = one.getBoundingClientRect();
    const name = one.dataset.step ?? one.dataset.picture ?? one.getAttribute('class');
    return { name, text: one.children.length ? '' : one.textContent.replaceAll('\\u00ad', ''), box: [left, top, width, height] };
  }).filter(({ box }) => box[2] > 0 && box[3] > 0);`;
const FONTS_LOADED = `return document.fonts.status === 'loaded'`;

/** What an overlay or widget draws. */
const DRAWN =
  '.panel, .title, .label, .track, .fill, .shaft, .values, .percent, .count, .number, .ring, .swatch, .tag, .total, .clock, .next, .code-card';

interface Drawn {
  readonly name: string;
  readonly text: string;
  readonly box: readonly number[];
}

const textOf = (page: DrivenPage) => page.run<string>(TEXT).catch(() => '');
const shows = (page: DrivenPage, text: string) =>
  until(async () => (await textOf(page)).includes(text), `“${text}” on the page`, PATIENCE_MS);

/** Waits until both pages show the same parts with the same words in the same places. */
async function looksLike(page: DrivenPage, reference: DrivenPage, parts: string): Promise<void> {
  const read = (from: DrivenPage) => from.run<Drawn[]>(BOXES, parts);
  const differences = async () => {
    const [drawn, expected] = [await read(page), await read(reference)];
    const named = (all: readonly Drawn[]) => all.map(({ name, text }) => `${name} ${text}`);
    if (named(drawn).join() !== named(expected).join()) return [named(drawn), named(expected)];
    return drawn.flatMap(({ name, text, box }, at) =>
      box.some((edge, side) => Math.abs(edge - expected[at]!.box[side]!) > SLACK_PX)
        ? [`${name} “${text}” ${box.map(Math.round)}, in Chromium ${expected[at]!.box.map(Math.round)}`]
        : [],
    );
  };
  await Promise.all(
    [page, reference].map(one => until(() => one.run<boolean>(FONTS_LOADED), 'the fonts', PATIENCE_MS)),
  );
  await until(async () => (await differences()).length === 0, 'the same picture', 5_000).catch(() => {});
  expect((await read(page)).length).toBeGreaterThan(1);
  expect(await differences()).toEqual([]);
}

describe.each(['firefox', 'webkit'] as const)('in %s', name => {
  let browser: DrivenBrowser;
  let chromium: DrivenBrowser;
  let page: DrivenPage;
  let reference: DrivenPage;
  /** A page in each browser, of the same size inside. */
  async function openPages(size: typeof FULL_HD): Promise<void> {
    page = await browser.newPage(size);
    const inside = await page.run<typeof FULL_HD>('return { width: innerWidth, height: innerHeight }');
    reference = await chromium.newPage(inside);
  }
  const open = (url: string) => Promise.all([page.open(url), reference.open(url)]);

  beforeAll(async () => {
    [browser, chromium] = await Promise.all([BROWSERS[name](), BROWSERS.chromium()]);
  });
  afterAll(async () => {
    await browser?.close();
    await chromium?.close();
  });

  describe('a screen', () => {
    let site: WidgetSite;
    beforeAll(async () => {
      site = await WidgetSite.open();
      await openPages(FULL_HD);
    });
    afterAll(async () => {
      await page?.close();
      await site?.close();
    });

    it.each(drawingStyles)('draws %s as Chromium does, also after the reveal and votes', async style => {
      const { id, admin_key } = await site.create({ results_visibility: 'hidden' });
      await site.cast(id, 0, 321);
      await site.cast(id, 1, 123);
      await open(`${site.relayUrl}/overlay/${id}?style=${style}&speed=0`);
      await shows(page, 'Which song');
      // The address beside a code may have these digits, in its port.
      if (style !== 'code') expect(await textOf(page)).not.toContain('321');
      await looksLike(page, reference, DRAWN);
      await site.change(id, admin_key, { results_visibility: 'always' });
      if (style !== 'code') await shows(page, '321');
      await site.cast(id, 0, 333);
      if (style !== 'code') await shows(page, '654');
      await looksLike(page, reference, DRAWN);
    });

    it('moves bars to a new leader, who is then in the same place', async () => {
      const { id } = await site.create();
      await site.cast(id, 0, 5);
      await open(`${site.relayUrl}/overlay/${id}`);
      await shows(page, '100');
      await page.run(`window.moved = [];
        document.addEventListener('transitionend', ({ target, propertyName }) => moved.push(target.className + ' ' + propertyName));`);
      await site.cast(id, 1, 15);
      await shows(page, '75');
      await until(
        () =>
          page.run<boolean>(`return ['row', 'fill'].every(part => moved.some(one => one.includes(part)))`),
        'rows and bars to move',
        PATIENCE_MS,
      );
      await looksLike(page, reference, DRAWN);
    });

    it('draws a widget as Chromium does', async () => {
      const { id } = await site.create();
      await site.cast(id, 0, 321);
      await open(site.pageWith(`<poll-results poll="${id}"></poll-results>`));
      await shows(page, '321');
      await looksLike(page, reference, '.title, .label, .track, .values, .percent, .count, .total');
    });

    it.each([
      ['overlay', (id: string) => `${site.relayUrl}/overlay/${id}?speed=0`],
      ['widget', (id: string) => site.pageWith(`<poll-results poll="${id}"></poll-results>`)],
      ['presenter’s screen', (id: string) => `${site.relayUrl}/overlay/${id}?style=host`],
    ])('(%s) keeps its results while the relay is down, and catches up by itself', async (_, urlOf) => {
      const { id } = await site.create();
      await site.cast(id, 0, 321);
      await page.open(urlOf(id));
      await shows(page, '321');
      await site.stopRelay();
      await site.cast(id, 0, 333);
      expect(await textOf(page)).toContain('321');
      await site.startRelay();
      await shows(page, '654');
    });
  });

  describe('the desk', () => {
    let site: LiveSite;
    beforeAll(async () => {
      site = await startLiveSite({ proofCost: 1 });
      await openPages({ width: 1280, height: 720 });
    });
    afterAll(async () => {
      await page?.close();
      await site?.close();
    });

    const press = (key: string) =>
      page.run(
        `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: args[0], bubbles: true, cancelable: true }))`,
        key,
      );
    const click = (selector: string) => page.run(`document.querySelector(args[0]).click()`, selector);
    /** A key is active once the desk has read the state that the last command changed. */
    const offers = (step: string, label: string) =>
      until(
        () =>
          page.run<boolean>(
            `const key = document.querySelector('[data-step=' + args[0] + ']');
             return key.getAttribute('aria-disabled') === 'false' && key.innerText.includes(args[1]) && !document.querySelector('[data-sent]')`,
            step,
            label,
          ),
        `the key “${label}”`,
        PATIENCE_MS,
      );
    const add = async (line: string, isHidden: boolean) => {
      await page.run(
        `const line = document.querySelector('#add-line'); line.value = args[0]; line.form.elements.hidden.checked = args[1];
         line.dispatchEvent(new Event('input', { bubbles: true })); line.form.requestSubmit();`,
        line,
        isHidden,
      );
      await shows(page, line.split(' |')[0]!);
    };

    it('adds polls, takes them, reveals, opens and closes, by key and by click, and looks as in Chromium', async () => {
      const show = await takeShow(site.relay);
      await open(`${site.url}/desk/${show.name}#key=${show.key}`);
      await shows(page, en.desk.emptyRunDown);
      const { next, take, open: opens, close, reveal, hide } = en.desk.steps;
      await add('Best song? | Waterloo | Volare', true);
      await add('Best singer? | Ann | Bob', false);
      const onAirIs = (title: string) =>
        until(
          async () => {
            const id: string | null = (await show.get()).json.on_air;
            return id !== null && (await site.engine.polls.find(id))?.poll.title === title;
          },
          `“${title}” on air`,
          PATIENCE_MS,
        );
      await offers('next', next);
      await press('n');
      await onAirIs('Best song?');
      const id: string = (await show.get()).json.on_air;
      const resultsArePublic = (wanted: boolean) =>
        until(
          async () => (await fetch(`${site.relay.url}/api/poll/${id}`)).ok === wanted,
          wanted ? 'public results' : 'hidden results',
          PATIENCE_MS,
        );
      const statusIs = (status: string) =>
        until(async () => (await site.engine.polls.find(id))?.results.status === status, status, PATIENCE_MS);
      await offers('open', opens);
      await press('o');
      await statusIs('open');
      await offers('open', close);
      await offers('results', reveal);
      // Twice, because voting is open.
      await press('r');
      await shows(page, en.desk.confirmReveal);
      await press('r');
      await resultsArePublic(true);
      await offers('results', hide);
      await click('[data-step=results]');
      await resultsArePublic(false);
      await offers('results', reveal);
      await click('[data-step=open]');
      await statusIs('closed');
      await click('[data-poll]:last-child .choose');
      await offers('take', take);
      await until(
        () => page.run<boolean>(`return !document.querySelector('[data-settling]')`),
        'a settled desk',
      );
      await click('[data-step=take]');
      await onAirIs('Best singer?');
      await shows(reference, 'Best singer?');
      await looksLike(page, reference, '[data-step], [data-picture], .rundown');
    });
  });
});
