import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Rehearsal, rehearse, START_MS } from '../deploy/rehearsal.ts';
import { kill } from '../support/child-process.ts';
import { until } from '../support/until.ts';
import { isLong } from './plan.ts';

/** The monitoring profile as processes: what the operator's webhook receives. */

const NOTIFIED_MS = 60_000;
/** Longer than a rule waits and Alertmanager groups, so that what would be sent has been sent. */
const QUIET_MS = 60_000;
const FROZEN_MS = 30_000;
const SERVERS = ['relay-1', 'relay-2', 'voting-1', 'voting-2'];

interface Alert {
  readonly status: 'firing' | 'resolved';
  readonly labels: { readonly alertname: string; readonly instance?: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

let receiver: Server;
let rehearsal: Rehearsal;
/** Each notification of firing alerts. */
let pages: Alert[][] = [];

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', chunk => {
      body += chunk;
    });
    request.on('end', () => {
      const { status, alerts } = JSON.parse(body) as { status: string; alerts: Alert[] };
      if (status === 'firing') pages.push(alerts);
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await new Promise(done => receiver.once('listening', done));
  const { port } = receiver.address() as AddressInfo;
  rehearsal = await rehearse({ ALERT_WEBHOOK_URL: `http://127.0.0.1:${port}/` }, 'monitoring');
  await until(areAllUp, 'all targets', START_MS);
}, 2 * START_MS);
afterAll(async () => {
  await rehearsal?.stop();
  receiver?.close();
});

async function ofPrometheus(path: string) {
  const reply = await fetch(`${rehearsal.url('prometheus', 9090)}/api/v1/${path}`);
  return ((await reply.json()) as { data: { activeTargets: { health: string }[]; alerts: Alert[] } }).data;
}
const areAllUp = async () => {
  // Until Prometheus listens.
  const { activeTargets } = await ofPrometheus('targets').catch(() => ({ activeTargets: [] }));
  return activeTargets.length > 0 && activeTargets.every(({ health }) => health === 'up');
};
const quiet = () => new Promise(done => setTimeout(done, QUIET_MS));
const allClear = () =>
  until(async () => (await ofPrometheus('alerts')).alerts.length === 0, 'the end of all alerts', 300_000);

const create = (url: string) =>
  fetch(`${url}/api/poll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ poll: { title: 'Which song next?', answers: ['Waterloo', 'Volare'] } }),
  });

/** Expects one notification within a minute, and no other one after it. */
async function expectOnePage(alertname: string): Promise<Alert> {
  await until(() => pages.length > 0, `a notification of ${alertname}`, NOTIFIED_MS);
  await quiet();
  expect(pages.map(alerts => alerts.map(({ labels }) => labels.alertname))).toEqual([[alertname]]);
  const alert = pages[0]?.[0] as Alert;
  expect(alert.annotations.runbook).toBe(`src/metrics/RUNBOOK.md#${alertname.toLowerCase()}`);
  pages = [];
  return alert;
}

describe.skipIf(!isLong)('T24 the monitoring profile', { timeout: 600_000 }, () => {
  it('sends nothing while every server is restarted in turn', async () => {
    for (const name of SERVERS) {
      await kill(rehearsal.child(name), 'SIGTERM');
      await rehearsal.start(name);
    }
    await quiet();
    expect(pages).toEqual([]);
  });

  it('sends one notification for a killed relay, which names it and its entry in the runbook', async () => {
    await kill(rehearsal.child('relay-1'));
    const { labels, annotations } = await expectOnePage('TallycastDown');
    expect(labels.instance).toBe(new URL(rehearsal.url('relay-1', 9464)).host);
    expect(annotations.summary).toBe(`${labels.instance} is down`);
    await rehearsal.start('relay-1');
    await allClear();
  });

  it('sends one notification for a frozen Redis', async () => {
    rehearsal.child('redis').kill('SIGSTOP');
    setTimeout(() => rehearsal.child('redis').kill('SIGCONT'), FROZEN_MS);
    await expectOnePage('TallycastEngineLost');
    await allClear();
  });

  it('sends one notification for a full Redis', async () => {
    const redis = new Redis(rehearsal.redisUrl);
    const url = rehearsal.url('front-door', 8080);
    const [, before = ''] = (await redis.config('GET', 'maxmemory')) as string[];
    const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
    await redis.config('SET', 'maxmemory', `${used - 100_000}`);
    expect((await create(url)).status).toBe(503);
    await expectOnePage('TallycastRedisMemory');
    await redis.config('SET', 'maxmemory', before);
    expect((await create(url)).status).toBe(201);
    redis.disconnect();
    await allClear();
  });

  it('sends one notification for a killed reverse proxy', async () => {
    await kill(rehearsal.child('front-door'));
    await expectOnePage('TallycastUnreachable');
    await rehearsal.start('front-door');
    await allClear();
  });
});
