import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ensureFont, ensureProgram } from './system-package.ts';

const PROGRAM = 'tallycast-test-program';
const SOURCES = { variable: 'TALLYCAST_TEST_BIN', apt: 'a-package', brew: 'b', apk: 'c', dnf: 'd' };

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tallycast-path-'));
  vi.stubEnv('PATH', folder);
});
afterEach(() => rm(folder, { recursive: true }));

async function addProgram(name: string, script = ''): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

it('takes the first program that is on PATH, or the one that the environment names', async () => {
  const path = await addProgram(PROGRAM);
  expect(ensureProgram(['missing', PROGRAM], SOURCES)).toBe(path);
  const named = await addProgram('elsewhere');
  vi.stubEnv(SOURCES.variable, named);
  expect(ensureProgram([PROGRAM], SOURCES)).toBe(named);
  vi.stubEnv(SOURCES.variable, '/nowhere');
  expect(() => ensureProgram([PROGRAM], SOURCES)).toThrow('TALLYCAST_TEST_BIN names /nowhere');
});

it('gets a program that is missing from the package manager, after an update, and says so', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const log = join(folder, 'log');
  const install = `[ "$1" = update ] || { echo '#!/bin/sh' > ${join(folder, PROGRAM)}; chmod +x ${join(folder, PROGRAM)}; }`;
  await addProgram('apt-get', `echo "$RUNLEVEL $@" >> ${log}\n${install}`);
  await addProgram('sudo', 'shift; exec "$@"');
  vi.stubEnv('PATH', [folder, '/usr/bin', '/bin'].join(delimiter));
  expect(ensureProgram([PROGRAM], SOURCES)).toBe(join(folder, PROGRAM));
  expect(said).toHaveBeenCalledWith(expect.stringContaining(PROGRAM));
  const steps = ['1 update', '1 install --yes --no-install-recommends a-package', ''];
  expect(await readFile(log, 'utf8')).toBe(steps.join('\n'));
});

it.runIf(process.platform === 'linux')('gets a font for a language that no font has', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const fonts = join(folder, 'fonts');
  const log = join(folder, 'log');
  await addProgram('fc-list', `[ ! -e ${fonts} ] || { [ "$1" != :lang=th ] || echo 'Noto Sans Thai'; }`);
  await addProgram('apt-get', `echo "$@" >> ${log}\n[ "$1" = update ] || echo > ${fonts}`);
  await addProgram('sudo', 'shift; exec "$@"');
  vi.stubEnv('PATH', [folder, '/usr/bin', '/bin'].join(delimiter));
  ensureFont('th', SOURCES);
  ensureFont('th', SOURCES);
  expect(await readFile(log, 'utf8')).toBe('update\ninstall --yes --no-install-recommends a-package\n');
  expect(() => ensureFont('ja', SOURCES)).toThrow(
    'a font for the language "ja". Install the package a-package',
  );
});

it('says what to install where it cannot get it', async () => {
  expect(() => ensureProgram([PROGRAM], SOURCES)).toThrow(`The tests need ${PROGRAM}. Install it`);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await addProgram('apt-get', 'exit 100');
  await addProgram('sudo', 'shift; exec "$@"');
  vi.stubEnv('PATH', [folder, '/usr/bin', '/bin'].join(delimiter));
  expect(() => ensureProgram([PROGRAM], SOURCES)).toThrow('Install the package a-package with apt-get');
});
