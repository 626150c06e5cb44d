import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getLibFiles, ts } from '@ts-morph/common';
import { packPackage, ROOT } from '../package/packed.ts';

const run = promisify(execFile);

/** A folder with the package installed. */
export interface Consumer {
  readonly folder: string;
  readonly tarball: string;
  /** Runs a program and returns its output. */
  run(source: string, type?: 'module' | 'commonjs'): Promise<string>;
  /** Compiles a file with TypeScript 5.0. @returns its faulty lines, and the messages of errors elsewhere */
  compile(source: string, options: ts.CompilerOptions, file?: string): Promise<string[]>;
  /** Links a package of this repository into the folder, maybe under another name. */
  link(name: string, as?: string): Promise<void>;
  remove(): Promise<void>;
}

export async function installClient(): Promise<Consumer> {
  const packed = await packPackage(join(ROOT, 'dist', 'client-package'));
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-consumer-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', packed.tarball], { cwd: folder });
  return {
    folder,
    tarball: packed.tarball,
    async run(source, type = 'module') {
      const { stdout } = await run(process.execPath, [`--input-type=${type}`, '-e', source], { cwd: folder });
      return stdout;
    },
    async compile(source, options, file = 'use.ts') {
      const path = join(folder, file);
      await writeFile(path, source);
      return compileWithOldest(path, options);
    },
    async link(name, as = name) {
      await mkdir(join(folder, 'node_modules', as, '..'), { recursive: true });
      await rm(join(folder, 'node_modules', as), { force: true });
      await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', as));
    },
    async remove() {
      await packed.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Virtual folder for the libraries of TypeScript. They are parsed once, because that takes longest. */
const LIB = '/lib-5.0';
const TARGET = ts.ScriptTarget.ES2022;
const libraries = new Map(getLibFiles().map(({ fileName, text }) => [`${LIB}/${fileName}`, text]));
const parsed = new Map<string, ts.SourceFile>();

function library(path: string): ts.SourceFile | undefined {
  const text = libraries.get(path);
  if (text !== undefined && !parsed.has(path)) parsed.set(path, ts.createSourceFile(path, text, TARGET));
  return parsed.get(path);
}

function compileWithOldest(file: string, asked: ts.CompilerOptions): string[] {
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    types: [],
    skipDefaultLibCheck: true,
    target: TARGET,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    ...asked,
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.getDefaultLibLocation = () => LIB;
  host.fileExists = path => libraries.has(path) || fileExists(path);
  host.readFile = path => libraries.get(path) ?? readFile(path);
  host.getSourceFile = (path, ...rest) => library(path) ?? getSourceFile(path, ...rest);
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([file], options, host));
  return diagnostics.map(({ file: at, start = 0, messageText }) => {
    const line = at?.text.slice(0, start).split('\n').at(-1) ?? '';
    const rest = at?.text.slice(start).split('\n')[0] ?? '';
    return at?.fileName === file
      ? `${line}${rest}`.trim()
      : ts.flattenDiagnosticMessageText(messageText, ' ');
  });
}
