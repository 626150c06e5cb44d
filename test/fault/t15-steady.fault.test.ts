// @module-tag redis-server
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { startProgram } from '../start/program.ts';
import { redisRig } from '../support/redis-rig.ts';
import { castBallots, createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { LoopWatch } from './loop-watch.ts';
import { measured, size } from './plan.ts';
import { ThriftyClient } from './thrifty-client.ts';

const CLIENTS = size(2_000, 10_000);
const BROADCASTS = size(10, 50);
const MEMORY_KB = 25;
const BLOCK_MS = 50;

const { start, closeAfter } = redisRig();

describe('T15 a crowd that stays', () => {
  it('T15: costs little memory for each client, and no broadcast blocks the event loop', async () => {
    const redis = await start();
    const watch = new LoopWatch();
    const relay = await startProgram(
      {
        ROLE: 'relay',
        REDIS_URL: redis.url,
        MAX_CONNECTIONS_PER_ADDRESS: '100000',
      },
      { preload: watch.preload },
    );
    await relay.running();
    const engine = await openEngine({ redisUrl: redis.url });
    closeAfter(() => engine.close());
    const { id } = await createPoll(relay.url);
    const open = () => new ThriftyClient(relay.url, `/api/poll/${id}/live`);
    const clients = [open()];
    closeAfter(() => {
      for (const client of clients) client.reset();
    });
    await until(() => clients.every(({ total }) => total === 0), 'the first');
    const beforeKb = residentKb(relay.child.pid);
    while (clients.length < CLIENTS) clients.push(open());
    await until(() => clients.every(({ total }) => total === 0), 'all to be there', 60_000);

    await watch.worst(relay.child);
    let longestMs = 0;
    for (let ballots = 1; ballots <= BROADCASTS; ballots += 1) {
      const sinceMs = performance.now();
      await castBallots(engine, id, 0, 1);
      await until(() => clients.every(({ total }) => total === ballots), 'all to be told', 60_000);
      longestMs = Math.max(longestMs, performance.now() - sinceMs);
    }
    const blockMs = await watch.worst(relay.child);
    const eachKb = (residentKb(relay.child.pid) - beforeKb) / CLIENTS;
    measured(
      'T15',
      `${CLIENTS} connections: ${eachKb.toFixed(1)} KB of resident memory each, ${BROADCASTS} broadcasts, the longest ${longestMs.toFixed(0)} ms by the clock to all of them, loop blocked for at most ${blockMs.toFixed(0)} ms`,
    );
    expect(clients.filter(({ isClosed }) => isClosed)).toEqual([]);
    expect(eachKb).toBeLessThan(MEMORY_KB);
    expect(blockMs).toBeLessThan(BLOCK_MS);
  });
});

function residentKb(pid: number | undefined): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
