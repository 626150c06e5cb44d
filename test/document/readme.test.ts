import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parameters } from '../../src/picture/parameters.ts';
import { settings, settingsTable } from '../../src/start/config.ts';
import { documents, ROOT, readDocument } from './documents.ts';

/** Of tools, of tests, and of what is beside the program. */
const OTHER_VARIABLES = [
  'TALLYCAST_KEY',
  'TALLYCAST_URL',
  'REDIS_SERVER_BIN',
  'NGINX_BIN',
  'BENCH_ENGINE',
  'CADDY_BIN',
  'VARNISHD_BIN',
  'CHROMIUM_BIN',
  'AWAY_MINUTES',
];

/** Links within the repository, with path and anchor: inline, as a reference, and in HTML. */
const LINKS = [
  /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g,
  /^ *\[[^\]]+\]: +(?!https?:)([^#\s]*)(?:#(\S+))?/gm,
  /<[^>]*\b(?:href|src)="(?!https?:)([^"#]*)(?:#([^"]+))?"/g,
];

/** A document without its blocks of code, whose comments look like headings. */
const proseOf = (file: string) => readDocument(file).replace(/^ *```.*?^ *```$/gms, '');

const committed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
}).split('\n');

/** A file, or a folder of some. */
const isCommitted = (path: string) => {
  const name = path.replace(/\/$/, '');
  return committed.some(file => file === name || file.startsWith(`${name}/`));
};

const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');

describe('the documents', () => {
  it('print the table of settings that the code has (npm run readme)', () => {
    expect(readDocument('src/start/README.md')).toContain(
      `<!-- settings -->\n${settingsTable()}\n<!-- /settings -->`,
    );
  });

  it('name every parameter of overlays, and no other', () => {
    const [, section = ''] = readDocument('src/overlay/README.md').split('\n## Parameters\n');
    const list = section.slice(section.indexOf('\n- '), section.indexOf('\n## '));
    const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(named).toEqual(Object.keys(parameters));
  });

  it.each(documents)('%s links to files of the repository and to their headings', file => {
    const prose = proseOf(file);
    const broken = LINKS.flatMap(pattern => [...prose.matchAll(pattern)]).filter(([, path = '', anchor]) => {
      const target = path === '' ? file : join(dirname(file), path);
      return !isCommitted(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('name the commands that package.json has', async () => {
    const { scripts } = JSON.parse(await read('package.json'));
    const lines = documents.flatMap(file => readDocument(file).split('\n'));
    const named = lines.flatMap(line => [...line.matchAll(/\bnpm (?:run ([\w:]+)|(start|test))\b/g)]);
    const used = new Set(named.map(([, run, short]) => run ?? short));
    expect(used.size).toBeGreaterThan(8);
    expect([...used].filter(script => !((script as string) in scripts))).toEqual([]);
  });

  it('name settings that exist', async () => {
    const named = documents.flatMap(file =>
      [...readDocument(file).matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)].map(
        ([, name = '']) => name,
      ),
    );
    const compose = [...(await read('docker-compose.yml')).matchAll(/\$\{(\w+)|^ +([A-Z_]+):$/gm)];
    const composeVariables = compose.map(([, filled, passed]) => filled ?? passed);
    const known = [...Object.keys(settings.shape), ...composeVariables, ...OTHER_VARIABLES];
    expect([...new Set(named)].filter(name => !known.includes(name))).toEqual([]);
  });

  it('say of every dependency what it is for', async () => {
    const { dependencies, optionalDependencies } = JSON.parse(await read('package.json'));
    const rows = [...readDocument('src/README.md').matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)];
    expect(rows.map(([, name]) => name)).toEqual(
      Object.keys({ ...dependencies, ...optionalDependencies }).sort(),
    );
  });
});

/** Anchors as code hosts make them of headings: the second of two equal ones ends in `-1`. */
function anchorsOf(file: string): string[] {
  if (!file.endsWith('.md')) return [];
  const seen = new Map<string, number>();
  return [...proseOf(file).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => {
    const anchor = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
}

describe('the deployment files', () => {
  it('start the image with the command of the README', async () => {
    const dockerfile = await read('Dockerfile');
    expect(dockerfile).toContain('RUN npm ci');
    const { scripts } = JSON.parse(await read('package.json'));
    const [program, ...args] = scripts.start.split(' ');
    expect(dockerfile).toContain(`CMD [${[program, ...args].map(word => `"${word}"`).join(', ')}]`);
    expect(await read('src/start/README.md')).toContain(`\`${scripts.start}\``);
  });
});
