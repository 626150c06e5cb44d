import { cpSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** What the compiler leaves behind: bundles for browsers, and files that are read as they are. */

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const SOURCE = join(ROOT, 'src');
const TARGET = join(ROOT, 'dist');
const COPIED = /\.(lua|css|html|svg|json|txt)$/;
const ENTRY = /\.entry\.ts$/;

/** OBS 27 to 32 run Chromium 103 and newer; phones bring Safari. */
const BROWSERS = ['chrome103', 'safari15.4', 'firefox102'];

const files = readdirSync(SOURCE, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(entry => join(entry.parentPath, entry.name));

for (const file of files)
  if (COPIED.test(file) && basename(file) !== 'tsconfig.json')
    cpSync(file, join(TARGET, relative(SOURCE, file)));

const bundles = files
  .filter(file => ENTRY.test(file))
  .map(file => ({ file, outfile: join(TARGET, relative(SOURCE, file)).replace(ENTRY, '.js') }));
// Pages import the client from the relay in one file; programs get it from the package.
bundles.push({
  file: join(SOURCE, 'client', 'watch-poll.ts'),
  outfile: join(TARGET, 'overlay', 'browser', 'client.js'),
});

await Promise.all(
  bundles.map(({ file, outfile }) =>
    build({
      entryPoints: [file],
      outfile,
      bundle: true,
      minify: true,
      target: BROWSERS,
      // The widget is included by one plain script tag.
      format: basename(file) === 'widget.entry.ts' ? 'iife' : 'esm',
      logLevel: 'warning',
    }),
  ),
);
