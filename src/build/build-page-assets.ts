import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { darkVariables, pageVariables, withSizes } from '../picture/row-look.ts';

/** The files with the letters of our languages. Other letters use system fonts, to keep pages small. */
const FACES = /@font-face \{[^}]*url\(\.\/inter-(?:cyrillic|latin|latin-european)\.\w+\.woff2\)[^}]*\}/g;

/** Style sheets and their parts; later parts may override earlier ones. */
const SHEETS: Readonly<Record<string, readonly string[]>> = {
  'voting.css': [
    'http/tokens',
    'http/controls',
    'pages/page/base',
    'audience/vote/form',
    'pages/page/results',
  ],
  'faces.css': ['pages/page/faces'],
  'creator.css': ['creator/manage/creator'],
  'ballots.css': ['creator/manage/ballots'],
  'desk.css': ['creator/desk/desk'],
  'show-share.css': ['audience/show/show-share'],
  'present.css': ['audience/present/present'],
};
/** Style sheets of pages that a relay serves. */
const RELAY_SHEETS: Readonly<Record<string, readonly string[]>> = {
  'document/page/page.css': ['http/tokens', 'document/page/page'],
  'overlay/page/builder.css': ['http/tokens', 'http/controls', 'overlay/page/builder'],
};

const HASHED = /\.[0-9a-f]{10}\.\w+$/;

/** Adds a content hash to the names of the voting pages' scripts, and writes the style sheets of all pages. */
export async function buildPageAssets(source: string, target: string): Promise<void> {
  const folder = join(target, 'pages', 'assets');
  const write = (name: string, content: Buffer | string) => {
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 10);
    writeFileSync(join(folder, name.replace(/(?=\.\w+$)/, `.${hash}`)), content);
  };
  const names = readdirSync(folder);
  for (const earlier of names.filter(name => HASHED.test(name))) rmSync(join(folder, earlier));
  for (const name of names.filter(file => !HASHED.test(file))) {
    write(name, readFileSync(join(folder, name)));
    rmSync(join(folder, name));
  }
  const faces = readFileSync(join(target, 'fonts', 'inter.css'), 'utf8');
  const first: Readonly<Record<string, readonly string[]>> = {
    'voting.css': [fontFaces(faces), rowStyle(source)],
    'present.css': [faces],
  };
  for (const [name, parts] of Object.entries(SHEETS))
    write(name, await minified([...(first[name] ?? []), ...stylesOf(source, parts)]));
  for (const [path, parts] of Object.entries(RELAY_SHEETS))
    writeFileSync(join(target, path), await minified(stylesOf(source, parts)));
}

function stylesOf(source: string, parts: readonly string[]): string[] {
  return parts.map(part => readFileSync(join(source, `${part}.css`), 'utf8'));
}

async function minified(styles: readonly string[]): Promise<string> {
  return (await transform(styles.join('\n'), { loader: 'css', minify: true })).code;
}

function fontFaces(sheet: string): string {
  const faces = sheet.match(FACES);
  if (!faces) throw new Error('No face of the font was found');
  return faces.join('\n');
}

function rowStyle(source: string): string {
  const dark = `@media (prefers-color-scheme: dark) { .rows, .faces { ${darkVariables()} } }`;
  return [
    withSizes(readFileSync(join(source, 'picture', 'row.css'), 'utf8')),
    `.rows, .faces { ${pageVariables()} }`,
    dark,
  ].join('\n');
}
