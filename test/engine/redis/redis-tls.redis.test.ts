import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ballotFor, expectSound, openPoll, outcomeOf } from '../../contract/engine/engine-subject.ts';
import { type Certificates, makeCertificates } from '../../support/certificates.ts';
import { findFreePort } from '../../support/free-port.ts';
import { startRedisCluster } from '../../support/redis-cluster.ts';
import { openEngineAt, redisEngineRig } from './redis-subject.ts';

const { start, openAt, clientOf, closeAfter } = redisEngineRig();
const USER = [
  'tallycast',
  'on',
  '>s%3Acret',
  '~tallycast:*',
  '&tallycast:*',
  '+@all',
  '-@dangerous',
  '+info',
  '+role',
];

let certificates: Certificates;

beforeAll(() => {
  certificates = makeCertificates();
});
afterAll(() => certificates.remove());

describe('behind TLS', () => {
  it('one server is used by a user that may touch nothing but its own keys and channels', async () => {
    const port = await findFreePort();
    const server = await start(['--tls-port', `${port}`, ...certificates.redisArgs]);
    await clientOf(server).call('ACL', 'SETUSER', ...USER);
    const url = `rediss://tallycast:s%253Acret@127.0.0.1:${port}`;
    await expect(openEngineAt(url)).rejects.toThrow(/REDIS_CA_FILE/);
    await expect(openEngineAt(url.replace('s%', 'x'), { caFile: certificates.caFile })).rejects.toThrow(
      /user or password are not right/,
    );
    await expect(openEngineAt(url, { caFile: '/nowhere.pem' })).rejects.toThrow(/nowhere\.pem: ENOENT/);

    const engine = await openAt(url, { caFile: certificates.caFile });
    const poll = await openPoll({ engine, other: engine });
    let hints = 0;
    await engine.hints.follow(poll.poll.id, () => {
      hints += 1;
    }).ready;
    expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted');
    await expect.poll(() => hints).toBeGreaterThan(0);
    await expectSound(engine, poll.poll.id);
  });

  it('a server that speaks nothing else is not taken for a plain one', async () => {
    const port = await findFreePort();
    await start(['--tls-port', `${port}`, ...certificates.redisArgs]);
    await expect(openEngineAt(`redis://127.0.0.1:${port}`)).rejects.toThrow(/write rediss:\/\//);
  });

  it('a cluster is used, node by node', async () => {
    const tlsPorts = await Promise.all([1, 2, 3].map(() => findFreePort()));
    const cluster = await startRedisCluster({
      args: ['--tls-cluster', 'yes', ...certificates.redisArgs],
      argsOf: index => ['--tls-port', `${tlsPorts[index]}`],
    });
    closeAfter(() => cluster.stop());
    const engine = await openAt(`rediss+cluster://127.0.0.1:${tlsPorts[0]}`, { caFile: certificates.caFile });
    for (let count = 0; count < 6; count += 1) {
      const poll = await openPoll({ engine, other: engine });
      let hints = 0;
      await engine.hints.follow(poll.poll.id, () => {
        hints += 1;
      }).ready;
      expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted');
      await expect.poll(() => hints).toBeGreaterThan(0);
    }
  });
});
