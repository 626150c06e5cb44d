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

/** They know polls that are gone, until that is told. */
const OF_EVENTS = ['events', 'event-states', 'due', 'due-times', 'listed-polls'];

/** Every key in every table as text, read without the engine, except in those for events. */
export async function keysOnDisk(dataDir: string): Promise<string[]> {
  const root = open({ path: join(dataDir, 'tallycast.mdb'), maxDbs: 32, noSubdir: true });
  const names = [...root.getKeys()].map(String).filter(name => !OF_EVENTS.includes(name));
  const keys = names.flatMap(name =>
    [...root.openDB({ name }).getKeys()].map(key => `${name} ${JSON.stringify(key)}`),
  );
  await root.close();
  return keys;
}
