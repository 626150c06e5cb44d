import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { utimesSync, watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `npm run dev`: rebuilds and restarts on each change, with the compiler in watch mode for its errors. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MAIN = join(ROOT, 'dist', 'start', 'main.js');
const BUILT = /\.(lua|css|html|svg|json|ts)$/;
const BUILDER = join(ROOT, 'dist', 'build', 'build-assets.js');
/** Editors and checkouts write several times in a row. */
const DEBOUNCE_MS = 200;
const EXIT_AFTER_MS = 500;

const children = [
  start(join(ROOT, 'node_modules', '.bin', 'tsc'), '-p', 'tsconfig.json', '--watch', '--preserveWatchOutput'),
  start(process.execPath, '--watch', '--watch-preserve-output', MAIN),
];

let timer: NodeJS.Timeout | undefined;
watch(join(ROOT, 'src'), { recursive: true }, (_, name) => {
  if (name === null || !BUILT.test(name.replaceAll('\\', '/'))) return;
  clearTimeout(timer);
  timer = setTimeout(bundle, DEBOUNCE_MS);
});

// A terminal signals the children too, other parents do not.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const child of children) child.kill(signal);
    // The file watcher would keep this process alive.
    setTimeout(() => process.exit(0), EXIT_AFTER_MS);
  });

function bundle(): void {
  const { status } = spawnSync(process.execPath, [BUILDER], { stdio: 'inherit' });
  if (status === 0) utimesSync(MAIN, new Date(), new Date());
}

function start(program: string, ...args: string[]): ChildProcess {
  return spawn(program, args, { cwd: ROOT, stdio: 'inherit' });
}
