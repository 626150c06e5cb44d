// @module-tag redis-server
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { startProgram } from '../start/program.ts';
import { Ledger } from '../support/ledger.ts';
import { LiveClient } from '../support/live-client.ts';
import { redisRig } from '../support/redis-rig.ts';
import { createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { measured, size } from './plan.ts';
import { expectHistory } from './screens.ts';
import { ThriftyClient } from './thrifty-client.ts';

const HEALTHY = size(100, 500);
const STALLED = size(100, 500);
/** Of the healthy: those whose messages are read one by one. */
const SAMPLED = 20;
const SECONDS = size(6, 20);
const BALLOTS_PER_SECOND = 200;
const P99_MS = 250;
const GROWTH_MB = 50;
/** Results of some 26 KB, so that stalled ones fill what the kernel keeps for them. */
const FAT = Array.from({ length: 100 }, (_, index) => `${index} ${'x'.repeat(190)}`);

const { start, closeAfter } = redisRig();

describe('T11 a crowd of which half does not read', () => {
  it('T11: no other subscriber waits, memory stays, and a reader that resumes gets the newest results', async () => {
    const redis = await start();
    const relay = await startProgram({
      ROLE: 'relay',
      REDIS_URL: redis.url,
      MAX_CONNECTIONS_PER_ADDRESS: '10000',
    });
    await relay.running();
    const engine = await openEngine({ redisUrl: redis.url });
    closeAfter(() => engine.close());
    const { id } = await createPoll(relay.url, { answers: FAT });
    const path = `/api/poll/${id}/live`;
    const stalled = Array.from({ length: STALLED }, () => new ThriftyClient(relay.url, path));
    const drained = Array.from(
      { length: HEALTHY - SAMPLED },
      () => new ThriftyClient(relay.url, path, false),
    );
    const sampled = await Promise.all(
      Array.from({ length: SAMPLED }, () => LiveClient.open(`${relay.url.replace('http', 'ws')}${path}`)),
    );
    closeAfter(() => {
      for (const client of [...stalled, ...drained]) client.reset();
      for (const client of sampled) client.close();
    });
    await until(() => [...stalled, ...drained].every(({ bytes }) => bytes > 20_000), 'all to be greeted');
    const answer = (await engine.polls.find(id))?.poll.answers[0]?.id as string;
    const ledger = new Ledger(id);
    // Warm first: what is measured is what stalling costs.
    await ledger.cast(engine, ledger.draw(answer, 0));
    await Promise.all(sampled.map(client => client.results(1)));
    for (const client of stalled) client.stall();
    const beforeMb = residentMb(relay.child.pid);

    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const acknowledgedAtMs = await castAtRate(ledger, answer, ballot => ledger.cast(engine, ballot));
    const grownMb = residentMb(relay.child.pid) - beforeMb;
    const total = ledger.accepted;
    await Promise.all(sampled.map(client => client.results(total)));
    const latencies = sampled.flatMap(client => latenciesOf(client, acknowledgedAtMs)).sort((a, b) => a - b);
    const p99Ms = latencies[Math.floor(latencies.length * 0.99)] as number;
    const taken = stalled.map(({ bytes }) => bytes);
    for (const client of stalled) client.wake();
    await until(
      () => stalled.every(client => client.total === total),
      'the newest results at all resumed readers',
    );
    const caughtUp = Math.max(...stalled.map(({ bytes }, index) => bytes - (taken[index] as number)));
    measured(
      'T11',
      `${STALLED} stalled among ${HEALTHY} healthy, ${BALLOTS_PER_SECOND} ballots a second for ${SECONDS} s: healthy p99 ${p99Ms.toFixed(0)} ms (this process was late by ${(delay.max / 1e6).toFixed(0)} ms), memory ${grownMb.toFixed(1)} MB more, caught up with ${(caughtUp / 1e6).toFixed(1)} MB each`,
    );
    for (const client of sampled) expectHistory(client.of('results'));
    expect([...stalled, ...drained].filter(({ isClosed }) => isClosed)).toEqual([]);
    await ledger.expectExact(engine);
    expect(grownMb).toBeLessThan(GROWTH_MB);
    // What this process was late by, it was late to hear as well.
    expect(p99Ms - delay.max / 1e6).toBeLessThan(P99_MS);
  });
});

/** @returns when each number of votes was acknowledged, by number */
async function castAtRate(
  ledger: Ledger,
  answer: string,
  cast: (ballot: ReturnType<Ledger['draw']>) => Promise<unknown>,
): Promise<number[]> {
  const atMs: number[] = [];
  const startMs = performance.now();
  for (let number = 1; number <= BALLOTS_PER_SECOND * SECONDS; number += 1) {
    const dueMs = startMs + (number * 1_000) / BALLOTS_PER_SECOND;
    if (dueMs > performance.now()) await new Promise(done => setTimeout(done, dueMs - performance.now()));
    await cast(ledger.draw(answer, number));
    atMs[ledger.accepted] = performance.now();
  }
  return atMs;
}

/** How long after its acknowledgement each ballot was shown. */
function latenciesOf(client: LiveClient, acknowledgedAtMs: readonly number[]): number[] {
  const shown = client.messages.flatMap((message, index) =>
    message.type === 'results' ? [{ votes: message.total_votes, atMs: client.times[index] as number }] : [],
  );
  return acknowledgedAtMs.flatMap((atMs, votes) => {
    const first = shown.find(message => message.votes >= votes);
    return first ? [Math.max(0, first.atMs - atMs)] : [];
  });
}

function residentMb(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_000;
}
