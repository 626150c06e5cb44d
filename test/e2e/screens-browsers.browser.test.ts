import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import en from '../../src/locales/en.json' with { type: 'json' };
import { takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { BROWSERS, type DrivenBrowser, type DrivenPage } from './driven-browsers.ts';
import { WidgetSite } from './widget-site.ts';

/** Overlay, widget and desk in each engine that a browser source may have: OBS, mimoLive on a Mac, a kiosk. */

const PATIENCE_MS = 40_000;
const FULL_HD = { width: 1920, height: 1080 };

/** The text of a page with its shadow roots, as it is drawn. */
const TEXT = `const textOf = root => [...root.querySelectorAll('*')].map(one => one.shadowRoot ? textOf(one.shadowRoot) : '').join(' ')
  + ' ' + (root.innerText ?? root.textContent);
  return textOf(document.body);`;

const textOf = (page: DrivenPage) => page.run<string>(TEXT).catch(() => '');
const shows = (page: DrivenPage, text: string) =>
  until(async () => (await textOf(page)).includes(text), `“${text}” on the page`, PATIENCE_MS);

describe.each(Object.entries(BROWSERS))('in %s', (_, open) => {
  let browser: DrivenBrowser;
  let page: DrivenPage | undefined;
  beforeAll(async () => {
    browser = await open();
  });
  afterEach(() => page?.close());
  afterAll(() => browser?.close());

  describe('a screen', () => {
    let site: WidgetSite;
    beforeAll(async () => {
      site = await WidgetSite.open();
    });
    afterAll(() => site?.close());

    it.each(['bars', 'columns', 'donut', 'versus', 'ticker'])(
      'draws %s, changes with the votes, and gets the reveal',
      async style => {
        const { id, admin_key } = await site.create({ results_visibility: 'hidden' });
        await site.cast(id, 0, 321);
        page = await browser.newPage(FULL_HD);
        await page.open(`${site.relayUrl}/overlay/${id}?style=${style}&values=count&speed=0`);
        await shows(page, 'Which song');
        expect(await textOf(page)).not.toContain('321');
        await site.change(id, admin_key, { results_visibility: 'always' });
        await shows(page, '321');
        await site.cast(id, 0, 333);
        await shows(page, '654');
      },
    );

    it.each([
      ['overlay', (id: string) => `${site.relayUrl}/overlay/${id}?values=count&speed=0`],
      ['widget', (id: string) => site.pageWith(`<poll-results poll="${id}" values="count"></poll-results>`)],
    ])('(%s) keeps its results while the relay is down, and catches up by itself', async (_, urlOf) => {
      const { id } = await site.create();
      await site.cast(id, 0, 321);
      page = await browser.newPage(FULL_HD);
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
    });
    afterAll(() => site?.close());

    it('adds a poll, puts it on air, opens and closes it', async () => {
      const show = await takeShow(site.relay);
      page = await browser.newPage({ width: 1280, height: 720 });
      await page.open(`${site.url}/desk/${show.name}#key=${show.key}`);
      await shows(page, en.desk.emptyRunDown);
      const { run } = page;
      await run(
        `const line = document.querySelector('#add-line'); line.value = args[0]; line.dispatchEvent(new Event('input', { bubbles: true }));
         line.form.requestSubmit();`,
        'Best song? | Waterloo | Volare',
      );
      await shows(page, 'Best song?');
      const press = (key: string) =>
        run(
          `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: args[0], bubbles: true, cancelable: true }))`,
          key,
        );
      const onAir = async () => (await show.get()).json.on_air as string | null;
      await press('n');
      await until(async () => (await onAir()) !== null, 'a poll on air', PATIENCE_MS);
      const id = (await onAir()) ?? '';
      const statusIs = (status: string) =>
        until(async () => (await site.engine.polls.find(id))?.results.status === status, status, PATIENCE_MS);
      // A key is active once the desk has read the state that its command changes.
      const offers = (label: string) =>
        until(
          () =>
            run<boolean>(
              `const key = document.querySelector('[data-step=open]');
               return key.getAttribute('aria-disabled') === 'false' && key.innerText.includes(args[0])`,
              label,
            ),
          `the key “${label}”`,
          PATIENCE_MS,
        );
      await offers(en.desk.steps.open);
      await press('o');
      await statusIs('open');
      await offers(en.desk.steps.close);
      await press('o');
      await statusIs('closed');
    });
  });
});
