// @module-tag redis-server
import { afterAll, beforeAll, describe } from 'vitest';
import { type Engine, openEngine } from '../../src/engine/open-engine.ts';
import { markClaims } from '../contract/engine/event-claims.ts';
import { redisRig } from '../support/redis-rig.ts';
import { makeDataDirectory, removeDataDirectory } from './embedded/data-directory.ts';

const rig = redisRig('file');

describe.concurrent.each(['embedded', 'Redis'])('marks of events on the %s engine', name => {
  let engine: Engine;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await makeDataDirectory();
    engine = await openEngine(name === 'Redis' ? { redisUrl: (await rig.start()).url } : { dataDir });
  });
  afterAll(async () => {
    await engine.close();
    await removeDataDirectory(dataDir);
  });

  markClaims({
    get engine() {
      return engine;
    },
    get other() {
      return engine;
    },
  });
});
