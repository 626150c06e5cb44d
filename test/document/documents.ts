import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What the project says of itself, taken apart: a test that reads this sees every document that is committed. */

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Block {
  readonly file: string;
  /** The heading that it stands under. */
  readonly heading: string;
  /** Empty for lines of a shell. */
  readonly language: string;
  readonly text: string;
}

export const documents: readonly string[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'],
  { cwd: ROOT, encoding: 'utf8' },
)
  .trim()
  .split('\n');

export const readDocument = (file: string): string => readFileSync(`${ROOT}/${file}`, 'utf8');

export function blocksOf(file: string): Block[] {
  const blocks: Block[] = [];
  let heading = '';
  let open: { language: string; indent: number; lines: string[] } | undefined;
  for (const line of readDocument(file).split('\n')) {
    const fence = /^( *)```(\w*)$/.exec(line);
    if (fence && !open) open = { language: fence[2] ?? '', indent: fence[1]!.length, lines: [] };
    else if (fence && open) {
      blocks.push({ file, heading, language: open.language, text: open.lines.join('\n') });
      open = undefined;
    } else if (open) open.lines.push(line.slice(open.indent));
    else if (line.startsWith('#')) heading = line.replace(/^#+ /, '');
  }
  return blocks;
}
