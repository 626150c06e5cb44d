import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { utimesSync, watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `npm run dev`: rebuilds and restarts on every change. The compiler and the program each watch what is theirs. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MAIN = join(ROOT, 'dist', 'main.js');
/** What the compiler does not see: pages, styles, scripts of Redis, and the code of browsers, which is bundled. */
const BUNDLED = /\.(lua|css|html|svg|json)$|^(client|overlay|voting|poll|protocol)\b.*\.ts$/;
/** An editor writes one file several times, a checkout many. */
const PAUSE_MS = 200;
const FAREWELL_MS = 500;

const children = [
  start(join(ROOT, 'node_modules', '.bin', 'tsc'), '-p', 'tsconfig.json', '--watch', '--preserveWatchOutput'),
  start(process.execPath, '--watch', '--watch-preserve-output', MAIN),
];

let timer: NodeJS.Timeout | undefined;
watch(join(ROOT, 'src'), { recursive: true }, (_, name) => {
  if (name === null || !BUNDLED.test(name.replaceAll('\\', '/'))) return;
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
  const { status } = spawnSync(process.execPath, [join(ROOT, 'dist', 'build', 'build-assets.js')], {
    stdio: 'inherit',
  });
  // Assets are read once, at the start.
  if (status === 0) utimesSync(MAIN, new Date(), new Date());
}

function start(program: string, ...args: string[]): ChildProcess {
  return spawn(program, args, { cwd: ROOT, stdio: 'inherit' });
}
