import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** Bundles the script that takes pictures and runs it: Node 20 cannot run TypeScript. */

const here = dirname(fileURLToPath(import.meta.url));
// Inside node_modules, so that what is not bundled is found, and nothing of it is ever committed.
const outfile = join(here, '..', '..', 'node_modules', '.cache', 'tallycast-pictures', 'pictures.mjs');

await build({
  entryPoints: [join(here, 'pictures.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  logLevel: 'warning',
});
await import(pathToFileURL(outfile).href);
