import { type Browser, chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { programPath } from '../support/programs.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the Chromium of this run is connected to. */
    chromium: string;
  }
}

/** The system's Chromium, with nothing of its own going on. */
function launchOptions() {
  return {
    executablePath: programPath('chromium'),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  };
}

/** For scripts: a Chromium of their own. Tests share one, see `browserRig`. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch(launchOptions());
}

/** Vitest global setup: one Chromium for all files, or a run that stops with what to install. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer({ ...launchOptions(), host: '127.0.0.1' });
  provide('chromium', server.wsEndpoint());
  return () => server.close();
}
