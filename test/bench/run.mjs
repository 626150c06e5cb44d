import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** Bundles the benchmarks and runs them: Node 20 cannot run TypeScript, and a loader would slow what is measured. */

const bench = dirname(fileURLToPath(import.meta.url));
const root = join(bench, '..', '..');
// Inside node_modules, so that what is not bundled is found, and nothing of it is ever committed.
const outdir = join(root, 'node_modules', '.cache', 'tallycast-bench');

const processes = readdirSync(bench, { recursive: true })
  .filter(file => file.endsWith('.process.ts'))
  .map(file => join(bench, file));

await build({
  entryPoints: [join(bench, 'main.ts'), ...processes],
  outdir,
  entryNames: '[name]',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  logLevel: 'warning',
});
process.env.BENCH_ROOT = root;
await import(pathToFileURL(join(outdir, 'main.mjs')).href);
