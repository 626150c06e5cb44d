import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { STORE_FILE } from '../../src/engine/engine.ts';
import type { RedisRig } from './redis-rig.ts';

/** A store of a test that tells how many bytes it takes. */
export interface MeasuredStore {
  readonly redisUrl?: string;
  readonly dataDir?: string;
  /** What it takes now. */
  bytes(): Promise<number>;
}

export async function embeddedStore(): Promise<MeasuredStore> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-budget-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  return { dataDir, bytes: async () => (await stat(join(dataDir, STORE_FILE))).size };
}

export async function redisStore(rig: RedisRig): Promise<MeasuredStore> {
  const server = await rig.start();
  const client = rig.clientOf(server);
  const bytes = async () => {
    const keys = await client.keys('*');
    const sizes = await Promise.all(keys.map(key => client.memory('USAGE', key, 'SAMPLES', 0)));
    return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  };
  return { redisUrl: server.url, bytes };
}
