import { type Browser, chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { ensureFont, ensureProgram, type PackageNames } from '../support/system-package.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the Chromium of this run is connected to. */
    chromium: string;
  }
}

/** Fonts for the texts of `picture-matrix.ts` that are in no font of the relay. */
const FONTS: Readonly<Record<string, PackageNames>> = {
  ar: {
    apt: 'fonts-noto-core',
    brew: 'font-noto-sans-arabic',
    apk: 'font-noto-arabic',
    dnf: 'google-noto-sans-arabic-fonts',
  },
  th: {
    apt: 'fonts-noto-core',
    brew: 'font-noto-sans-thai',
    apk: 'font-noto-thai',
    dnf: 'google-noto-sans-thai-fonts',
  },
  ja: {
    apt: 'fonts-droid-fallback',
    brew: 'font-noto-sans-cjk',
    apk: 'font-noto-cjk',
    dnf: 'google-noto-sans-cjk-fonts',
  },
};

/** The system's Chromium, with nothing of its own going on. */
function launchOptions() {
  for (const [language, packages] of Object.entries(FONTS)) ensureFont(language, packages);
  return {
    executablePath: ensureProgram(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'], {
      variable: 'CHROMIUM_BIN',
      apt: 'chromium',
      brew: 'chromium',
      apk: 'chromium',
      dnf: 'chromium',
    }),
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
