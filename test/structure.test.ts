import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../src', import.meta.url));
/** What was asked for, and beside it what a tool looks for there. */
const TOP_LEVEL = [
  ...['package.json', 'tsconfig.json', 'src', 'test', 'docker-compose.yml', 'README.md'],
  ...['.ci', '.dockerignore', '.editorconfig', '.github', '.gitignore', 'Dockerfile', 'LICENSE'],
  ...['biome.json', 'package-lock.json', 'vitest.config.ts'],
];

/**
 * Every room, from the ground up, and what it may import: packages, and rooms above it in this
 * table. A file belongs to the longest path that it begins with. `*` is everything.
 */
const ROOMS: Readonly<Record<string, string>> = {
  locales: 'negotiator',
  metrics: 'node',
  poll: 'node zod',
  protocol: 'node zod poll',
  picture: 'locales poll protocol',
  client: 'poll protocol',
  engine: 'node lru-cache metrics poll',
  'engine/embedded': 'node lmdb lru-cache engine metrics poll',
  'engine/redis': 'node cluster-key-slot ioredis lru-cache engine metrics poll',
  'engine/open-engine.ts': 'engine engine/embedded engine/redis poll',
  audit: 'node lru-cache engine poll',
  http: 'node fastest-levenshtein fastify fastify-plugin ipaddr.js lru-cache negotiator qrcode metrics poll',
  show: 'node zod engine http locales picture poll',
  chat: 'node fastify lru-cache ws zod engine http metrics poll show',
  live: 'node @fastify/websocket fastify koffi zod engine http metrics poll protocol show',
  events: 'node engine http metrics poll protocol show',
  archive: 'node zod audit engine engine/open-engine.ts events poll show',
  still: 'node @napi-rs/canvas lru-cache http locales picture poll',
  api: 'node @fastify/cors fastify fastify-plugin negotiator zod audit engine events http locales picture poll protocol show still',
  document: 'node fastify zod api http live poll protocol',
  'document/browser': '',
  overlay: 'fastify fflate lit-html ograf client http locales picture poll protocol',
  'client-package': 'preact react solid-js client overlay',
  'pages/voter': 'node @fastify/cookie fastify ipaddr.js lru-cache engine http poll',
  'pages/page': 'node fastify engine http locales picture poll',
  'pages/guard':
    'node fastify fastify-plugin ipaddr.js lru-cache engine http metrics poll pages/page pages/voter locales',
  'pages/page/browser': 'client locales poll picture pages/page',
  'pages/human-check': 'node zod engine http poll pages/page pages/voter',
  'pages/services': 'fastify engine http show pages/guard pages/human-check pages/page pages/voter',
  'creator/editor': 'zod locales picture poll pages/page',
  'creator/desk': 'fastify pages/guard pages/page pages/services locales',
  'creator/manage':
    'node fastify engine http locales show poll protocol pages/guard pages/page pages/voter pages/services creator/editor',
  'creator/create':
    'node fastify zod engine http picture poll show pages/guard pages/page pages/voter pages/services locales creator/editor creator/manage',
  'audience/vote':
    'node fastify lru-cache zod engine http locales metrics picture poll protocol show pages/guard pages/human-check pages/page pages/services pages/voter',
  'audience/check':
    'fastify audit engine http locales poll pages/guard pages/page audience/vote pages/services pages/voter',
  'audience/show':
    'node fastify engine http poll show pages/guard pages/page pages/services pages/voter locales',
  'audience/present': 'fastify http locales picture poll show pages/guard pages/page pages/services',
  'creator/create/browser': 'pages/page/browser locales',
  'audience/check/browser': '@noble/ed25519 @noble/hashes audit locales audience/check pages/page/browser',
  'creator/editor/browser': 'pages/page/browser locales picture poll creator/create/browser',
  'creator/manage/browser': 'client poll pages/page pages/page/browser locales creator/editor/browser',
  'creator/desk/browser':
    'lit-html client locales picture poll protocol pages/page pages/page/browser creator/editor creator/editor/browser',
  'audience/show/browser': 'locales poll pages/page pages/page/browser',
  'audience/vote/browser':
    '@noble/hashes altcha-lib client engine poll pages/page pages/page/browser audience/show/browser locales',
  'audience/sign-in':
    'fastify openid-client zod http poll pages/guard pages/page pages/services pages/voter locales',
  start: '*',
  cli: '*',
  build: '*',
};

