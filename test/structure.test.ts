import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/**
 * The shape of the house, where the linter does not see it. Which room may import which, and that no two files import each
 * other in a circle, is in biome.json.
 */

const SRC = fileURLToPath(new URL('../src', import.meta.url));
/** What was asked for, and beside it what a tool looks for there. */
const TOP_LEVEL = [
  ...['package.json', 'tsconfig.json', 'src', 'test', 'docker-compose.yml', 'README.md'],
  ...['.ci', '.dockerignore', '.editorconfig', '.github', '.gitignore', 'Dockerfile', 'LICENSE'],
  ...['biome.json', 'package-lock.json', 'vitest.config.ts'],
];
const SMALL = 30;
const MOST_SMALL = 5;
/** Files of under 30 lines with one caller that are better alone, and why. */
const BETTER_ALONE: Record<string, string> = {
  'start/young-garbage.ts':
    'comes before the environment is read and looks into it all the same, which the linter allows by file',
  'voting/browser/derive-key.ts':
    'a test compares it with what Node derives, and its caller is a worker that runs on import',
};
/** Each group of the terminal's commands has a file of its own, however little it says. */
const COMMANDS = 'cli/command/';
/** Each language says each area in a file of its own, however little it says. */
const PHRASES = 'voting/phrase/';
/** Rooms that may import whatever they start, build or command. */
const FREE_ROOMS = ['build', 'start'];
const IMPORT =
  /^\s*(?:import|export)\b[^;'"]*?from\s*'(\.[^']+)'|^\s*import\s*'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'/gm;

interface SourceFile {
  readonly path: string;
  readonly lines: number;
  /** Paths of what it imports of ours, types included. */
  readonly imports: readonly string[];
}

const files: readonly SourceFile[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.ts'))
  .map(readSource);

function readSource(path: string): SourceFile {
  const text = readFileSync(join(SRC, path), 'utf8');
  const named = [...text.matchAll(IMPORT)].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '');
  const imports = named.map(name => relative(SRC, join(SRC, dirname(path), name)));
  return { path, lines: text.split('\n').length - 1, imports };
}

/** The folder of a file inside another one; undefined for what stands loose in it, or outside. */
function roomOf(path: string, folder: string): string | undefined {
  const parts = relative(folder, path).split('/');
  return parts[0] === '..' || parts.length === 1 ? undefined : parts[0];
}

/** Rooms that are left when those that import no room that is left are taken away, again and again. */
function roomsInCircles(folder: string): string[] {
  const arrows = new Map<string, Set<string>>();
  for (const { path, imports } of files) {
    const room = roomOf(path, folder);
    if (room === undefined) continue;
    const known = arrows.get(room) ?? new Set();
    arrows.set(room, known);
    for (const target of imports.map(imported => roomOf(imported, folder)))
      if (target !== undefined && target !== room) known.add(target);
  }
  for (;;) {
    const grounded = [...arrows].find(([, targets]) => ![...targets].some(target => arrows.has(target)));
    if (!grounded) return [...arrows.keys()];
    arrows.delete(grounded[0]);
  }
}

describe('the sources', () => {
  it('have one rule for the names of shows', () => {
    const rules = files.filter(({ path }) => readFileSync(join(SRC, path), 'utf8').includes('[a-z0-9-]'));
    expect(rules.map(({ path }) => path)).toEqual(['poll/name-rules.ts']);
  });

  it.each(['', 'voting', 'transport'])('have no rooms that import each other in a circle: src/%s', folder => {
    expect(roomsInCircles(folder)).toEqual([]);
  });

  it('have nothing loose but what listens and what is listened to', () => {
    expect(files.map(({ path }) => path).filter(path => !path.includes('/'))).toEqual([
      'main.ts',
      'relay.ts',
    ]);
  });

  it('have no room that the linter knows no direction of', () => {
    const { overrides } = JSON.parse(readFileSync(join(SRC, '../biome.json'), 'utf8'));
    const ruled = overrides.flatMap(({ includes }: { includes: string[] }) => includes).join();
    const rooms = new Set(files.map(({ path }) => roomOf(path, '')));
    const unknown = [...rooms].filter(
      room => room && !FREE_ROOMS.includes(room) && !ruled.includes(`src/${room}/`),
    );
    expect(unknown).toEqual([]);
  });

  it(`have no file of under ${SMALL} lines with one caller, but for a few that say why`, () => {
    const callersOf = (path: string) => files.filter(({ imports }) => imports.includes(path)).length;
    const crumbs = files.filter(
      ({ path, lines }) =>
        lines < SMALL &&
        callersOf(path) === 1 &&
        ![COMMANDS, PHRASES].some(folder => path.startsWith(folder)),
    );
    expect(crumbs.map(({ path }) => path).sort()).toEqual(Object.keys(BETTER_ALONE).sort());
    expect(crumbs.length).toBeLessThanOrEqual(MOST_SMALL);
  });
});

it('the top level holds what was asked for and what a tool looks for there, and nothing else', () => {
  const tracked = execFileSync('git', ['ls-files'], { cwd: dirname(SRC), encoding: 'utf8' })
    .trim()
    .split('\n');
  const names = new Set(tracked.map(path => path.split('/')[0]));
  expect([...names].sort()).toEqual([...TOP_LEVEL].sort());
});
