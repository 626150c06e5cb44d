// @module-tag redis-server
import { describe, expect, it } from 'vitest';
import { startProgram } from '../start/program.ts';
import { findFreePort } from '../support/free-port.ts';
import { LiveClient } from '../support/live-client.ts';
import { redisRig } from '../support/redis-rig.ts';
import { createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { type ParsedSample, parseOpenMetrics, sumOf } from './open-metrics.ts';

const rig = redisRig('test');
const CLIENTS = 30;

async function startWorkers(settings: Record<string, string> = {}) {
  const { url } = await rig.start();
  const port = await findFreePort();
  const program = await startProgram({
    WORKERS: '2',
    ROLE: 'relay',
    REDIS_URL: url,
    METRICS_PORT: `${port}`,
    ...settings,
  });
  await program.running();
  const scrape = async () => {
    const reply = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(reply.headers.get('content-type')).toMatch(/^application\/openmetrics-text; version=1\.0\.0/);
    return parseOpenMetrics(await reply.text());
  };
  return { program, port, scrape };
}

const workersOf = (samples: readonly ParsedSample[], name: string) =>
  samples.filter(sample => sample.name === name).map(({ labels }) => labels['worker']);

describe('one scrape', { timeout: 120_000 }, () => {
  it('covers all workers, keeps the number of a replaced one, and does not delay the stop', async () => {
    const { program, scrape } = await startWorkers();
    const { id } = await createPoll(program.url);
    const live = `${program.url.replace('http', 'ws')}/api/poll/${id}/live`;
    const clients = Array.from({ length: CLIENTS }, () => new LiveClient(live));
    await Promise.all(clients.map(client => client.results(0)));

    let samples = await scrape();
    expect(sumOf(samples, 'tallycast_connections')).toBe(CLIENTS);
    expect(sumOf(samples, 'tallycast_workers')).toBe(2);
    expect(workersOf(samples, 'tallycast_engine_available').sort()).toEqual(['1', '2']);
    expect(workersOf(samples, 'tallycast_process_open_fds').sort()).toEqual(['1', '2']);
    await until(
      async () => sumOf(await scrape(), 'tallycast_hint_lag_seconds_count') >= 2,
      'a probe of hints by each worker',
      15_000,
    );

    const pid = Number(/"pid":(\d+),[^\n]*"msg":"relay listening/.exec(program.log)?.[1]);
    process.kill(pid, 'SIGKILL');
    await until(() => program.log.includes('worker restarted'), 'the replacement', 20_000);
    samples = await scrape();
    expect(sumOf(samples, 'tallycast_ended_workers_total')).toBe(1);
    expect(workersOf(samples, 'tallycast_engine_available').sort()).toEqual(['1', '2']);
    expect(program.log).toMatch(/"worker":[12],"workerPid":\d+,"code":null,"signal":"SIGKILL"/);

    // The connection of the last scrape is still open.
    program.child.kill('SIGTERM');
    expect(await program.ended()).toBe(0);
  });

  it('skips a frozen worker and covers the others', async () => {
    const { program, scrape } = await startWorkers();
    const pid = Number(/"pid":(\d+),[^\n]*"msg":"relay listening/.exec(program.log)?.[1]);
    process.kill(pid, 'SIGSTOP');
    const samples = await scrape();
    process.kill(pid, 'SIGCONT');
    expect(sumOf(samples, 'tallycast_workers')).toBe(1);
    expect(workersOf(samples, 'tallycast_engine_available')).toHaveLength(1);
  });

  it('covers a single process without worker labels', async () => {
    const { port, scrape } = await startWorkers({ WORKERS: '1', ROLE: 'all' });
    const samples = await scrape();
    expect(sumOf(samples, 'tallycast_workers')).toBe(1);
    expect(samples.filter(({ labels }) => 'worker' in labels)).toEqual([]);
    expect(sumOf(samples, 'tallycast_build_info', { role: 'all', engine: 'redis' })).toBe(1);
    const other = await fetch(`http://127.0.0.1:${port}/api/poll`);
    expect([other.status, await other.json()]).toMatchObject([404, { success: 0 }]);
  });
});

describe('METRICS_PORT', () => {
  it('in use ends the start with one line that names it', async () => {
    const { port } = await startWorkers({ WORKERS: '1' });
    const second = await startProgram({ METRICS_PORT: `${port}` });
    expect(await second.ended()).toBe(1);
    expect(second.log).toContain(`METRICS_PORT=${port} on METRICS_HOST=127.0.0.1: in use by another program`);
  });
});
