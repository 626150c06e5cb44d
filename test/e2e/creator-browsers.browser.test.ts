import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { BROWSERS, type DrivenBrowser, type DrivenPage } from './driven-browsers.ts';

const PATIENCE_MS = 40_000;

describe.each(['chromium', 'firefox', 'webkit'] as const)('a creator with %s', name => {
  let browser: DrivenBrowser;
  let site: LiveSite;
  let page: DrivenPage | undefined;
  beforeAll(async () => {
    [browser, site] = await Promise.all([BROWSERS[name](), startLiveSite({ proofCost: 1 })]);
  });
  afterEach(() => page?.close());
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  it('comes back to a new poll and its manage link by a reload, by Back, by its address and from home', async () => {
    const driven = await browser.newPage();
    page = driven;
    const isTrue = (expression: string, label: string) =>
      until(() => driven.run<boolean>(`return ${expression}`).catch(() => false), label, PATIENCE_MS);
    // Firefox may fail an address that is opened while a page loads.
    const seesManageLink = (step: string) =>
      isTrue(
        `document.readyState === 'complete' && /#key=admin_/.test(document.querySelector('#copy-manage')?.value ?? '')`,
        `the link: ${step}`,
      );
    await driven.open(`${site.url}/new`);
    // Fields, as a hand fills them, and the press that creates the poll.
    await driven.run(
      `document.querySelector('[name=title]').value = 'Lunch?';
       const answers = document.querySelectorAll('[name=answer]');
       answers[0].value = 'Soup';
       answers[1].value = 'Salad';
       setTimeout(() => document.querySelector('.room button').click());`,
    );
    await isTrue(`/manage$/.test(location.href)`, 'the manage page, without a key in its address');
    await seesManageLink('at first');
    const address = await driven.run<string>('return location.href');
    // The page before shows the link too.
    await driven.run('window.isBefore = true; setTimeout(() => location.reload())');
    await isTrue('window.isBefore === undefined', 'a reload');
    await seesManageLink('reloaded');
    await driven.open(`${site.url}/`);
    await isTrue(
      `document.querySelector('[data-device-polls] a')?.pathname.endsWith('/manage')`,
      'home lists it',
    );
    await driven.run('setTimeout(() => history.back())');
    await isTrue('location.pathname !== "/"', 'Back');
    await seesManageLink('Back');
    await driven.open(address);
    await seesManageLink('by its address');
    await driven.open(`${site.url}/`);
    await isTrue(`document.querySelector('[data-device-polls] a') !== null`, 'the list');
    await driven.run(`setTimeout(() => document.querySelector('[data-device-polls] a').click())`);
    await seesManageLink('from home');
    expect(await driven.run<string>('return location.href')).toBe(address);
  });
});
