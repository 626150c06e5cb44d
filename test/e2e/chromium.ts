import { type Browser, chromium } from 'playwright-core';
import { chromiumProgram } from '../support/ensure-chromium.ts';

/** The system's Chromium, with nothing of its own going on. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumProgram(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
