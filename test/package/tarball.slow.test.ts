import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deadLinks, type Packed, packageFaults, packPackage, ROOT } from './packed.ts';

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"\n]+)['"]/g;
/** Excludes other quoted text. */
const PACKAGE = /^(@[a-z][\w.-]*\/)?[a-z][\w./-]*$/;
const BUILT_IN = /^node:/;

let packed: Packed;

beforeAll(async () => {
  packed = await packPackage();
});

afterAll(() => packed.remove());

const inside = (path: string) => path.replace(/^\.\//, '');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Returns all files that the entries import, directly or not, and the names of other packages. */
function closureOf(entries: readonly string[]): {
  readonly files: Set<string>;
  readonly others: Set<string>;
} {
  const files = new Set<string>();
  const others = new Set<string>();
  const visit = (path: string) => {
    if (files.has(path)) return;
    files.add(path);
    // Without examples in comments.
    const source = read(path).replace(/\/\*[\s\S]*?\*\//g, '');
    for (const [, name = ''] of source.matchAll(IMPORT)) {
      if (!/^\.\.?\//.test(name)) others.add(name);
      else if (path.endsWith('.d.ts'))
        visit(posix.join(posix.dirname(path), name).replace(/\.[jt]s$/, '.d.ts'));
      else visit(posix.join(posix.dirname(path), name));
    }
  };
  entries.forEach(visit);
  return { files, others };
}

interface Exported {
  readonly types: string;
  readonly default: string;
}
const exported = Object.values<string | Exported>(manifest.exports).filter(
  entry => typeof entry === 'object',
);
const TYPES = exported.map(({ types }) => inside(types));

/** Started as a thread, not imported. */
const WORKER = 'dist/still/still-worker.js';
/** For browsers: the build bundles it into pages. */
const BUNDLED = 'altcha-lib';

describe('the package', () => {
  it('contains every module that its programs and exports import, and no part of the build', () => {
    const entries = [...Object.values<string>(manifest.bin), ...exported.map(entry => entry.default), WORKER];
    const { files } = closureOf(entries.map(inside));
    expect([...files].filter(path => !packed.files.includes(path))).toEqual([]);
    expect(packed.files.filter(path => path.startsWith('dist/build/'))).toEqual([]);
  });

  it('depends on what its programs import, and on nothing else', () => {
    const { others } = closureOf([...Object.values<string>(manifest.bin).map(inside), WORKER]);
    const imported = [...others].filter(name => PACKAGE.test(name) && !isBuiltin(name));
    const names = imported.map(name => /^(@[^/]+\/)?[^/]+/.exec(name)![0]);
    const listed = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
    expect([...new Set(names)].sort()).toEqual(listed.filter(name => name !== BUNDLED).sort());
  });

  it('holds the types that its exports reach; they need no other package', () => {
    const { files, others } = closureOf(TYPES);
    expect([...others].filter(name => !BUILT_IN.test(name))).toEqual([]);
    expect([...files].filter(path => !packed.files.includes(path))).toEqual([]);
  });

  it('contains every document that its types mention', () => {
    const types = [...closureOf(TYPES).files];
    const cited = types.flatMap(path =>
      [...read(path).matchAll(/\b(\w+\.md)\b|\bcontract\b/g)].map(([word]) => word),
    );
    const held = packed.files.map(path => posix.basename(path));
    expect(cited.filter(word => !held.includes(word))).toEqual([]);
  });

  it('contains what its documents link to', () => {
    expect(deadLinks(packed)).toEqual([]);
  });

  it('contains no leftovers of tools', () => {
    const known =
      /^src\/(?:deploy|examples)\/|^docker-compose\.yml$|\.(js|d\.ts|css|html|svg|png|webp|ico|woff2|lua|md|json)$|\b(LICENSE(\.txt)?|NOTICE)$/;
    expect(packed.files.filter(path => !known.test(path))).toEqual([]);
  });

  it('has no findings of publint or arethetypeswrong', async () => {
    expect(await packageFaults(packed.tarball)).toEqual([]);
  });
});
