import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';

export function makeDataDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'tallycast-'));
}

export function removeDataDirectory(dataDir: string): Promise<void> {
  return rm(dataDir, { recursive: true, force: true });
}

/** Every key in every table as text, read without the engine. */
export async function keysOnDisk(dataDir: string): Promise<string[]> {
  const root = open({ path: join(dataDir, 'tallycast.mdb'), maxDbs: 16, noSubdir: true });
  const names = [...root.getKeys()].map(String);
  const keys = names.flatMap(name =>
    [...root.openDB({ name }).getKeys()].map(key => `${name} ${JSON.stringify(key)}`),
  );
  await root.close();
  return keys;
}
