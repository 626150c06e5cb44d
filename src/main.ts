import { requireOpenFiles } from './start/open-files.ts';
import { boundYoungGarbage } from './start/young-garbage.ts';

/** The program: settings in, servers out. */

try {
  boundYoungGarbage();
  requireOpenFiles();
  // Only now: with too few files to open, not even the modules could be read.
  const { runProgram } = await import('./start/compiled-program.ts');
  await runProgram();
} catch (error) {
  const { message, exitCode = 1 } = error as Error & { exitCode?: number };
  // A worker would wait for its supervisor for ever.
  process.stderr.write(`${message ?? error}\n`, () => process.exit(exitCode));
}
