import { execFileSync } from 'node:child_process';
import { ensureProgram } from './system-package.ts';

/** Vitest global setup: makes sure that clocks can be set wrong, or stops the run with what to install. */
export default function setup(): void {
  faketimeLibrary();
}

/** The library that `faketime` loads before a program, so that the offset can be changed while the program runs. */
export function faketimeLibrary(): string {
  const program = ensureProgram(['faketime'], {
    variable: 'FAKETIME_BIN',
    apt: 'faketime',
    brew: 'libfaketime',
    apk: 'libfaketime',
    dnf: 'libfaketime',
  });
  // Where it lies differs with the machine, and the program tells what it loads.
  const script = 'process.stdout.write(process.env.LD_PRELOAD ?? process.env.DYLD_INSERT_LIBRARIES ?? "")';
  const loaded = execFileSync(program, ['-m', '-f', '+0', process.execPath, '-e', script]).toString();
  const library = loaded.split(':').at(-1);
  if (!library) throw new Error(`${program} does not say which library it loads`);
  return library;
}
