import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram } from './system-package.ts';

/** Programs of Python that tests run: from its package index, each in an environment of its own below the temporary folder. */

const INSTALL_TIMEOUT_MS = 300_000;

/**
 * @param requirement like `schemathesis==4.32.5`, exactly one version, so that an environment from an earlier run is the same
 * @returns the folder of its programs
 */
export function pythonTool(requirement: string): string {
  const home = join(tmpdir(), 'tallycast-python', requirement);
  const programs = join(home, 'bin');
  const isWhole = join(home, 'whole');
  if (existsSync(isWhole)) return programs;
  process.stderr.write(`installing ${requirement} for the tests\n`);
  rmSync(home, { recursive: true, force: true });
  makeEnvironment(home);
  run(join(programs, 'python'), [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    requirement,
  ]);
  writeFileSync(isWhole, '');
  return programs;
}

function makeEnvironment(folder: string): void {
  const python = ensureProgram(['python3'], {
    variable: 'PYTHON_BIN',
    apt: 'python3',
    brew: 'python',
    apk: 'python3',
    dnf: 'python3',
  });
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
