import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { LANGUAGES } from '../locales/catalogues.ts';
import { buildDocuments } from './build-documents.ts';
import { buildFonts } from './build-fonts.ts';
import { checkCatalogues, phrasesPlugin } from './build-locales.ts';
import { buildPageAssets } from './build-page-assets.ts';

/** Builds what the compiler does not: bundles for browsers, fonts, documents and copied files. */

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const SOURCE = join(ROOT, 'src');
const TARGET = join(ROOT, 'dist');
const COPIED = /\.(lua|css|html|svg|ico|png|json|txt)$/;
const OVERLAY = join(SOURCE, 'overlay');
const ENTRY = /\.entry\.ts$/;
/** The scripts of the voting front end's pages. */
const PAGES = /^(?:audience|creator|pages|overlay\/browser\/present)\b/;

/** OBS 27 to 32 have Chromium 103 and newer; phones have Safari. */
const BROWSERS = ['chrome103', 'safari15.4', 'firefox102'];

checkCatalogues(SOURCE, process.env['RELEASE'] === '1');

// Examples are run as they are, not built.
const files = filesBelow(SOURCE).filter(file => !file.startsWith(join(SOURCE, 'examples')));

for (const file of files)
  if (COPIED.test(file) && basename(file) !== 'tsconfig.json')
    cpSync(file, join(TARGET, relative(SOURCE, file)));

await buildFonts(join(TARGET, 'fonts'));
await buildDocuments(SOURCE, TARGET);

const bundles = files.filter(file => ENTRY.test(file)).map(file => ({ file, outfile: outfileOf(file) }));
// The client in one file, for pages without a build step.
bundles.push({
  file: join(SOURCE, 'client', 'watch-poll.ts'),
  outfile: join(TARGET, 'overlay', 'browser', 'client.js'),
});

await Promise.all(bundles.map(({ file, outfile }) => bundle(file, outfile)));
await buildPageAssets(SOURCE, TARGET);

// Output of deleted sources would be published.
for (const types of readdirSync(SOURCE).flatMap(room => filesBelow(join(TARGET, room)))) {
  const source = join(SOURCE, relative(TARGET, types)).replace(/\.d\.ts$/, '.ts');
  if (!types.endsWith('.d.ts') || existsSync(source)) continue;
  for (const left of [types, types.replace(/\.d\.ts$/, '.js')]) rmSync(left, { force: true });
}

/** Bundles a script. One with English phrases is bundled for each other language as well, as `vote.de.js`. */
async function bundle(file: string, outfile: string): Promise<void> {
  const { inputs } = await bundleIn('en', file, outfile);
  const hasAllLanguages = 'src/locales/catalogues.ts' in inputs;
  if (hasAllLanguages || !('src/locales/en.json' in inputs)) return;
  const others = LANGUAGES.filter(language => language !== 'en');
  await Promise.all(
    others.map(language => bundleIn(language, file, outfile.replace(/\.js$/, `.${language}.js`))),
  );
}

async function bundleIn(language: string, file: string, outfile: string): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: [file],
    outfile,
    bundle: true,
    minify: true,
    metafile: true,
    absWorkingDir: ROOT,
    target: BROWSERS,
    // The widget is loaded by a plain script tag.
    format: basename(file) === 'widget.entry.ts' ? 'iife' : 'esm',
    // Fewer bytes. Modules are UTF-8; the plain script of the widget is what its page is.
    charset: file.startsWith(OVERLAY) ? 'ascii' : 'utf8',
    logLevel: 'warning',
    plugins: [
      phrasesPlugin(
        file.startsWith(OVERLAY) ? { areas: ['overlay', basename(file, '.entry.ts')] } : { language },
      ),
    ],
  });
  return metafile;
}

/** Scripts of the voting pages share a folder, however the pages' own folders are called. */
function outfileOf(file: string): string {
  const path = relative(SOURCE, file).replace(ENTRY, '.js');
  return join(TARGET, PAGES.test(path) ? join('pages', 'assets', basename(path)) : path);
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name));
}
