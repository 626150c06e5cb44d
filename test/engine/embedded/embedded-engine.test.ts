import { afterAll } from 'vitest';
import { openEmbeddedEngine } from '../../../src/engine/embedded/open-embedded-engine.ts';
import { engineContract } from '../../contract/engine-contract.ts';
import { makeDataDirectory, removeDataDirectory } from './data-directory.ts';

let dataDir: string;
afterAll(() => removeDataDirectory(dataDir));

engineContract('the embedded engine', async () => {
  dataDir = await makeDataDirectory();
  return { engine: await openEmbeddedEngine({ dataDir, retentionDays: 365 }) };
});
