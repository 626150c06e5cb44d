// @module-tag redis-server
import { beforeAll, describe } from 'vitest';
import { engineContract } from '../../contract/engine-contract.ts';
import { redisRig } from '../../support/redis-rig.ts';
import { asLeastUser, openEngineAt } from './redis-subject.ts';

const rig = redisRig('file');

describe('on one server, as a user with the least rights', () => {
  let url: string;

  beforeAll(async () => {
    const server = await rig.start();
    url = await asLeastUser(server.url, [rig.clientOf(server)]);
  });

  const open = () => openEngineAt(url);
  engineContract('the Redis engine', async () => ({ engine: await open(), another: open }));
});
