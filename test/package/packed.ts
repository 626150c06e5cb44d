import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Packed {
  readonly tarball: string;
  /** Paths inside the package. */
  readonly files: readonly string[];
  readonly unpackedBytes: number;
  remove(): Promise<void>;
}

/** Packs the built package as npm would publish it. @param cwd folder of its package.json */
export async function packPackage(cwd = ROOT): Promise<Packed> {
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-pack-'));
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await promisify(execFile)('npm', args, { cwd, encoding: 'utf8' });
  const [packed] = JSON.parse(stdout);
  return {
    tarball: join(folder, packed.filename),
    files: packed.files.map(({ path }: { path: string }) => path),
    unpackedBytes: packed.unpackedSize,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Links of its documents to what it lacks, as `<document> -> <path>`. @param cwd folder of its package.json */
export function deadLinks({ files }: Pick<Packed, 'files'>, cwd = ROOT): string[] {
  const documents = files.filter(path => path.endsWith('.md'));
  return documents.flatMap(path =>
    [...readFileSync(join(cwd, path), 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
      .map(([, to = '']) => posix.join(posix.dirname(path), to).replace(/\/$/, ''))
      .filter(to => !files.some(file => file === to || file.startsWith(`${to}/`)))
      .map(to => `${path} -> ${to}`),
  );
}

const RESOLUTIONS = ['node16-esm', 'bundler'];

/** Returns the findings of publint and arethetypeswrong (its profile `esm-only`). */
export async function packageFaults(tarball: string): Promise<string[]> {
  const bytes = new Uint8Array(await readFile(tarball));
  const { messages, pkg = {} } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  const analysis = await checkPackage(createPackageFromTarballData(bytes));
  const problems = analysis.types ? analysis.problems : [{ kind: 'NoTypes' }];
  return [
    ...messages.map(message => formatMessage(message, pkg) ?? message.code),
    ...problems
      .filter(problem => !('resolutionKind' in problem) || RESOLUTIONS.includes(`${problem.resolutionKind}`))
      .map(problem => JSON.stringify(problem)),
  ];
}
