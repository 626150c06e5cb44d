import { ensureProgram } from './system-package.ts';

/** Vitest global setup: makes sure that Go can be run, or stops the run with what to install. */
export default function setup(): void {
  goProgram();
}

export function goProgram(): string {
  return ensureProgram(['go'], {
    variable: 'GO_BIN',
    apt: 'golang-go',
    brew: 'go',
    apk: 'go',
    dnf: 'golang',
  });
}
