// @module-tag redis-server
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ballotFor,
  countHints,
  eventually,
  expectSound,
  openPoll,
  outcomeOf,
} from '../../contract/engine/engine-subject.ts';
import { type Certificates, makeCertificates } from '../../support/certificates.ts';
import { findFreePort } from '../../support/free-port.ts';
import { startRedisCluster } from '../../support/redis-cluster.ts';
import { startRedisSentinels } from '../../support/redis-sentinel.ts';
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
  it('one server works for a user that may use only its own keys and channels', async () => {
    const port = await findFreePort();
    const server = await start(['--tls-port', `${port}`, ...certificates.redisArgs]);
    await clientOf(server).call('ACL', 'SETUSER', ...USER);
    const url = `rediss://tallycast:s%253Acret@127.0.0.1:${port}`;
    await expect(openEngineAt(url)).rejects.toThrow(/REDIS_CA_FILE/);
    await expect(openEngineAt(url.replace('s%', 'x'), { redisCaFile: certificates.caFile })).rejects.toThrow(
      /user or password are not right/,
    );
    await expect(openEngineAt(url, { redisCaFile: '/nowhere.pem' })).rejects.toThrow(/nowhere\.pem: ENOENT/);

    const engine = await openAt(url, { redisCaFile: certificates.caFile });
    const poll = await openPoll({ engine, other: engine });
    const hints = await countHints(engine, poll.poll.id);
    expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted');
    await expect.poll(() => hints.count).toBeGreaterThan(0);
    await expectSound(engine, poll.poll.id);
  });

  it('one server that asks for a certificate of its clients works with one', async () => {
    const port = await findFreePort();
    await start(['--tls-port', `${port}`, ...certificates.redisArgs, '--tls-auth-clients', 'yes']);
    const url = `rediss://127.0.0.1:${port}`;
    const { caFile: redisCaFile, certFile: redisCertFile, keyFile: redisKeyFile } = certificates;
    await expect(openEngineAt(url, { redisCaFile })).rejects.toThrow(/REDIS_CERT_FILE and REDIS_KEY_FILE/);
    const engine = await openAt(url, { redisCaFile, redisCertFile, redisKeyFile });
    const poll = await openPoll({ engine, other: engine });
    expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted');
  });

  it('a server that requires TLS is reported as one', async () => {
    const port = await findFreePort();
    await start(['--tls-port', `${port}`, ...certificates.redisArgs]);
    await expect(openEngineAt(`redis://127.0.0.1:${port}`)).rejects.toThrow(/write rediss:\/\//);
  });

  it('Sentinels with a password of their own work, before and after a failover', async () => {
    const sentinelPassword = 's3ntinel';
    const sentinels = await startRedisSentinels({ certificates, sentinelPassword });
    closeAfter(() => sentinels.stop());
    await expect(openEngineAt(sentinels.url, { redisSentinelPassword: sentinelPassword })).rejects.toThrow(
      /REDIS_CA_FILE/,
    );
    const { caFile: redisCaFile } = certificates;
    await expect(openEngineAt(sentinels.url, { redisCaFile })).rejects.toThrow(/REDIS_SENTINEL_PASSWORD/);
    await expect(openEngineAt(sentinels.url.replace('rediss', 'redis'), { redisCaFile })).rejects.toThrow(
      /write rediss:\/\//,
    );
    const engine = await openAt(sentinels.url, {
      redisCaFile,
      redisSentinelPassword: sentinelPassword,
      durability: 'replicated',
    });
    const poll = await openPoll({ engine, other: engine });
    const hints = await countHints(engine, poll.poll.id);
    await eventually(async () => expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted'));
    const old = await sentinels.primaryPort();
    await sentinels.failover();
    await eventually(async () => expect(await sentinels.primaryPort()).not.toBe(old));
    const before = hints.count;
    await eventually(async () => {
      await engine.hints.publish(poll.poll.id);
      expect(hints.count).toBeGreaterThan(before);
    });
    await expectSound(engine, poll.poll.id);
  });

  it('a cluster works, node by node', async () => {
    const tlsPorts = await Promise.all([1, 2, 3].map(() => findFreePort()));
    const cluster = await startRedisCluster({
      args: ['--tls-cluster', 'yes', ...certificates.redisArgs],
      argsOf: index => ['--tls-port', `${tlsPorts[index]}`],
    });
    closeAfter(() => cluster.stop());
    const engine = await openAt(`rediss+cluster://127.0.0.1:${tlsPorts[0]}`, {
      redisCaFile: certificates.caFile,
    });
    for (let count = 0; count < 6; count += 1) {
      const poll = await openPoll({ engine, other: engine });
      const hints = await countHints(engine, poll.poll.id);
      expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted');
      await expect.poll(() => hints.count).toBeGreaterThan(0);
    }
  });
});

describe('by a Unix socket', () => {
  it.each(['unix', 'redis'])('one server works, in the form %s://', async scheme => {
    const folder = await mkdtemp(join(tmpdir(), 'tallycast-'));
    closeAfter(() => rm(folder, { recursive: true }));
    const path = join(folder, 'redis.sock');
    await start(['--unixsocket', path]);
    await expect(openEngineAt(`${scheme}://${path}.not`)).rejects.toThrow(/redis\.sock\.not.*ENOENT/);
    const engine = await openAt(`${scheme}://${path}`);
    const poll = await openPoll({ engine, other: engine });
    const hints = await countHints(engine, poll.poll.id);
    expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted');
    await expect.poll(() => hints.count).toBeGreaterThan(0);
    expect((await engine.describe()).text).toContain(`Redis at ${path}`);
  });
});
