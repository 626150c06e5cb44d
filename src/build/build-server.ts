import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/**
 * Bundles the program, the command line and the engine into a few files, which halves the time of a start; see src/README.md. Not
 * minified, so that stack traces are readable.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCE = join(ROOT, 'src');
const TARGET = join(ROOT, 'dist');
/** Native modules, which stay in node_modules. */
const NATIVE = ['lmdb', 'koffi', '@napi-rs/canvas'];
const CHUNK = 'chunk-';
const ENGINE_TYPES = [
  'engine/open-engine.d.ts',
  'engine/engine.d.ts',
  'poll/ballot.d.ts',
  'poll/poll.d.ts',
  'poll/chat-platform.d.ts',
  'poll/poll-change.d.ts',
];
const LICENSE = /^(licen[cs]e|notice)\b/i;
const PACKAGE = /^(.*\/)?node_modules\/(@[^/]+\/)?[^/]+\//;

/** Variables that CommonJS packages expect. */
const FOR_COMMON_JS = `import * as module$ from 'node:module';
const require = module$.createRequire(import.meta.url), __dirname = import.meta.dirname;`;

/** Makes `import.meta.url` point to the module's own folder in `dist`, so that it finds its files. */
const ownUrl: Plugin = {
  name: 'own-url',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const url = JSON.stringify(`./${relative(SOURCE, path).replaceAll('\\', '/')}`);
      const source = readFileSync(path, 'utf8');
      return {
        contents: source.replaceAll('import.meta.url', `new URL(${url}, import.meta.url).href`),
        loader: 'ts',
      };
    });
  },
};

/** `import()` of a CommonJS package lacks named exports in a bundle; `require` has them. */
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
  entryNames: '[name]',
  chunkNames: `${CHUNK}[hash]`,
  bundle: true,
  splitting: true,
  format: 'esm' as const,
  platform: 'node',
  target: 'node20.19',
  plugins: [ownUrl, byRequire],
  metafile: true as const,
  logLevel: 'warning',
} satisfies BuildOptions;

const program = await build({
  ...common,
  entryPoints: ['start/main.ts', 'cli/tallycast.ts', 'still/still-worker.ts'].map(file => join(SOURCE, file)),
  external: NATIVE,
  banner: { js: FOR_COMMON_JS },
});
// Programs that import the engine bring its packages.
const library = await build({
  ...common,
  entryPoints: { engine: join(SOURCE, 'engine', 'open-engine.ts') },
  packages: 'external',
});

const outputs = { ...program.metafile.outputs, ...library.metafile.outputs };
const made = new Set(Object.keys(outputs).map(path => join(ROOT, path)));
for (const name of readdirSync(TARGET))
  if (name.startsWith(CHUNK) && !made.has(join(TARGET, name))) rmSync(join(TARGET, name));

writeCommonJs();
writeFileSync(join(TARGET, 'BUNDLED-LICENSE.txt'), licenses(Object.keys(program.metafile.inputs)));

/** With `module: node16`, compilers let CommonJS files import only what has types of CommonJS files. */
function writeCommonJs(): void {
  const folder = join(TARGET, 'cjs');
  rmSync(folder, { recursive: true, force: true });
  for (const path of ENGINE_TYPES) cpSync(join(TARGET, path), join(folder, path));
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  writeFileSync(join(folder, 'engine.js'), "module.exports = require('../engine.js');\n");
}

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
