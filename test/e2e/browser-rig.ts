import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { launchChromium } from './chromium.ts';

/** What the pages of a test come from. */
interface Site {
  close(): void | Promise<void>;
}

export interface BrowserRig<S extends Site> {
  readonly browser: Browser;
  readonly site: S;
}

/** A Chromium and a site for the tests of one file. Both are there from the first test on; pages last one test. */
export function browserRig<S extends Site>(open: (browser: Browser) => Promise<S>): BrowserRig<S> {
  const rig: { browser?: Browser; site?: S } = {};
  beforeAll(async () => {
    rig.browser = await launchChromium();
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
