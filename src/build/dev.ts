import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { utimesSync, watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `npm run dev`: rebuilds and restarts on every change. The compiler watches, to say what is wrong; so does the program. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MAIN = join(ROOT, 'dist', 'main.js');
/** What becomes part of a bundle, or is read as it is. */
const BUILT = /\.(lua|css|html|svg|json|ts)$/;
const BUILDERS = ['build-assets.js', 'build-server.js'].map(name => join(ROOT, 'dist', 'build', name));
/** An editor writes one file several times, a checkout many. */
const PAUSE_MS = 200;
const FAREWELL_MS = 500;

const children = [
  start(join(ROOT, 'node_modules', '.bin', 'tsc'), '-p', 'tsconfig.json', '--watch', '--preserveWatchOutput'),
  start(process.execPath, '--watch', '--watch-preserve-output', MAIN),
];

let timer: NodeJS.Timeout | undefined;
watch(join(ROOT, 'src'), { recursive: true }, (_, name) => {
  if (name === null || !BUILT.test(name.replaceAll('\\', '/'))) return;
  clearTimeout(timer);
  timer = setTimeout(bundle, PAUSE_MS);
});

// A terminal tells the children as well; who was started by something else hands it on.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const child of children) child.kill(signal);
    // Its own watcher would keep it.
    setTimeout(() => process.exit(0), FAREWELL_MS);
  });

function bundle(): void {
  const isBuilt = (file: string) => spawnSync(process.execPath, [file], { stdio: 'inherit' }).status === 0;
  // Assets are read once, at the start.
  if (BUILDERS.every(isBuilt)) utimesSync(MAIN, new Date(), new Date());
}

function start(program: string, ...args: string[]): ChildProcess {
  return spawn(program, args, { cwd: ROOT, stdio: 'inherit' });
}
