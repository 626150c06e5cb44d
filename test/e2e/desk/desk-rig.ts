import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type TestShow, takeShow } from '../../support/test-show.ts';
import { type LiveSite, startLiveSite } from '../../voting/voting-site.ts';
import { type BrowserRig, browserRig } from '../browser-rig.ts';

/** A live site, with desks and overlays in separate browser contexts. */
export interface DeskRig extends BrowserRig<LiveSite> {
  /** Console errors of all pages. */
  readonly faults: string[];
  takeShow(): Promise<TestShow>;
  desk(show: TestShow, width?: number, height?: number): Promise<Page>;
  open(url: string, width?: number, height?: number): Promise<Page>;
}

export function deskRig(
  open: (browser: Browser) => Promise<LiveSite> = () => startLiveSite({ proofCost: 1 }),
): DeskRig {
  const rig = browserRig<LiveSite>(open);
  const faults: string[] = [];
  const newPage = async (url: string, width = 1280, height = 800) => {
    const context = await rig.browser.newContext({ locale: 'en-US', viewport: { width, height } });
    const page = await context.newPage();
    page.on('console', message => message.type() === 'error' && faults.push(message.text()));
    page.on('pageerror', error => faults.push(error.message));
    await page.goto(url);
    return page;
  };
  return {
    get browser() {
      return rig.browser;
    },
    get site() {
      return rig.site;
    },
    faults,
    takeShow: () => takeShow(rig.site.relay),
    open: newPage,
    async desk(show, width, height) {
      const page = await newPage(`${rig.site.url}/desk/${show.name}#key=${show.key}`, width, height);
      await page.locator('[data-work]:not([hidden])').waitFor();
      return page;
    },
  };
}

/** The rows of the run-down, as `Question / tag / status`. */
export function readRundown(desk: Page): Promise<string[]> {
  return desk
    .locator('[data-rundown] li')
    .evaluateAll(rows =>
      rows.map(row =>
        ['question', 'tag', 'status']
          .map(part => row.querySelector(`.${part}`)?.textContent ?? '')
          .join(' / '),
      ),
    );
}

export async function rundownIs(desk: Page, rows: readonly (string | RegExp)[]): Promise<void> {
  await expect
    .poll(() => readRundown(desk))
    .toEqual(rows.map(row => (typeof row === 'string' ? row : expect.stringMatching(row))));
}

/** The message line of the desk. */
export async function word(desk: Page): Promise<string> {
  return (await desk.locator('.word').allInnerTexts()).join();
}
