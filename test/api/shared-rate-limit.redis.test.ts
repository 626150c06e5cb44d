// @module-tag redis-server
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { SharedCounts } from '../../src/http/rate-limit.ts';
import { GOOD_POLL, post } from '../support/api-request.ts';
import { redisRig } from '../support/redis-rig.ts';
import { startTestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

const ALLOWED = 20;
const rig = redisRig('file');

it('relays on one Redis count together what an address creates, and store no address', async () => {
  const { url } = await rig.start();
  const open = async () => {
    const engine = await openEngine({ redisUrl: url });
    rig.closeAfter(() => engine.close());
    const relay = await startTestRelay({
      engine,
      createPerMinute: ALLOWED,
      trustProxy: ['127.0.0.1'],
      clock: () => 1_800_000_030_000,
    });
    rig.closeAfter(() => relay.close());
    return relay;
  };
  const [one, other] = [await open(), await open()];
  const create = async (relay: typeof one, address = '192.0.2.1') =>
    (await post(relay.url, { poll: GOOD_POLL }, { 'x-forwarded-for': address })).status;
  for (let n = 0; n < ALLOWED - 5; n += 1) expect(await create(one)).toBe(201);
  let letIn = 0;
  await until(async () => {
    const status = await create(other);
    letIn += status === 201 ? 1 : 0;
    await new Promise(done => setTimeout(done, 300));
    return status === 429;
  }, 'the other to have heard');
  expect(letIn).toBeLessThan(ALLOWED);
  await until(async () => (await create(one)) === 429, 'both to refuse');
  expect(await create(one, '192.0.2.2')).toBe(201);
  const told = await one.engine.records.findMany(['limits:0', 'limits:1']);
  expect(told.join()).not.toContain('192.0.2.1');
  expect(told.every(text => text?.includes('"counts"'))).toBe(true);
});

/** A quarter of a window in which no request comes. */
const SILENCE_MS = 14_000;

it.each(['embedded', 'redis'] as const)(
  'a count holds to the end of its minute, although its process falls silent, %s engine',
  async kind => {
    const server = kind === 'redis' ? await rig.start() : undefined;
    const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-'));
    const engine = await openEngine(server ? { redisUrl: server.url } : { dataDir });
    rig.closeAfter(() => engine.close());
    const clock = () => 1_800_000_030_000;
    const open = () => {
      const counts = new SharedCounts(engine.records, clock);
      rig.closeAfter(() => counts.close());
      return counts;
    };
    const silent = [open(), open()];
    const last = open();
    for (const counts of silent) for (let n = 0; n < 30; n += 1) counts.add('192.0.2.1', 60);
    let own = 0;
    const told = () => {
      own += 1;
      return last.add('192.0.2.1', 60).current - own;
    };
    await until(() => told() === 60, 'the counts of the others');

    if (server) {
      const client = rig.clientOf(server);
      for (const key of await client.keys('*limits:*'))
        await client.pexpire(key, Math.max(1, (await client.pttl(key)) - SILENCE_MS));
    } else vi.spyOn(Date, 'now').mockReturnValue(Date.now() + SILENCE_MS);
    const shared = vi.spyOn(engine.records, 'put');
    await until(() => told() >= 0 && shared.mock.calls.length >= 2, 'the last one to look again');
    expect(told()).toBe(60);
  },
);
