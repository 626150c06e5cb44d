import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programPath } from './programs.ts';

/**
 * Programs that tests run from the package indexes of Python and npm, each in an environment of its
 * own below the temporary folder.
 */

const INSTALL_TIMEOUT_MS = 300_000;

/**
 * @param requirement like `schemathesis==4.32.5`, exactly one version, so that an environment from
 *   an earlier run is the same
 * @returns the folder of its programs
 */
export function pythonTool(requirement: string): string {
  const home = join(tmpdir(), 'tallycast-python', requirement);
  const programs = join(home, 'bin');
  installOnce(home, requirement, () => {
    makeEnvironment(home);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', requirement];
    run(join(programs, 'python'), pip);
  });
  return programs;
}

/**
 * For packages that cannot stand beside the project's own: openapi-typescript needs an older compiler.
 *
 * @param requirements like `typescript@5.9.3`, each exactly one version
 * @returns the folder that holds `node_modules`
 */
export function npmTools(requirements: readonly string[]): string {
  const home = join(tmpdir(), 'tallycast-npm', requirements.join(' ').replaceAll('/', '-'));
  installOnce(home, requirements.join(', '), () => {
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), '{"private": true, "type": "module"}');
    const quietly = ['--silent', '--no-audit', '--no-fund', '--ignore-scripts'];
    run('npm', ['install', '--prefix', home, ...quietly, ...requirements]);
  });
  return home;
}

function installOnce(home: string, what: string, install: () => void): void {
  const isWhole = join(home, 'whole');
  if (existsSync(isWhole)) return;
  process.stderr.write(`installing ${what} for the tests\n`);
  rmSync(home, { recursive: true, force: true });
  install();
  writeFileSync(isWhole, '');
}

function makeEnvironment(folder: string): void {
  const python = programPath('python3');
  try {
    run(python, ['-m', 'venv', folder]);
  } catch (cause) {
    const advice = 'The tests need the module venv of Python: install it (python3-venv on Debian).';
    throw new Error(advice, { cause });
  }
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 2, 2], timeout: INSTALL_TIMEOUT_MS });
}
