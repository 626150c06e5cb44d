import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type TestShow, takeShow } from '../../support/test-show.ts';
import { type LiveSite, startLiveSite } from '../../voting/voting-site.ts';
import { browserRig } from '../browser-rig.ts';

/** A live site, with desks and other pages in separate browser contexts. `faults` are the console errors of all pages. */
export function deskRig() {
  const rig = browserRig<LiveSite>(() => startLiveSite({ proofCost: 1 }));
  const faults: string[] = [];
  const open = async (url: string, width = 1280, height = 800) => {
    const context = await rig.browser.newContext({ locale: 'en-US', viewport: { width, height } });
    const page = await context.newPage();
    page.on('console', message => message.type() === 'error' && faults.push(message.text()));
    page.on('pageerror', error => faults.push(error.message));
    await page.goto(url);
    return page;
  };
  const desk = async ({ name, key }: TestShow) => {
    const page = await open(`${rig.site.url}/desk/${name}#key=${key}`);
    await page.locator('[data-work]:not([hidden])').waitFor();
    return page;
  };
  const takeDeskShow = async (): Promise<TestShow> => {
    const show = await takeShow(rig.site.relay);
    // As polls that the desk adds.
    return { ...show, addPoll: (poll, headers) => show.addPoll({ mip: true, ...poll }, headers) };
  };
  return Object.assign(rig, { faults, open, desk, takeShow: takeDeskShow });
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

/** Presses a key once the reply to the last press has come: until then the desk takes no other. */
export async function press(desk: Page, key: string): Promise<void> {
  await expect.poll(() => desk.locator('[data-sent]').count()).toBe(0);
  await desk.keyboard.press(key);
}

/** Presses a key of what is on air, once the desk takes it: for a second after a change it does not. */
export async function pressSettled(desk: Page, key: string): Promise<void> {
  await desk.locator('[data-work]:not([data-settling])').waitFor();
  await press(desk, key);
}

/** Stops the clock by which the desk measures its own delays. The returned function moves it on. */
export async function holdClock(desk: Page): Promise<(ms: number) => Promise<void>> {
  await desk.evaluate(() => {
    let nowMs = performance.now();
    performance.now = () => nowMs;
    Object.assign(window, { advance: (ms: number) => (nowMs += ms) });
  });
  return async ms => void (await desk.evaluate(`advance(${ms})`));
}

/** The message line of the desk. */
export async function word(desk: Page): Promise<string> {
  return (await desk.locator('.word').allInnerTexts()).join();
}
