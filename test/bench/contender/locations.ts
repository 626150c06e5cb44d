import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Where things are that are not part of the bundle. */

const root = process.cwd();

/** The build under test: `--dist` takes another one, to compare two. */
export function distFile(...path: string[]): string {
  return join(process.env['BENCH_DIST'] ?? join(root, 'dist'), ...path);
}

/** What `npm start` tells Node. */
export function startFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start.split(' ').filter(word => word.startsWith('--'));
}

export function importDist<M>(...path: string[]): Promise<M> {
  return import(pathToFileURL(distFile(...path)).href) as Promise<M>;
}

export function benchFile(...path: string[]): string {
  return join(root, 'test', 'bench', ...path);
}
