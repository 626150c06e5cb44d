import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { requireOpenFiles } from './start/open-files.ts';
import { boundYoungGarbage } from './start/young-garbage.ts';

/** The program: settings in, servers out. */

/** Keeps what V8 makes of the program for the next start: from Node 22.8 on, and where the folder may be written to. */
const compiled = module as {
  enableCompileCache?: (folder: string) => object;
  flushCompileCache?: () => void;
};

try {
  boundYoungGarbage();
  requireOpenFiles();
  // Beside the program, and not where other users of the machine may write, too.
  compiled.enableCompileCache?.(fileURLToPath(new URL('./compiled', import.meta.url)));
  // Only now: with too few files to open, not even the modules could be read.
  const { readConfig } = await import('./start/config.ts');
  const settings = readConfig();
  // Who comes back after a crash waits for what is still to be loaded, and is not refused.
  const { openEarly } = await import('./start/early-servers.ts');
  const { config, early } = await openEarly(settings);
  const { run } = await import('./start/run.ts');
  await run(config, early);
  // At once: who is killed writes nothing, and has to be back soonest.
  compiled.flushCompileCache?.();
} catch (error) {
  const { message, exitCode = 1 } = error as Error & { exitCode?: number };
  // A worker would wait for its supervisor for ever.
  process.stderr.write(`${message ?? error}\n`, () => process.exit(exitCode));
}
