import { requireOpenFiles } from './start/open-files.ts';

/** The program: settings in, servers out. */

try {
  requireOpenFiles();
  // Only now: with too few files to open, not even the modules could be read.
  const { run } = await import('./start/run.ts');
  await run();
} catch (error) {
  // A worker would wait for its supervisor for ever.
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`, () => process.exit(1));
}
