// @module-tag redis-server
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { ask } from '../support/api-request.ts';
import { redisRig } from '../support/redis-rig.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { answering, Crowd } from './crowd.ts';
import { measured, randomOf } from './plan.ts';
import { Screens } from './screens.ts';

const { start, relayOn, closeAfter } = redisRig();

describe('T3 a disk that is full', () => {
  it('T3: ballots are refused with the outcome unknown, reads go on, and it recovers by itself', async () => {
    const redis = await start(['--appendonly', 'yes', '--appendfsync', 'everysec'], {
      survivesFullDisk: true,
    });
    const relay = await relayOn(redis.url);
    const { id } = await relay.create();
    const screens = await Screens.open([relay], [id], 2);
    closeAfter(() => screens.close());
    const crowd = await Crowd.start({
      engines: [relay.engine],
      pollId: id,
      random: randomOf('T3'),
      voters: 16,
    });
    await crowd.more(200);

    limitFiles(redis, '1024');
    let counted = -1;
    await until(
      async () => {
        const before = counted;
        counted = crowd.acknowledged;
        await new Promise(done => setTimeout(done, 300));
        return before === counted;
      },
      'Redis to refuse to write',
      30_000,
    );
    const read = await fetch(`${relay.url}/api/poll/${id}`);
    expect(read.status).toBe(200);
    // Screens are served all the same: a relay stays in service, and says what it cannot do.
    expect(await readiness(relay.url)).toEqual([
      { path: 'writes', message: 'Redis cannot write to its disk.' },
    ]);
    limitFiles(redis, 'unlimited');
    await crowd.more(100);
    expect(await readiness(relay.url)).toBeUndefined();
    await crowd.end();
    await crowd.ledger.expectExact(relay.engine);
    await screens.showing(crowd.acknowledged);
    screens.expectFollowed();
    expect(crowd.unexpected).toEqual([]);
    // And it is on disk.
    await redis.restart();
    await answering(relay.engine);
    await crowd.ledger.expectExact(relay.engine);
    measured(
      'T3',
      `a full disk: ${counted} acknowledged before, none meanwhile, ${crowd.acknowledged} in the end, all there after a restart`,
    );
  });
});

async function readiness(url: string): Promise<unknown> {
  const { status, json } = await ask(`${url}/readyz`);
  expect(status).toBe(200);
  return json.degraded;
}

/** The most bytes that a file of this process may have: what it writes beyond fails, as on a full disk. */
function limitFiles({ process: { pid } }: RedisServer, bytes: string): void {
  execFileSync('prlimit', ['--pid', `${pid}`, `--fsize=${bytes}:unlimited`]);
}
