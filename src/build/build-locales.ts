import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Plugin } from 'esbuild';
import { withEnglish } from '../locales/catalogues.ts';

/** Checks the catalogues of `src/locales`, and adds the phrases that a bundle needs. */

const CATALOGUE = /[\\/]locales[\\/]\w+\.json$/;
const PLURAL = /_(?:zero|one|two|few|many|other)$/;
const PLACEHOLDER = /\{\{(\w+)\}\}/g;

type Tree = { readonly [key: string]: string | Tree };

function readCatalogue(file: string): Tree {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Replaces `en.json` by another language. @param areas top-level keys to keep, for bundles with all languages */
export function phrasesPlugin({ language = 'en', areas }: { language?: string; areas?: string[] }): Plugin {
  return {
    name: 'phrases',
    setup: ({ onLoad }) => {
      onLoad({ filter: CATALOGUE }, ({ path }) => {
        const own = readCatalogue(path.replace(/\ben\.json$/, `${language}.json`));
        const filled = withEnglish(own, readCatalogue(path.replace(/\w+\.json$/, 'en.json')));
        const wanted = Object.entries(areas ? own : filled).filter(([area]) => areas?.includes(area) ?? true);
        return { contents: JSON.stringify(Object.fromEntries(wanted)), loader: 'json' };
      });
    },
  };
}

/**
 * @param isRelease a release has each phrase in each language; before, those that are missing are in English
 * @throws Error if a key is unknown or unused, a placeholder differs from English, or a plural lacks `_other`
 */
export function checkCatalogues(source: string, isRelease: boolean): void {
  const folder = join(source, 'locales');
  const english = phrasesOf(readCatalogue(join(folder, 'en.json')));
  const files = readdirSync(folder).filter(file => file.endsWith('.json'));
  const faults = files.flatMap(file =>
    faultsOf(phrasesOf(readCatalogue(join(folder, file))), english, isRelease).map(
      fault => `${file}: ${fault}`,
    ),
  );
  const unused = unusedKeys([...english.keys()], source).map(key => `en.json: no source uses ${key}`);
  if (faults.length + unused.length > 0) throw new Error(['src/locales', ...faults, ...unused].join('\n'));
}

function phrasesOf(tree: Tree, parent = ''): Map<string, Map<string, string>> {
  const phrases = new Map<string, Map<string, string>>();
  for (const [key, value] of Object.entries(tree)) {
    const path = `${parent}${key}`;
    if (typeof value !== 'string') {
      for (const [inner, forms] of phrasesOf(value, `${path}.`)) phrases.set(inner, forms);
      continue;
    }
    const [rule = ''] = PLURAL.exec(key) ?? [];
    const name = path.slice(0, path.length - rule.length);
    phrases.set(name, (phrases.get(name) ?? new Map()).set(rule, value));
  }
  return phrases;
}

type Forms = ReturnType<typeof phrasesOf>;

function faultsOf(own: Forms, english: Forms, isRelease: boolean): string[] {
  const absent = isRelease ? [...english.keys()].filter(key => !own.has(key)) : [];
  const missing = absent.map(key => `${key} is missing`);
  const faults = [...own].flatMap(([key, forms]) => {
    const original = english.get(key);
    if (!original) return [`${key} is not in en.json`];
    const isPlural = original.has('_other');
    if (isPlural !== forms.has('_other') || (forms.size > 1 && !isPlural))
      return [`${key} ${isPlural ? 'lacks' : 'is not a plural, but has'} _other`];
    const wanted = placeholdersOf(original.get('_other') ?? original.get('') ?? '');
    return [...forms]
      .filter(([rule, text]) => {
        const found = placeholdersOf(text);
        // "One vote" needs no number.
        const isOneNumber = /_(?:zero|one|two)$/.test(rule) && found === '';
        return text.trim() === '' || (found !== wanted && !isOneNumber);
      })
      .map(([rule, text]) => `${key}${rule} is empty or has other placeholders than ${wanted}: ${text}`);
  });
  return [...missing, ...faults];
}

function placeholdersOf(text: string): string {
  return [...text.matchAll(PLACEHOLDER)]
    .map(([placeholder]) => placeholder)
    .sort()
    .join(' ');
}

/** A key is used if a source contains each part of its path as a property, a string or a name in braces. */
function unusedKeys(keys: readonly string[], source: string): string[] {
  const code = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter(file => /\.(?:ts|html)$/.test(file) && basename(file) !== 'build-locales.ts')
    .map(file => readFileSync(join(source, file), 'utf8'))
    .join('\n');
  const used = new Set([...code.matchAll(/(?:[.'{,|]\s*)([\w-]+)/g)].map(([, name]) => name));
  return keys.filter(key => !key.split('.').every(part => used.has(part)));
}
