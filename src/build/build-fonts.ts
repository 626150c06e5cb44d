import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import subsetFont from 'subset-font';

const FACE = /@font-face \{[^}]*url\(\.\/files\/(inter-([a-z-]+)-wght-normal\.woff2)\)[^}]*\}/g;
const RANGE = /unicode-range: ([^;]*);/;

/** The weights in our style sheets. The others are a third of a file. */
const WEIGHTS = { min: 400, max: 800 };

/** Letters of Central and Eastern European languages and Turkish: 15 KB instead of the 85 KB of `latin-ext`. */
const EUROPEAN = 'U+0100-0130,U+0132-0151,U+0154-017F,U+0218-021B,U+1E80-1E85,U+1E9E,U+20BA';

/** Writes Inter into `target`: a file for each group of scripts, with a hash in its name, and `inter.css`. */
export async function buildFonts(target: string): Promise<void> {
  const source = dirname(createRequire(import.meta.url).resolve('@fontsource-variable/inter/index.css'));
  mkdirSync(target, { recursive: true });
  const faces: string[] = [];
  const last: string[] = [];
  const found = readFileSync(join(source, 'index.css'), 'utf8').matchAll(FACE);
  for (const [face, file = '', scripts = ''] of found) {
    const original = readFileSync(join(source, 'files', file));
    const use = (name: string, range?: string) =>
      face
        .replace(`./files/${file}`, `./${name}`)
        .replace("'Inter Variable'", 'Inter')
        .replace(RANGE, rule => (range === undefined ? rule : `unicode-range: ${range};`));
    const own = RANGE.exec(face)?.[1] ?? '';
    if (scripts === 'latin') faces.push(use(await writeSubset(target, 'latin', original, own)));
    else faces.push(use(writeFont(target, scripts, original)));
    // For a letter in two faces, browsers use the later one.
    if (scripts === 'latin-ext')
      last.push(use(await writeSubset(target, 'latin-european', original, EUROPEAN), EUROPEAN));
  }
  if (last.length === 0) throw new Error('Inter has changed: its latin-ext face was not found');
  const sheet = `${[...faces, ...last].join('\n')}\n`;
  writeFileSync(join(target, 'inter.css'), sheet);
  writeFileSync(join(target, 'LICENSE'), readFileSync(join(source, 'LICENSE')));
  for (const name of readdirSync(target))
    if (name.endsWith('.woff2') && !sheet.includes(name)) rmSync(join(target, name));
}

/** Writes a font with the letters of a `unicode-range` in our weights. Takes seconds, so an existing file is kept. */
async function writeSubset(
  target: string,
  scripts: string,
  original: Buffer,
  range: string,
): Promise<string> {
  const recipe = `${range} ${WEIGHTS.min} ${WEIGHTS.max}`;
  const name = nameOf(scripts, Buffer.concat([original, Buffer.from(recipe)]));
  if (existsSync(join(target, name))) return name;
  const options = { targetFormat: 'woff2', variationAxes: { wght: WEIGHTS } } as const;
  writeFileSync(join(target, name), await subsetFont(original, lettersOf(range), options));
  return name;
}

function writeFont(target: string, scripts: string, bytes: Buffer): string {
  const name = nameOf(scripts, bytes);
  writeFileSync(join(target, name), bytes);
  return name;
}

function nameOf(scripts: string, content: Buffer): string {
  return `inter-${scripts}.${createHash('sha256').update(content).digest('hex').slice(0, 10)}.woff2`;
}

/** Converts `U+0041-0043,U+20AC` to `ABC€`. */
function lettersOf(range: string): string {
  const parts = range.split(',').map(part => part.replace('U+', '').split('-'));
  return parts
    .flatMap(([first = '', to = first]) => {
      const from = Number.parseInt(first, 16);
      const end = Number.parseInt(to, 16);
      return Array.from({ length: end - from + 1 }, (_, at) => String.fromCodePoint(from + at));
    })
    .join('');
}
