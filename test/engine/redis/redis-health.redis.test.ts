// @module-tag redis-server
import { mkdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { eventually, expectUnavailable } from '../../contract/engine/engine-subject.ts';
import { startRedisCluster } from '../../support/redis-cluster.ts';
import { redisEngineRig } from './redis-subject.ts';

const { start, openAt, clientOf, closeAfter } = redisEngineRig();
const WELL = { reads: 'all', writes: 'all', fault: undefined };

describe('the health of an engine on Redis', () => {
  it('is checked without a write: nothing is stored, logged or replicated', async () => {
    const server = await start(['--appendonly', 'yes']);
    const engine = await openAt(server.url);
    const client = clientOf(server);
    const written = async () => {
      const info = `${await client.info('persistence')}${await client.info('replication')}`;
      return [
        await client.dbsize(),
        ...['rdb_changes_since_last_save', 'aof_current_size', 'master_repl_offset'].map(
          field => new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1],
        ),
      ];
    };
    const before = await written();
    expect(before).not.toContain(undefined);
    for (let round = 0; round < 10; round += 1) expect(await engine.checkHealth()).toEqual(WELL);
    expect(await written()).toEqual(before);
  });

  it('reports why writes fail, for as long as they do', async () => {
    const server = await start();
    const client = clientOf(server);
    const engine = await openAt(server.url);
    const faults = [
      { setting: ['maxmemory', '1', '0'], fault: /no memory left/ },
      { setting: ['min-replicas-to-write', '1', '0'], fault: /fewer replicas/ },
    ] as const;
    for (const { setting, fault } of faults) {
      const [name, broken, whole] = setting;
      await client.config('SET', name, broken);
      expect(await engine.checkHealth()).toMatchObject({
        reads: 'all',
        writes: 'none',
        fault: expect.stringMatching(fault),
      });
      await client.config('SET', name, whole);
      expect(await engine.checkHealth()).toEqual(WELL);
    }
  });

  it('reports a failed snapshot if Redis then rejects writes', async () => {
    const server = await start();
    const client = clientOf(server);
    const engine = await openAt(server.url);
    // A folder that stands where the file should go.
    await mkdir(`${server.dir}/dump.rdb/in-the-way`, { recursive: true });
    await client.config('SET', 'save', '3600 1000000');
    await client.call('BGSAVE');
    await eventually(async () =>
      expect(await engine.checkHealth()).toMatchObject({
        writes: 'none',
        fault: 'Redis cannot write to its disk.',
      }),
    );
  });

  it('reports a missing or a stopped replica for `replicated`', async () => {
    const primary = await start(['--repl-diskless-sync-delay', '0']);
    const engine = await openAt(primary.url, { durability: 'replicated' });
    const alone = {
      reads: 'all',
      writes: 'none',
      fault: expect.stringMatching(/No replica confirms ballots/),
    };
    expect(await engine.checkHealth()).toEqual(alone);
    const replica = await start(['--replicaof', '127.0.0.1', `${primary.port}`]);
    await eventually(async () => expect(await engine.checkHealth()).toEqual(WELL));
    replica.pause();
    await eventually(async () => expect(await engine.checkHealth()).toEqual(alone));
    replica.resume();
    await eventually(async () => expect(await engine.checkHealth()).toEqual(WELL));
    await primary.kill9();
    await expectUnavailable(engine.checkHealth());
  });

  it('reports which part of a cluster cannot be read or written', async () => {
    const cluster = await startRedisCluster({ args: ['--cluster-require-full-coverage', 'no'] });
    closeAfter(() => cluster.stop());
    const engine = await openAt(cluster.url);
    expect(await engine.checkHealth()).toEqual(WELL);
    const [first, ...others] = cluster.primaries;
    await first?.client.config('SET', 'maxmemory', '1');
    expect(await engine.checkHealth()).toEqual({
      reads: 'all',
      writes: 'some',
      fault: 'Redis has no memory left.',
    });
    await first?.client.config('SET', 'maxmemory', '0');
    await first?.server.kill9();
    const away = { reads: 'some', writes: 'all', fault: '1 of 3 shards do not answer.' };
    await eventually(async () => expect(await engine.checkHealth()).toEqual(away));
    for (let round = 0; round < 20; round += 1) expect(await engine.polls.now()).toBeGreaterThan(0);
    await Promise.all(others.map(({ server }) => server.kill9()));
    await eventually(() => expectUnavailable(engine.checkHealth()));
  });
});
