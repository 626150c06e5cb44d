import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { darkVariables, pageVariables } from '../row/row-look.ts';

/** The letters of our languages. With the other files of the font a page would weigh too much: what they have is drawn by the stack. */
const FACES = /@font-face \{[^}]*url\(\.\/inter-(?:cyrillic|latin|latin-european)\.\w+\.woff2\)[^}]*\}/g;

/** Each is one file on the wire; later parts may override earlier ones. */
const SHEETS: Readonly<Record<string, readonly string[]>> = {
  'voting.css': ['base', 'form', 'results', 'creator'],
  'desk.css': ['desk'],
  'show-share.css': ['show-share'],
};

/** Moves scripts of the voting pages to `voting/assets`, with their styles, under names that change with the content. */
export async function buildPageAssets(source: string, target: string): Promise<void> {
  const folder = join(target, 'voting', 'assets');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: Buffer | string) => {
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 10);
    writeFileSync(join(folder, name.replace(/(?=\.\w+$)/, `.${hash}`)), content);
  };
  const scripts = join(target, 'voting', 'browser');
  for (const name of readdirSync(scripts).filter(file => file.endsWith('.js'))) {
    write(name, readFileSync(join(scripts, name)));
    rmSync(join(scripts, name));
  }
  for (const [name, parts] of Object.entries(SHEETS)) {
    const styles = parts.map(part =>
      readFileSync(join(source, 'voting', 'page', 'style', `${part}.css`), 'utf8'),
    );
    const sheet = [...(name === 'voting.css' ? [fontFaces(target), rowStyle(source)] : []), ...styles].join(
      '\n',
    );
    write(name, (await transform(sheet, { loader: 'css', minify: true })).code);
  }
}

/** Text is read before the font is there. Browsers load only the files whose letters they meet. */
function fontFaces(target: string): string {
  const faces = readFileSync(join(target, 'fonts', 'inter.css'), 'utf8').match(FACES);
  if (!faces) throw new Error('No face of the font was found');
  return faces.join('\n').replaceAll('url(./', 'url(/assets/');
}

/** Results look here as they do on air. */
function rowStyle(source: string): string {
  const dark = `@media (prefers-color-scheme: dark) { .rows { ${darkVariables()} } }`;
  return [readFileSync(join(source, 'row', 'row.css'), 'utf8'), `.rows { ${pageVariables()} }`, dark].join(
    '\n',
  );
}
