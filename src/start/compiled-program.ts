import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

/**
 * The program, which the build leaves in one script, run from what V8 made of it at an earlier start: a quarter of a start, and of
 * coming back after a crash, was to parse and compile the same again. Where nothing is kept, or what is kept is of another build,
 * another Node or other flags, or damaged, it is compiled as ever, and kept. Where the folder takes no files nothing is.
 */

const PROGRAM = fileURLToPath(new URL('../program.cjs', import.meta.url));
/** The build empties it. Who may write here may write the program beside it, too. */
const KEPT = fileURLToPath(new URL('../compiled', import.meta.url));
/** V8 compares versions and lengths, and no bytes. */
const DIGEST_BYTES = 32;

type Wrapper = (
  exports: object,
  require: NodeJS.Require,
  module: object,
  filename: string,
  dirname: string,
) => void;

/** Resolves once all servers listen that the environment asks for. @throws Error in one line where they cannot */
export async function runProgram(): Promise<void> {
  // The build sees to it that there is nothing else in it; to find that out again would take 20 ms.
  const source = readFileSync(PROGRAM, 'latin1');
  const place = join(KEPT, nameOf(source));
  const cachedData = readKept(place);
  const script = new Script(source, { filename: PROGRAM, ...(cachedData && { cachedData }) });
  const module = { exports: {} as { run(): Promise<void> } };
  const wrapper = script.runInThisContext() as Wrapper;
  wrapper(module.exports, createRequire(PROGRAM), module, PROGRAM, dirname(PROGRAM));
  await module.exports.run();
  // Only now: it holds the functions that were needed until here. Who starts with another engine or role finds most of its own there.
  if (!cachedData || script.cachedDataRejected) keep(place, script.createCachedData());
}

function nameOf(source: string): string {
  const build = source.slice(0, source.indexOf('\n'));
  const made = [build, process.version, process.arch, cachedDataVersionTag()];
  return createHash('sha256').update(made.join()).digest('hex').slice(0, 32);
}

function readKept(place: string): Buffer | undefined {
  try {
    const kept = readFileSync(place);
    const code = kept.subarray(DIGEST_BYTES);
    return digest(code).equals(kept.subarray(0, DIGEST_BYTES)) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** As a whole or not at all, whoever else does so at the same time. */
function keep(place: string, code: Buffer): void {
  const half = `${place}.${process.pid}`;
  try {
    mkdirSync(KEPT, { recursive: true });
    writeFileSync(half, Buffer.concat([digest(code), code]));
    renameSync(half, place);
  } catch {
    forget(half);
  }
}

function forget(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // There is no such folder, or it may not be looked into.
  }
}

function digest(code: Buffer): Buffer {
  return createHash('sha256').update(code).digest();
}
