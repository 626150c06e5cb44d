import { chmod, chown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openEmbeddedEngine } from '../../../src/engine/embedded/embedded-engine.ts';
import { newPoll } from '../../contract/engine/engine-subject.ts';
import { engineContract } from '../../contract/engine-contract.ts';
import { makeDataDirectory, removeDataDirectory } from './data-directory.ts';

let dataDir: string;
afterAll(() => removeDataDirectory(dataDir));

async function modesIn(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory)).filter(name => !name.startsWith('tallycast.lock.'));
  const modes = await Promise.all(
    ['.', ...names].map(async name => [
      name,
      ((await stat(join(directory, name))).mode & 0o7777).toString(8),
    ]),
  );
  return Object.fromEntries(modes);
}

describe.skipIf(process.platform === 'win32')('the data directory', () => {
  const FILES = ['tallycast.mdb', 'tallycast.mdb-lock', 'tallycast.reserve'];
  const PRIVATE = { '.': '700', ...Object.fromEntries(FILES.map(name => [name, '600'])) };

  async function makeRoom(): Promise<string> {
    const room = await makeDataDirectory();
    onTestFinished(() => removeDataDirectory(room));
    return room;
  }
  async function openAndClose(directory: string): Promise<readonly string[]> {
    const engine = await openEmbeddedEngine({ dataDir: directory });
    const { advice } = await engine.describe();
    await engine.close();
    return advice;
  }

  it('is private from the start, with any umask', async () => {
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const directory = join(await makeRoom(), 'new');
    expect(await openAndClose(directory)).toEqual([]);
    expect(await modesIn(directory)).toEqual(PRIVATE);
  });

  it('is made private if an earlier version left it open', async () => {
    const directory = await makeRoom();
    await openAndClose(directory);
    await chmod(directory, 0o755);
    for (const name of FILES) await chmod(join(directory, name), 0o644);
    expect(await openAndClose(directory)).toEqual([]);
    expect(await modesIn(directory)).toEqual(PRIVATE);
  });

  it('is left open, with a warning, if it is shared', async () => {
    const directory = await makeRoom();
    await chmod(directory, 0o1777);
    expect(await openAndClose(directory)).toEqual([expect.stringContaining('is open to other users')]);
    expect(await modesIn(directory)).toEqual({ ...PRIVATE, '.': '1777' });
  });

  it.skipIf(process.getuid?.() !== 0)(
    'is left open, with a warning, if it belongs to another user',
    async () => {
      const directory = await makeRoom();
      await chown(directory, 1, 1);
      await chmod(directory, 0o755);
      expect(await openAndClose(directory)).toEqual([expect.stringContaining('is open to other users')]);
      expect((await modesIn(directory))['.']).toBe('755');
    },
  );
});

it('rejects reads from its close on', async () => {
  const directory = await makeDataDirectory();
  onTestFinished(() => removeDataDirectory(directory));
  const engine = await openEmbeddedEngine({ dataDir: directory });
  const made = newPoll({}, Date.now());
  await engine.polls.create(made);
  const closing = engine.close();
  const outcomes = new Set<string>();
  const read = () => engine.polls.find(made.poll.id).then(() => 'read', String);
  let isClosed = false;
  void closing.then(() => (isClosed = true));
  while (!isClosed) {
    for (let reads = 0; reads < 40; reads += 1) outcomes.add(await read());
    await setImmediate();
  }
  outcomes.add(await read());
  expect([...outcomes]).toEqual(['read', expect.stringContaining('closed database')]);
  // A timer of lmdb would throw by now.
  await setImmediate();
});

engineContract('the embedded engine', async () => {
  dataDir = await makeDataDirectory();
  return { engine: await openEmbeddedEngine({ dataDir, retentionDays: 365 }) };
});
