import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';

interface Program {
  /** Names of one and the same program, the preferred one first. */
  readonly names: readonly string[];
  /** Environment variable with the program's path. */
  readonly variable: string;
}

/**
 * Programs that tests run and npm does not install. Each is also a tag of Vitest: a file with
 * `@module-tag nginx` is skipped where nginx is missing. `.ci/setup` installs all of them on
 * Debian.
 */
export const PROGRAMS = {
  'redis-server': { names: ['redis-server', 'valkey-server'], variable: 'REDIS_SERVER_BIN' },
  caddy: { names: ['caddy'], variable: 'CADDY_BIN' },
  nginx: { names: ['nginx'], variable: 'NGINX_BIN' },
  varnishd: { names: ['varnishd'], variable: 'VARNISHD_BIN' },
  faketime: { names: ['faketime'], variable: 'FAKETIME_BIN' },
  promtool: { names: ['promtool'], variable: 'PROMTOOL_BIN' },
  amtool: { names: ['amtool'], variable: 'AMTOOL_BIN' },
  python3: { names: ['python3'], variable: 'PYTHON_BIN' },
  go: { names: ['go'], variable: 'GO_BIN' },
  'systemd-analyze': { names: ['systemd-analyze'], variable: 'SYSTEMD_ANALYZE_BIN' },
  chromium: {
    // The shell is Chromium without windows, which starts and navigates in a third of the time.
    names: [
      'chromium-headless-shell',
      'chromium',
      'chromium-browser',
      'google-chrome',
      'google-chrome-stable',
    ],
    variable: 'CHROMIUM_BIN',
  },
  firefox: { names: ['firefox-esr', 'firefox'], variable: 'FIREFOX_BIN' },
  WebKitWebDriver: { names: ['WebKitWebDriver'], variable: 'WEBKIT_DRIVER_BIN' },
  Xvfb: { names: ['Xvfb'], variable: 'XVFB_BIN' },
} as const satisfies Record<string, Program>;

export type ProgramName = keyof typeof PROGRAMS;

/** Returns the path of a program, or undefined if it is not installed. */
export function findProgram(name: ProgramName): string | undefined {
  const { names, variable }: Program = PROGRAMS[name];
  const named = process.env[variable];
  if (named) return isExecutable(named) ? named : undefined;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names.flatMap(program => folders.map(folder => join(folder, program))).find(isExecutable);
}

/**
 * Returns the path of a program.
 *
 * @throws Error that says how to provide the program
 */
export function programPath(name: ProgramName): string {
  const path = findProgram(name);
  if (!path) throw new Error(`No ${name}. ${adviceFor(name)}`);
  return path;
}

export function adviceFor(name: ProgramName): string {
  return `Install it or set ${PROGRAMS[name].variable}.`;
}

/** Returns the library that `faketime` preloads, so that a test can change the offset while a program runs. */
export function faketimeLibrary(): string {
  const program = programPath('faketime');
  removeSemaphores();
  // Its path differs between machines.
  const script = 'process.stdout.write(process.env.LD_PRELOAD ?? process.env.DYLD_INSERT_LIBRARIES ?? "")';
  const loaded = execFileSync(program, ['-m', '-f', '+0', process.execPath, '-e', script]).toString();
  const library = loaded.split(':').at(-1);
  if (!library) throw new Error(`${program} does not name its library`);
  return library;
}

const SHARED_MEMORY = '/dev/shm';

/** The library names its semaphore by its process, and a killed one leaves it to a later process of the same id. */
function removeSemaphores(): void {
  for (const file of existsSync(SHARED_MEMORY) ? readdirSync(SHARED_MEMORY) : []) {
    const [, pid] = /faketime_(?:sem|shm)_(\d+)$/.exec(file) ?? [];
    if (pid && !existsSync(`/proc/${pid}`)) rmSync(join(SHARED_MEMORY, file), { force: true });
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
