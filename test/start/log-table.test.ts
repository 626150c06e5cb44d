import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));
/** A call of a logger with its arguments, in which parentheses nest twice at most. */
const CALL = /\blog(?:ger)?\.(fatal|error|warn|info|debug)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/g;
/** A message of its own, which Fastify logs. */
const LISTENING = /'([a-z ]+ listening)'/g;
const ROW = /^\| `([^`|]+)` \| (fatal|error|warn|info|debug) \|/gm;

function loggedLines(): string[] {
  const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(path =>
    path.endsWith('.ts'),
  );
  const lines = sources.flatMap(path => {
    const text = readFileSync(join(SRC, path), 'utf8');
    const calls = [...text.matchAll(CALL)].map(([, level, args = '']) => {
      const message = /'([^']+)',?\s*$/.exec(args)?.[1];
      return `${message ?? `${path}: the message is not a literal`} (${level})`;
    });
    const listening = path === 'start/servers.ts' ? [...text.matchAll(LISTENING)] : [];
    return [...calls, ...listening.map(([, message]) => `${message} (info)`)];
  });
  return [...new Set(lines)].sort();
}

it('the table of log lines names every message of the sources with its level, and no other', () => {
  const table = readFileSync(join(SRC, 'metrics/README.md'), 'utf8');
  const rows = [...table.matchAll(ROW)].map(([, message, level]) => `${message} (${level})`);
  expect(rows.sort()).toEqual(loggedLines());
});
