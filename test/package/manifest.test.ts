import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const json = (name: string) => JSON.parse(readFileSync(new URL(name, root), 'utf8'));
const manifest = json('package.json');
const lock: Record<string, { engines?: { node?: string }; hasInstallScript?: boolean; integrity?: string }> =
  json('package-lock.json').packages;

/** Programs, and types that the compiler finds by itself. */
const TOOLS = [
  '@biomejs/biome',
  '@types/negotiator',
  '@types/node',
  '@types/qrcode',
  '@types/subset-font',
  '@types/ws',
  'cspell',
  'typescript',
];

function source(folder: string): string {
  const files = readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' });
  const sources = files.filter(name => /\.(ts|mjs)$/.test(name) && name !== 'manifest.test.ts');
  return sources.map(name => readFileSync(new URL(`${folder}/${name}`, root), 'utf8')).join('\n');
}

/** The package is imported, or one of its files is read. */
const names = (text: string, dependency: string) =>
  ["'", '/'].some(end => text.includes(`'${dependency}${end}`));

describe('package.json', () => {
  it('lists no unused dependency', () => {
    const [src, test] = [source('src'), source('test')];
    expect(Object.keys(manifest.dependencies).filter(name => !names(src, name))).toEqual([]);
    const developed = Object.keys(manifest.devDependencies).filter(name => !TOOLS.includes(name));
    expect(developed.filter(name => !names(src + test, name))).toEqual([]);
  });

  it('decides for every install script in the tree whether it runs, so that npm does not ask', () => {
    const scripts = Object.entries(lock).filter(([path, { hasInstallScript }]) => path && hasInstallScript);
    const undecided = scripts
      .map(([path]) => path.replace(/^.*node_modules\//, ''))
      // For another operating system.
      .filter(name => name !== 'fsevents' && !(name in manifest.allowScripts));
    expect(undecided).toEqual([]);
    // No feature needs one.
    expect(Object.values(manifest.allowScripts)).not.toContain(true);
  });

  it('has the hash of every package', () => {
    expect(Object.keys(lock).filter(path => path && !lock[path]!.integrity)).toEqual([]);
  });

  it('has no package in its tree that requires a newer Node.js', () => {
    const [, ours] = /^>=(\d+)/.exec(manifest.engines.node) ?? [];
    const newer = Object.entries(lock).filter(([, { engines }]) => {
      const majors = (engines?.node ?? '').split('||').map(range => Number(/\d+/.exec(range)?.[0] ?? 0));
      return Math.min(...majors) > Number(ours);
    });
    expect(newer.map(([path]) => path)).toEqual([]);
  });
});
