import { execSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Builds only if a source is newer than the last build. Runs after `npm ci` and before `npm pack`;
 * not as `prepare`, which `npx tallycast` in a checkout runs each time, and breaks if it is
 * interrupted. Plain JavaScript, because it runs before the compiler.
 */

const changedMs = file => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
// What the build writes last.
const builtMs = changedMs(join('dist', 'client-package', 'package.json'));
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).map(file => join('src', file));

if (['package.json', 'tsconfig.json', ...sources].some(file => changedMs(file) > builtMs)) {
  console.error('tallycast: building, which takes some seconds');
  execSync('npm run --silent build', { stdio: ['ignore', 2, 2] });
}
