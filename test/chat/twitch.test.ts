import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { describeChat } from './chat-claims.ts';
import { startTwitchServer } from './twitch-server.ts';

describe('votes from Twitch on the embedded engine', () => {
  describeChat(startTwitchServer, openEmbedded);
});

async function openEmbedded() {
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
