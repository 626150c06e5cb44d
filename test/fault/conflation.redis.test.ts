import { monitorEventLoopDelay } from 'node:perf_hooks';
import { beforeAll, expect, it } from 'vitest';
import { Ledger } from '../support/ledger.ts';
import { LiveClient } from '../support/live-client.ts';
import { redisRig } from '../support/redis-rig.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import type { TestRelay } from '../support/test-relay.ts';

const HZ = 10;
const BALLOTS_PER_SECOND = 5_000;
const BATCH_MS = 10;
const SECONDS = 3;
const SUBSCRIBERS = 20;

const { start, relayOn } = redisRig('file');
let redis: RedisServer;
let relay: TestRelay;
beforeAll(async () => {
  redis = await start();
  relay = await relayOn(redis.url);
});

it('at 5,000 ballots a second everybody gets at most ten results a second, the first change and the last', async () => {
  const { id } = await relay.create();
  const [answer = ''] = (await relay.read(id)).poll_answers.map(({ id: answerId }) => answerId);
  const urls = Array.from({ length: SUBSCRIBERS }, () => `${relay.wsUrl}/api/poll/${id}/live`);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const openedAt = performance.now();
  const clients = await Promise.all(urls.map(url => LiveClient.open(url)));
  await Promise.all(clients.map(client => client.results(0)));

  const ledger = new Ledger(id);
  const { total, beforeTheTick } = await castAtRate(ledger, answer);
  expect(ledger.accepted).toBe(total);

  for (const client of clients) {
    await client.results(total);
    const results = client.of('results');
    expect(results[1]?.total_votes).toBeLessThan(beforeTheTick);
    expect(results.at(-1)).toMatchObject({ total_votes: total, version: total + 1 });
    expectAtMost(HZ, client.times, openedAt, delay.max / 1e6);
    client.close();
  }
});

/**
 * Casts a hundredth of a second's ballots each hundredth of a second, however long the answers take.
 * @returns how many in all, and how many by half a tick after the first was counted
 */
async function castAtRate(ledger: Ledger, answer: string): Promise<{ total: number; beforeTheTick: number }> {
  const startMs = performance.now();
  const under: Promise<unknown>[] = [];
  let sinceTheFirst: Stopwatch | undefined;
  let beforeTheTick = 0;
  let number = 0;
  for (;;) {
    const passedMs = performance.now() - startMs;
    if (passedMs >= SECONDS * 1_000) break;
    const due = (passedMs / 1_000) * BALLOTS_PER_SECOND;
    for (; number < due; number += 1)
      under.push(ledger.castUntilKnown(relay.engine, ledger.draw(answer, number)));
    await new Promise(done => setTimeout(done, BATCH_MS));
    if (ledger.accepted > 0) sinceTheFirst ??= new Stopwatch(redis.process.pid);
    if (sinceTheFirst && sinceTheFirst.ms < 1_000 / HZ / 2) beforeTheTick = number;
  }
  await Promise.all(under);
  return { total: number, beforeTheTick };
}

/**
 * Within every stretch of a second and longer. One message more may fall into a stretch than its length allows, at its
 * ends, and one because this process may be late to hear what was sent in time: by as much as its event loop was delayed.
 */
function expectAtMost(hz: number, times: readonly number[], openedAt: number, delayMs: number): void {
  for (const [first, from] of times.entries())
    for (const [later, to] of times.slice(first).entries())
      if (to - from >= 1_000) expect(later).toBeLessThanOrEqual(((to - from + delayMs) / 1_000) * hz + 2);
  expect(times.length).toBeLessThanOrEqual((((times.at(-1) as number) - openedAt) / 1_000) * hz + 1);
}
