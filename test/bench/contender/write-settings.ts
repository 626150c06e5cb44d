import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder with one settings file in it, for a server that wants one. */
export async function writeSettings(name: string, text: (folder: string) => string) {
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-bench-'));
  const file = join(folder, name);
  await writeFile(file, text(folder));
  return { folder, file, remove: () => rm(folder, { recursive: true, force: true }) };
}
