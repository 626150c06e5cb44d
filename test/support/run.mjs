import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** Bundles a script and the `*.process.ts` below its folder, and runs it: Node 20 cannot run TypeScript. */

const script = resolve(process.argv[2]);
// Inside node_modules, so that what is not bundled is found, and nothing of it is ever committed.
const outdir = resolve('node_modules', '.cache', 'tallycast', basename(script, '.ts'));
const processes = readdirSync(dirname(script), { recursive: true })
  .filter(file => file.endsWith('.process.ts'))
  .map(file => join(dirname(script), file));

await build({
  entryPoints: [script, ...processes],
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
process.argv.splice(1, 1);
await import(pathToFileURL(join(outdir, `${basename(script, '.ts')}.mjs`)).href);
