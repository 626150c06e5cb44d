import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/**
 * The program in a few files: what a relay has to do before it serves after a crash is for a good part to find, read and compile
 * some 370 modules. In place of `dist/main.js` as the compiler left it, and beside it: what is loaded only when it is asked for, the
 * command line, and the engine for programs. Not made small, so that stack traces can be read; each module stands below its name.
 * What this gains stands in src/README.md.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCE = join(ROOT, 'src');
const TARGET = join(ROOT, 'dist');
/** With machine code, which has to lie where its package looks for it. */
const NATIVE = ['lmdb', 'koffi'];
const CHUNK = 'chunk-';
const LICENSE = /^(licen[cs]e|notice)\b/i;
const PACKAGE = /^(.*\/)?node_modules\/(@[^/]+\/)?[^/]+\//;

/** What packages that are no modules take for granted. */
const FOR_COMMON_JS = `import * as module$ from 'node:module';
const require = module$.createRequire(import.meta.url), __dirname = import.meta.dirname;`;

/** Modules that look for files beside them find them where the build left them. */
const ownPlace: Plugin = {
  name: 'own-place',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const place = JSON.stringify(`./${relative(SOURCE, path).replaceAll('\\', '/')}`);
      const source = readFileSync(path, 'utf8');
      return {
        contents: source.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`),
        loader: 'ts',
      };
    });
  },
};

/** `import()` of a package that is no module gives its names in Node, and in a bundle none of them; `require` does in both. */
const byRequire: Plugin = {
  name: 'by-require',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules[\\/].*\.c?js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      return { contents: source.replace(/\bimport\(('[^']+')\)/g, 'Promise.resolve(require($1))') };
    });
  },
};

const common = {
  absWorkingDir: ROOT,
  outdir: TARGET,
  // All in one folder, from which every place is reckoned.
  entryNames: '[name]',
  chunkNames: `${CHUNK}[hash]`,
  bundle: true,
  splitting: true,
  format: 'esm' as const,
  platform: 'node',
  target: 'node20.19',
  plugins: [ownPlace, byRequire],
  metafile: true as const,
  logLevel: 'warning',
} satisfies BuildOptions;

const program = await build({
  ...common,
  entryPoints: [join(SOURCE, 'main.ts'), join(SOURCE, 'cli', 'tallycast.ts')],
  external: NATIVE,
  banner: { js: FOR_COMMON_JS },
});
// Who imports the engine has packages of their own choice beside it.
const library = await build({
  ...common,
  entryPoints: { engine: join(SOURCE, 'engine', 'open-engine.ts') },
  packages: 'external',
});

const outputs = { ...program.metafile.outputs, ...library.metafile.outputs };
const made = new Set(Object.keys(outputs).map(path => join(ROOT, path)));
for (const name of readdirSync(TARGET))
  if (name.startsWith(CHUNK) && !made.has(join(TARGET, name))) rmSync(join(TARGET, name));

writeFileSync(join(TARGET, 'BUNDLED-LICENSE.txt'), licenses(Object.keys(program.metafile.inputs)));

/** What the packages ask to be said wherever their code is. */
function licenses(inputs: readonly string[]): string {
  const packages = new Set(inputs.map(path => PACKAGE.exec(path)?.[0]).filter(path => path !== undefined));
  return [...packages].sort().map(licenseOf).join('\n\n');
}

function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
  const files = readdirSync(join(ROOT, folder)).filter(file => LICENSE.test(file));
  const texts = files.map(file => readFileSync(join(ROOT, folder, file), 'utf8').trim());
  return [`${name} ${version}: ${license}`, ...texts].join('\n\n');
}
