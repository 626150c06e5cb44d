import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../../src/engine/open-engine.ts';

/** An embedded engine in a folder of its own. */
export async function openEmbedded() {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-chat-'));
  const engine = await openEngine({ dataDir });
  return {
    engine,
    async close() {
      await engine.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
