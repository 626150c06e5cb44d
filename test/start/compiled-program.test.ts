import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtFile } from '../support/relay-process.ts';
import { startProgram } from './program.ts';

const BUILT = dirname(builtFile('main.js'));
const START_MS = 30_000;

describe('what V8 made of the program', { timeout: 4 * START_MS }, () => {
  let root: string;
  let folder: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'tallycast-compiled-'));
    folder = join(root, 'dist', 'compiled');
    mkdirSync(join(root, 'dist'));
    for (const name of ['package.json', 'node_modules'])
      symlinkSync(join(dirname(BUILT), name), join(root, name));
    for (const entry of readdirSync(BUILT, { withFileTypes: true }))
      if (entry.isDirectory() && entry.name !== 'compiled')
        symlinkSync(join(BUILT, entry.name), join(root, 'dist', entry.name));
      else if (entry.isFile()) cpSync(join(BUILT, entry.name), join(root, 'dist', entry.name));
  });
  afterEach(() => rm(root, { recursive: true }));

  /** Starts the copy with these flags of Node, and sees that it serves, to its end. */
  const start = async (...flags: string[]) => {
    const program = await startProgram(
      {},
      { command: [process.execPath, ...flags, join(root, 'dist', 'main.js')] },
    );
    await program.running();
    expect((await fetch(program.url)).status).toBe(200);
    expect((await fetch(program.voteUrl)).status).toBeLessThan(500);
    program.child.kill('SIGTERM');
    expect(await program.ended()).toBe(0);
  };
  /** By name. */
  const kept = () =>
    new Map(readdirSync(folder).map(name => [name, readFileSync(join(folder, name)).toString('base64')]));
  const one = () => {
    const [name = '', code = ''] = [...kept()][0] ?? [];
    expect(kept().size).toBe(1);
    expect(code.length).toBeGreaterThan(100_000);
    return { name, code };
  };

  it('is kept by the first start, used by the next, and another one for other flags of Node', async () => {
    await start();
    const { name, code } = one();
    await start();
    expect(one().code).toBe(code);
    await start('--max-lazy');
    expect(kept().size).toBe(2);
    expect(kept().get(name)).toBe(code);
  });

  it('is made anew where it was damaged, and where the program is another one', async () => {
    await start();
    const { name, code } = one();
    const damaged = Buffer.from(code, 'base64');
    damaged.fill('damaged', damaged.length >> 1, (damaged.length >> 1) + 100);
    writeFileSync(join(folder, name), damaged);
    await start();
    expect(one().name).toBe(name);
    expect(one().code).not.toBe(damaged.toString('base64'));
    const script = join(root, 'dist', 'program.cjs');
    writeFileSync(script, readFileSync(script, 'latin1').replace(/^.*/, '/* another build */'));
    await start();
    expect(kept().size).toBe(2);
  });

  it('is not missed where nothing can be kept', async () => {
    writeFileSync(folder, 'no folder');
    await start();
    expect(readFileSync(folder, 'utf8')).toBe('no folder');
  });
});