const IMPORT =
  /^\s*(?:import|export)\b[^;'"]*?from\s*'([^']+)'|^\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm;

function sourceFiles(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.ts'));
}

function roomOf(path: string): string | undefined {
  const rooms = Object.keys(ROOMS).filter(room => path === room || path.startsWith(`${room}/`));
  return rooms.sort((one, other) => other.length - one.length)[0];
}

/** The room or the package of an import. */
function targetOf(path: string, name: string): string | undefined {
  if (name.startsWith('.')) return roomOf(relative(SRC, join(SRC, dirname(path), name)));
  if (name.startsWith('node:')) return 'node';
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Imports that the table does not allow, as `file → room or package`. */
function forbiddenImports(): string[] {
  return sourceFiles().flatMap(path => {
    const room = roomOf(path);
    const allowed = room === undefined ? [] : ROOMS[room]?.split(' ');
    if (allowed?.includes('*')) return [];
    const imports = [...readFileSync(join(SRC, path), 'utf8').matchAll(IMPORT)];
    return imports
      .map(([, from, bare, dynamic]) => targetOf(path, from ?? bare ?? dynamic ?? ''))
      .filter(target => target !== room && !allowed?.includes(target ?? ''))
      .map(target => `${path} → ${target}`);
  });
}

describe('the sources', () => {
  it('have one rule for the names of shows', () => {
    const rules = sourceFiles().filter(path => readFileSync(join(SRC, path), 'utf8').includes('[a-z0-9-]'));
    expect(rules).toEqual(['poll/poll.ts']);
  });

  it('have comments that are read without scrolling, and a line for each constant', () => {
    const long = sourceFiles().flatMap(path =>
      readFileSync(join(SRC, path), 'utf8')
        .split('\n')
        .filter(line => /^\s*(?:\/\/|\/?\*)/.test(line) && line.length > 120 && !line.includes('://'))
        .map(line => `${path}: ${line.trim()}`),
    );
    const wide = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.lua'))
      .flatMap(path =>
        [...readFileSync(join(SRC, path), 'utf8').matchAll(/--\[\[[\s\S]*?\]\]|--.*/g)]
          .flatMap(([comment]) => comment.split('\n'))
          .filter(line => line.length > 120)
          .map(line => `${path}: ${line.trim()}`),
      );
    const packed = sourceFiles().filter(path =>
      /^(?:export )?const \[[A-Z_]+(?:, [A-Z_]+)+\] = \[/m.test(readFileSync(join(SRC, path), 'utf8')),
    );
    const calques = sourceFiles().filter(path =>
      /^\s*(?:\/\*\*|\*|\/\/) Of /m.test(readFileSync(join(SRC, path), 'utf8')),
    );
    expect([long, wide, packed, calques]).toEqual([[], [], ['pages/guard/shared-link.ts'], []]);
  });

  it('import what the table of rooms allows, and nothing else', () => {
    expect(forbiddenImports()).toEqual([]);
  });

  it('have a table of rooms in which each row names rooms above it alone, so that no two import each other', () => {
    const above = new Set<string>();
    const wrong: string[] = [];
    for (const [room, allowed] of Object.entries(ROOMS)) {
      for (const target of allowed.split(' '))
        if (target in ROOMS && !above.has(target)) wrong.push(`${room} → ${target}`);
      above.add(room);
    }
    expect(wrong).toEqual([]);
  });
});

it('the ways through the sources name files that exist', () => {
  const names = [
    ...readFileSync(join(SRC, 'README.md'), 'utf8').matchAll(/`([a-z/0-9-]+\/[a-z0-9-]+\.(?:ts|lua))`/g),
  ];
  const paths = names.map(([, path]) => path as string).filter(path => !path.startsWith('test/'));
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter(path => !existsSync(join(SRC, path)))).toEqual([]);
});

it('the top level holds what was asked for and what a tool looks for there, and nothing else', () => {
  const tracked = execFileSync('git', ['ls-files'], { cwd: dirname(SRC), encoding: 'utf8' })
    .trim()
    .split('\n');
  const names = new Set(tracked.map(path => path.split('/')[0]));
  expect([...names].sort()).toEqual([...TOP_LEVEL].sort());
});

it('each test of Redis names the program that it needs, so that it is skipped without it', () => {
  const test = dirname(fileURLToPath(import.meta.url));
  const untagged = readdirSync(test, { recursive: true, encoding: 'utf8' }).filter(
    path =>
      path.endsWith('.redis.test.ts') &&
      !readFileSync(join(test, path), 'utf8').startsWith('// @module-tag '),
  );
  expect(untagged).toEqual([]);
});
