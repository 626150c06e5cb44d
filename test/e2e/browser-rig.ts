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

/** The run's Chromium. A connection sees no contexts but its own, and closing it closes those. */
export function connectChromium(): Promise<Browser> {
  return chromium.connect(inject('chromium'));
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
