import { ensureProgram } from './system-package.ts';

/** Vitest global setup: makes sure that there is a Chromium, or stops the run with what to install. */
export default function setup(): void {
  chromiumProgram();
}

export function chromiumProgram(): string {
  return ensureProgram(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'], {
    variable: 'CHROMIUM_BIN',
    apt: 'chromium',
    brew: 'chromium',
    apk: 'chromium',
    dnf: 'chromium',
  });
}
