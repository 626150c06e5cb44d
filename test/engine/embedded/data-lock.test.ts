import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockDataDirectory } from '../../../src/engine/embedded/data-lock.ts';
import { openEmbeddedEngine } from '../../../src/engine/embedded/embedded-engine.ts';
import { spawnKept } from '../../support/child-process.ts';
import { builtFile } from '../../support/relay-process.ts';
import { makeDataDirectory, removeDataDirectory } from './data-directory.ts';

const PROGRAM = fileURLToPath(new URL('./holding-process.mjs', import.meta.url));
/** As a container has it: a network of its own, and its first process is pid 1. */
const CONTAINED = ['unshare', '--net', '--pid', '--fork', '--kill-child', '--'];
/** Where only a user namespace lets an ordinary user do so. */
const CONTAINED_AS_USER = CONTAINED.with(-1, '--map-root-user').concat('--');

let dataDir: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  dataDir = await makeDataDirectory();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await removeDataDirectory(dataDir);
});

/** @returns the first line of the process: `open`, or why not */
async function hold(directory: string, wrapper: readonly string[] = [], env = process.env) {
  const command = [...wrapper, process.execPath, PROGRAM, builtFile('engine/open-engine.js'), directory];
  const child = spawnKept(command[0]!, command.slice(1), { env });
  children.push(child);
  const [said] = await once(child.stdout!, 'data');
  return { child, said: `${said}`.trim() };
}

/** An environment with a folder of its own for temporary files. */
async function ownTemporary(name: string): Promise<NodeJS.ProcessEnv> {
  const folder = join(dataDir, `temporary-${name}`);
  await mkdir(folder);
  return { ...process.env, TMPDIR: folder };
}

describe('a data directory', () => {
  it('is the same by any path and with any temporary folder', async () => {
    const alias = join(dataDir, 'alias');
    const real = join(dataDir, 'real');
    await mkdir(real);
    await symlink(real, alias);
    expect((await hold(real)).said).toBe('open');
    const elsewhere = await ownTemporary('elsewhere');
    for (const path of [alias, join(alias, '.'), real])
      expect((await hold(path, [], elsewhere)).said).toBe(`another process is using ${join(path)}`);
    await expect(openEmbeddedEngine({ dataDir: alias, retentionDays: 0 })).rejects.toThrow('another process');
  });

  it('is locked by one of many simultaneous starts, repeatedly, after a kill', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { child, said } = await hold(dataDir);
      expect(said).toBe('open');
      child.kill('SIGKILL');
      await once(child, 'close');
      const locks = await Promise.all(Array.from({ length: 30 }, () => lockDataDirectory(dataDir)));
      const taken = locks.filter(lock => lock !== undefined);
      expect(taken).toHaveLength(1);
      await taken[0]!.release();
    }
    const processes = await Promise.all(Array.from({ length: 4 }, () => hold(dataDir)));
    expect(processes.filter(({ said }) => said === 'open')).toHaveLength(1);
  });

  it('is locked by one of two containers with a shared volume, both as pid 1', async () => {
    const wrapper = [CONTAINED, CONTAINED_AS_USER].find(([program, ...args]) => {
      return spawnSync(program!, [...args, 'true']).status === 0;
    });
    // Without the right to make namespaces the claim is tried with two plain processes, which is less.
    if (!wrapper) console.warn('No namespaces may be made here: tried without containers.');
    const first = await hold(dataDir, wrapper, await ownTemporary('first'));
    expect(first.said).toBe('open');
    expect((await hold(dataDir, wrapper, await ownTemporary('second'))).said).toContain('another process');
    await expect(openEmbeddedEngine({ dataDir, retentionDays: 0 })).rejects.toThrow('another process');
    first.child.kill('SIGKILL');
    await expect.poll(async () => (await hold(dataDir, wrapper)).said).toBe('open');
  });

  it('may have a path of any length', async () => {
    const deep = join(dataDir, 'a'.repeat(200), 'b'.repeat(200));
    const engine = await openEmbeddedEngine({ dataDir: deep, retentionDays: 0 });
    await expect(openEmbeddedEngine({ dataDir: deep, retentionDays: 0 })).rejects.toThrow('another process');
    await engine.close();
  });

  it('keeps no locks of earlier processes', async () => {
    for (let start = 0; start < 5; start += 1)
      await (await openEmbeddedEngine({ dataDir, retentionDays: 0 })).close();
    const locks = (await readdir(dataDir)).filter(name => name.startsWith('tallycast.lock'));
    expect(locks).toHaveLength(1);
  });

  it('that is not a folder or cannot be written is rejected in one line with its path', async () => {
    const file = join(dataDir, 'file');
    await writeFile(file, '');
    const attempts = [file, join(file, 'below'), '/proc/data/below', '/sys/data'];
    for (const path of attempts) {
      const refusal = await openEmbeddedEngine({ dataDir: path, retentionDays: 0 }).catch(String);
      expect(refusal).toMatch(new RegExp(`^Error: DATA_DIR ${path} cannot be used \\([^\\n]+\\)$`));
    }
  });
});
