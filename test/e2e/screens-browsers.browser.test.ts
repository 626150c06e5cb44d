import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import en from '../../src/locales/en.json' with { type: 'json' };
import { drawingStyles } from '../../src/picture/styles.ts';
import { takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { BROWSERS, type DrivenBrowser, type DrivenPage } from './driven-browsers.ts';
import { WidgetSite } from './widget-site.ts';

/**
 * Overlay, widget, desk and the presenter's screen in each engine that a browser source may have:
 * OBS, mimoLive on a Mac, a kiosk. Other tests know Chromium, so here it is what the others are
 * compared with.
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

const INTER_LOADED = `return [...document.fonts].some(({ status }) => status === 'loaded') && document.fonts.status === 'loaded'`;

/** The words beside an overlay's canvas. */
const WORDS = `return [...document.querySelectorAll('.words *')].map(one => one.children.length ? '' : one.textContent);`;
/** The mean red, green, blue and opacity of each tile of the window that an overlay's canvas covers. */
const TILES = `const canvas = document.querySelector('.tallycast canvas');
  const { left, top } = canvas.getBoundingClientRect();
  const tiles = {};
  const { width, height } = canvas;
  if (width === 0) return tiles;
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const name = Math.floor((left + x) / args[0]) + ' ' + Math.floor((top + y) / args[0]);
      const tile = tiles[name] ??= [0, 0, 0, 0];
      const at = 4 * (y * width + x);
      const share = 1 / args[0] / args[0];
      for (const color of [0, 1, 2]) tile[color] += data[at + color] * data[at + 3] / 255 * share;
      tile[3] += data[at + 3] * share;
    }
  return tiles;`;
/** Notes each picture of an overlay's canvas, and when the last one began. */
const WATCH_CANVAS = `window.pictures = new Set();
  let last;
  const look = () => {
    const picture = document.querySelector('canvas').toDataURL();
    if (picture !== last) window.changedMs = performance.now();
    last = picture;
    pictures.add(picture);
    requestAnimationFrame(look);
  };
  look();`;
const REST_MS = 1_000;
const HAS_MOVED = `return pictures.size > 4 && performance.now() - changedMs > ${REST_MS}`;
const TILE_PX = 40;
/** Of 255. An edge that is a few pixels elsewhere stays below it, a bar of another length does not. */
const TILE_SLACK = 50;

interface Drawn {
  readonly name: string;
  readonly text: string;
  readonly box: readonly number[];
}

type Tiles = Readonly<Record<string, readonly number[]>>;
const CLEAR = [0, 0, 0, 0];

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
  await until(async () => (await differences()).length === 0, 'the same picture', PATIENCE_MS).catch(
    () => {},
  );
  expect((await read(page)).length).toBeGreaterThan(1);
  expect(await differences()).toEqual([]);
}

/** Waits until both overlays say the same, and draw it in the same places and colors. */
async function drawsLike(page: DrivenPage, reference: DrivenPage): Promise<void> {
  const both = [page, reference];
  const words = () => Promise.all(both.map(one => one.run<string[]>(WORDS)));
  const differences = async () => {
    const [drawn, expected] = await Promise.all(both.map(one => one.run<Tiles>(TILES, TILE_PX)));
    const names = new Set([...Object.keys(drawn!), ...Object.keys(expected!)]);
    return [...names].flatMap(name => {
      const [one, other] = [drawn![name] ?? CLEAR, expected![name] ?? CLEAR];
      const isOther = one.some((value, at) => Math.abs(value - other[at]!) > TILE_SLACK);
      return isOther ? [`${name}: ${one.map(Math.round)}, in Chromium ${other.map(Math.round)}`] : [];
    });
  };
  await Promise.all(both.map(one => until(() => one.run<boolean>(INTER_LOADED), 'the fonts', PATIENCE_MS)));
  const isAlike = async () => {
    const [said, expected] = await words();
    return said!.join() === expected!.join() && (await differences()).length === 0;
  };
  await until(isAlike, 'the same picture', PATIENCE_MS).catch(() => {});
  const [said, expected] = await words();
  expect(said!.length).toBeGreaterThan(0);
  expect(said).toEqual(expected);
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
      await shows(page, style === 'code' ? id : 'Which song');
      // The address beside a code may have these digits, in its port.
      if (style !== 'code') expect(await textOf(page)).not.toContain('321');
      await drawsLike(page, reference);
      await site.change(id, admin_key, { results_visibility: 'always' });
      if (style !== 'code') await shows(page, '321');
      await site.cast(id, 0, 333);
      if (style !== 'code') await shows(page, '654');
      await drawsLike(page, reference);
    });

    it('moves bars to a new leader, and ends in the picture of Chromium', async () => {
      const { id } = await site.create();
      await site.cast(id, 0, 5);
      await open(`${site.relayUrl}/overlay/${id}?speed=0.25`);
      await shows(page, '100');
      const both = [page, reference];
      for (const one of both) await one.run(WATCH_CANVAS);
      await site.cast(id, 1, 15);
      await Promise.all(both.map(one => shows(one, '75')));
      // The first, the last, and some in between. Pictures of moving bars may be alike by chance.
      await Promise.all(
        both.map(one =>
          until(() => one.run<boolean>(HAS_MOVED), 'rows and bars to move and stop', PATIENCE_MS),
        ),
      );
      await drawsLike(page, reference);
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
      // Presses follow each other faster than an operator's: what the relay makes of that is tested elsewhere.
      site = await startLiveSite({ proofCost: 1 }, { settleMs: 0 });
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
      // Twice, because voting is open. Between the two, no time passes for the desk.
      await page.run('const nowMs = performance.now(); performance.now = () => nowMs;');
      await press('r');
      await shows(page, en.desk.confirmReveal);
      await press('r');
      await page.run('delete performance.now;');
      await resultsArePublic(true);
      await offers('results', hide);
      await click('[data-step=results]');
      await resultsArePublic(false);
      await offers('results', reveal);
      await click('[data-step=open]');
      await statusIs('closed');
      // A press is carried out for what the desk shows.
      await offers('open', opens);
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
