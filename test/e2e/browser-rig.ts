import { type Browser, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';

/** What the pages of a test come from. */
interface Site {
  close(): void | Promise<void>;
}

export interface BrowserRig<S extends Site> {
  readonly browser: Browser;
  readonly site: S;
}

/** As long as `expect.poll` waits: a busy machine takes more than Playwright's half a minute. */
const WAIT_MS = 60_000;

/** The run's Chromium. A connection sees no contexts but its own, and closing it closes those. */
export async function connectChromium(): Promise<Browser> {
  const browser = await chromium.connect(inject('chromium'));
  return browser.on('context', context => context.setDefaultTimeout(WAIT_MS));
}

/** A connection to Chromium and a site for the tests of one file, there from the first test on. Pages last one test. */
export function browserRig<S extends Site>(open: (browser: Browser) => Promise<S>): BrowserRig<S> {
  const rig: { browser?: Browser; site?: S } = {};
  beforeAll(async () => {
    rig.browser = await connectChromium();
    rig.site = await open(rig.browser);
  });
  afterEach(async () => {
    for (const context of rig.browser?.contexts() ?? []) await context.close();
  });
  afterAll(async () => {
    await rig.browser?.close();
    await rig.site?.close();
  });
  return rig as BrowserRig<S>;
}
