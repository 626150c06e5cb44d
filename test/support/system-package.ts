import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs and fonts that tests need and npm does not have: found, or fetched with the machine's package manager. */

/** Name of the package, by package manager. */
export interface PackageNames {
  readonly apt: string;
  readonly brew: string;
  readonly apk: string;
  readonly dnf: string;
}

export interface ProgramSources extends PackageNames {
  /** Environment variable that names the program outright. */
  readonly variable: string;
}

type Manager = 'apt' | 'brew' | 'apk' | 'dnf';

const INSTALL_TIMEOUT_MS = 600_000;
// Debian starts the services of what it installs, unless it believes to be going down: RUNLEVEL=1 says so.
const QUIETLY = ['env', 'RUNLEVEL=1', 'DEBIAN_FRONTEND=noninteractive'];
const MANAGERS: readonly {
  name: Manager;
  program: string;
  asRoot: boolean;
  steps(name: string): string[][];
}[] = [
  {
    name: 'apt',
    program: 'apt-get',
    asRoot: true,
    steps: name => [
      ['apt-get', 'update'],
      ['apt-get', 'install', '--yes', '--no-install-recommends', name],
    ],
  },
  { name: 'apk', program: 'apk', asRoot: true, steps: name => [['apk', 'add', name]] },
  { name: 'dnf', program: 'dnf', asRoot: true, steps: name => [['dnf', 'install', '--assumeyes', name]] },
  { name: 'brew', program: 'brew', asRoot: false, steps: name => [['brew', 'install', name]] },
];

/**
 * @param programs names of one and the same program, the best first
 * @returns the path of the first that runs
 * @throws Error with what to install, if it is missing and can't be installed
 */
export function ensureProgram(programs: readonly string[], sources: ProgramSources): string {
  const named = process.env[sources.variable];
  if (named) {
    if (isExecutable(named)) return named;
    throw new Error(`${sources.variable} names ${named}, which cannot be executed.`);
  }
  const wanted = programs.join(' or ');
  const advice = `Install it, or set ${sources.variable} to where it is.`;
  return ensure(wanted, () => findProgram(programs), sources, advice);
}

/**
 * Makes sure that browsers can draw a language. macOS and Windows bring the fonts of all languages.
 *
 * @param language as fontconfig names it
 * @throws Error with what to install, if there is no font and none can be installed
 */
export function ensureFont(language: string, packages: PackageNames): void {
  if (process.platform !== 'linux') return;
  const everywhere = { apt: 'fontconfig', brew: 'fontconfig', apk: 'fontconfig', dnf: 'fontconfig' };
  const program = ensureProgram(['fc-list'], { variable: 'FC_LIST_BIN', ...everywhere });
  const find = () => execFileSync(program, [`:lang=${language}`, 'family'], { encoding: 'utf8' }).trim();
  ensure(`a font for the language "${language}"`, find, packages, 'Install one.');
}

/** Returns what `find` finds, if need be after an installation. @param advice where there is no package manager */
function ensure(
  wanted: string,
  find: () => string | undefined,
  packages: PackageNames,
  advice: string,
): string {
  const present = find();
  if (present) return present;

  const manager = MANAGERS.find(({ program }) => findProgram([program]));
  if (!manager) throw new Error(`The tests need ${wanted}. ${advice}`);

  const name = packages[manager.name];
  const step = `The tests need ${wanted}. Install the package ${name} with ${manager.program}`;
  const root = manager.asRoot ? rootPrefix() : [];
  if (!root) throw new Error(`${step}: this user may not.`);
  process.stderr.write(`Missing ${wanted}: installing ${name} with ${manager.program}\n`);
  for (const command of manager.steps(name)) run([...root, ...QUIETLY, ...command], step);

  const installed = find();
  if (!installed) throw new Error(`${step}: after an installation that seemed to work there is still none.`);
  return installed;
}

function findProgram(programs: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return programs.flatMap(program => folders.map(folder => join(folder, program))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What makes a command run as root: nothing, sudo without a question, or undefined where neither works. */
function rootPrefix(): string[] | undefined {
  if (process.getuid?.() === 0) return [];
  return spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0 ? ['sudo', '-n'] : undefined;
}

function run(command: readonly string[], advice: string): void {
  const [program = '', ...args] = command;
  try {
    execFileSync(program, args, { stdio: ['ignore', 2, 2], timeout: INSTALL_TIMEOUT_MS });
  } catch (cause) {
    throw new Error(`${advice}: "${command.join(' ')}" failed.`, { cause });
  }
}
