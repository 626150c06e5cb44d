// @module-tag redis-server
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { OPERATOR_KEYS } from '../../src/show/operator-keys.ts';
import { startProgram } from '../start/program.ts';
import { redisRig } from '../support/redis-rig.ts';
import { castBallots, createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { between, measured, pick, randomOf, size } from './plan.ts';
import { ThriftyClient } from './thrifty-client.ts';

const SECONDS = size(8, 300);
/** Warm first, for a quarter of that, and then all are waited for. */
const TIMEOUT_MS = SECONDS * 1.25 * 1_000 + 180_000;
const POLLS = 50;
const BATCH = 40;
const GROWTH_MB = size(15, 30);

const { start, clientOf, closeAfter } = redisRig();

describe('T21 an hour of coming and going, shortened', () => {
  it('T21: subscriptions and descriptors are back where they were, and memory stays', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const random = randomOf('T21');
    const redis = await start();
    const relay = await startProgram({
      ROLE: 'relay',
      REDIS_URL: redis.url,
      MAX_CONNECTIONS_PER_ADDRESS: '100000',
      CREATE_PER_MINUTE: '1000000',
      CREATE_BYTES_PER_DAY: '1000000000',
      // A small heap is collected often: what grows then is held, and not merely left lying.
      NODE_OPTIONS: '--max-semi-space-size=1 --max-old-space-size=96',
    });
    await relay.running();
    const engine = await openEngine({ redisUrl: redis.url });
    closeAfter(() => engine.close());
    const ids: string[] = [];
    for (let index = 0; index < POLLS; index += 1) ids.push((await createPoll(relay.url)).id);
    const operator = clientOf(redis);
    /** Channels of polls; the relay's own stay: its probe, and the record of operator's keys. */
    const channels = async () =>
      ((await operator.pubsub('CHANNELS', '*')) as string[]).filter(
        name => !name.endsWith(':probe') && !name.includes(OPERATOR_KEYS),
      );
    const files = () => readdirSync(`/proc/${relay.child.pid}/fd`).length;
    const memoryMb = () =>
      Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${relay.child.pid}/status`, 'utf8'))?.[1]) /
      1_000;

    let connections = 0;
    const churn = async () => {
      const path = () =>
        `/api/poll/${pick(random, ids)}/live${pick(random, ['', '?hz=1', '?hz=20', '?since=1'])}`;
      const clients = Array.from({ length: BATCH }, () => new ThriftyClient(relay.url, path()));
      connections += BATCH;
      // Some go before they were answered, others after a message or two.
      for (const client of clients.slice(0, between(random, 0, BATCH / 4))) client.reset();
      await castBallots(engine, pick(random, ids), 0, 3);
      await until(() => clients.every(({ bytes, isClosed }) => isClosed || bytes > 0), 'the handshakes');
      for (const client of clients)
        if (random() < 0.5) client.reset();
        else client.socket.destroy();
    };
    const churnFor = async (seconds: number) => {
      const endMs = performance.now() + seconds * 1_000;
      while (performance.now() < endMs) await churn();
    };
    const isQuiet = async () => (await channels()).length === 0;
    await churnFor(SECONDS / 4);
    await until(isQuiet, 'all polls to be let go', 30_000);
    const before = { files: files(), memoryMb: memoryMb() };
    await churnFor(SECONDS);
    await until(isQuiet, 'all polls to be let go again', 30_000);
    await until(() => files() <= before.files, 'every descriptor to be given back', 30_000);
    const grownMb = memoryMb() - before.memoryMb;
    measured(
      'T21',
      `${connections} connections came and went: 0 subscriptions and 0 descriptors left, memory ${grownMb.toFixed(1)} MB more`,
    );
    expect(grownMb).toBeLessThan(GROWTH_MB);
  });
});
