import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { phrasesPlugin } from './build-locales.ts';

/**
 * Builds the package `tallycast-client` in `dist/client-package`, which the server's package
 * exports as `tallycast/client`.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCE = join(ROOT, 'src', 'client-package');
const TARGET = join(ROOT, 'dist', 'client-package');
const CODE = ['index', 'widget'];
const JSX = ['react', 'preact', 'solid'];
const ENTRIES = [...CODE, ...JSX];
/** Relative imports of `.ts` files, which compilers before 5.7 cannot resolve. */
const IMPORT = /(\bfrom\s+|\bimport\s*\(?\s*)(['"])(\.[^'"]+)\.ts\2/g;

const LINK_TO_SOURCES = /\[([^\]]+)\]\(\.\.[^)]*\)/g;

const types = (name: string) => join(TARGET, 'types', 'client-package', `${name}.d.ts`);

for (const name of readdirSync(TARGET)) if (name !== 'types') rmSync(join(TARGET, name), { recursive: true });

await build({
  entryPoints: CODE.map(name => join(SOURCE, `${name}.ts`)),
  outdir: TARGET,
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  chunkNames: 'chunk-[hash]',
  plugins: [phrasesPlugin({ areas: ['overlay', 'widget'] })],
  logLevel: 'warning',
});

for (const name of JSX) writeFileSync(join(TARGET, `${name}.js`), "export * from './widget.js';\n");

const needed = new Set<string>();
for (const name of ENTRIES) need(types(name));
for (const file of readdirSync(join(TARGET, 'types'), { recursive: true, encoding: 'utf8' }))
  if (file.endsWith('.d.ts') && !needed.has(join(TARGET, 'types', file))) rmSync(join(TARGET, 'types', file));
// For compilers that do not read `exports`.
for (const name of ENTRIES)
  writeFileSync(join(TARGET, `${name}.d.ts`), `export * from './types/client-package/${name}.js';\n`);

cpSync(join(SOURCE, 'README.md'), join(TARGET, 'README.md'));
cpSync(join(ROOT, 'LICENSE'), join(TARGET, 'LICENSE'));
cpSync(join(ROOT, 'src', 'protocol', 'PROTOCOL.md'), join(TARGET, 'PROTOCOL.md'));
const changes = readFileSync(join(ROOT, '.github', 'CHANGELOG.md'), 'utf8');
writeFileSync(join(TARGET, 'CHANGELOG.md'), changes.replace(LINK_TO_SOURCES, '$1'));
writeFileSync(join(TARGET, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);

/** Keeps these types and their imports, with endings that every compiler resolves. */
function need(file: string): void {
  if (needed.has(file) || !existsSync(file)) return;
  needed.add(file);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(IMPORT, '$1$2$3.js$2'));
  for (const [, , , path] of text.matchAll(IMPORT)) need(resolve(dirname(file), `${path}.d.ts`));
}

function manifest(): object {
  const { version, license, repository, engines, author, homepage, bugs } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  const entry = (name: string) => ({ types: `./${name}.d.ts`, default: `./${name}.js` });
  const named = ENTRIES.filter(name => name !== 'index').map(name => [`./${name}`, entry(name)]);
  return {
    name: 'tallycast-client',
    version,
    description:
      'Live poll results from a Tallycast relay, in browsers and in Node, and as an element for any page',
    keywords: ['poll', 'live', 'results', 'websocket', 'custom-element'],
    license,
    author,
    repository,
    homepage,
    bugs,
    type: 'module',
    engines,
    main: './index.js',
    types: './index.d.ts',
    exports: { '.': entry('index'), ...Object.fromEntries(named), './package.json': './package.json' },
    // Importing an element registers it.
    sideEffects: ENTRIES.filter(name => name !== 'index').map(name => `./${name}.js`),
  };
}
