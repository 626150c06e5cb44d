import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type TestShow, takeShow } from '../../support/test-show.ts';
import { type LiveSite, startLiveSite } from '../../voting/voting-site.ts';
import { browserRig } from '../browser-rig.ts';

/**
 * In a desk: so many seconds more than an operator waits for a reply and a press stays valid. What
 * a lost reply does is tested by routes.
 */
const PATIENCE_S = 30;

/** Runs in the page before its scripts. */
function waitLonger(patienceS: number): void {
  if (!location.pathname.startsWith('/desk')) return;
  const { fetch } = window;
  window.fetch = (url, init) => {
    const headers = new Headers(init?.headers);
    const expires = headers.get('request-expires');
    if (expires !== null) headers.set('request-expires', (Number(expires) + patienceS).toFixed(3));
    return fetch(url, { ...init, headers, signal: AbortSignal.timeout(patienceS * 1_000) });
  };
}

/**
 * A live site, with desks and other pages in separate browser contexts. `faults` are the console
 * errors of all pages.
 *
 * @param settleMs for so long the relay rejects what may be meant for the picture before; the rules of that have tests of their own
 */
export function deskRig(settleMs = 0) {
  const rig = browserRig<LiveSite>(() => startLiveSite({ proofCost: 1 }, { settleMs }));
  const faults: string[] = [];
  const open = async (url: string, width = 1280, height = 800) => {
    const context = await rig.browser.newContext({ locale: 'en-US', viewport: { width, height } });
    await context.addInitScript(waitLonger, PATIENCE_S);
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

/** The rows of the rundown, as `Question / tag / status`. */
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

/** Resolves once the reply to the last press has come. What it changed may be seen before. */
export async function settled(desk: Page): Promise<void> {
  const isSending = async () =>
    (await desk.locator('[data-sent]').count()) > 0 || (await word(desk)).includes('Sending…');
  await expect.poll(isSending).toBe(false);
}

/** Presses a key once the reply to the last press has come: until then the desk takes no other. */
export async function press(desk: Page, key: string): Promise<void> {
  await settled(desk);
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
