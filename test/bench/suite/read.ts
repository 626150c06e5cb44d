import { findFreePort } from '../../support/free-port.ts';
import { answers } from '../contender/probe.ts';
import { launchStaticServer, STATIC_SERVER } from '../contender/static-server.ts';
import { redisObstacle, startRelay } from '../contender/tallycast.ts';
import type { ReaderCalls } from '../load/reader.process.ts';
import { end, startWorker } from '../system/children.ts';
import { cpuMs } from '../system/usage.ts';
import { type Bench, type Context, grouped, percentile, row, type Sample } from './bench.ts';

const CONNECTIONS = 64;
const HOT = 'one hot poll';
const MANY = 10_000;
const ON_REDIS = 'Tallycast on Redis';
const EMBEDDED = 'Tallycast, embedded engine';

export const read: Bench = {
  name: 'read',
  title: `Read: GET results over ${CONNECTIONS} connections`,
  control: STATIC_SERVER,
  targets: [
    {
      scene: HOT,
      contender: ON_REDIS,
      metric: 'reads',
      text: 'at least 0.8 × the static route',
      isMet: ({ ratio }) => ratio >= 0.8,
    },
    {
      scene: `${grouped(MANY)} polls`,
      contender: ON_REDIS,
      metric: 'reads',
      text: 'at least 0.5 × the static route',
      isMet: ({ ratio }) => ratio >= 0.5,
    },
  ],
  async run(context) {
    const obstacle = redisObstacle();
    if (obstacle) context.note(`${ON_REDIS}: ${obstacle}`);
    let body = '{"success":1}';
    const samples: Sample[] = [];
    for (const [contender, engine] of [
      [EMBEDDED, 'embedded'],
      [ON_REDIS, 'redis'],
    ] as const) {
      if (engine === 'redis' && obstacle) continue;
      context.progress(contender);
      const relay = await startRelay({ engine });
      try {
        body = await (await fetch(`http://127.0.0.1:${relay.port}/api/poll/${relay.pollId}`)).text();
        const ids = await relay.createPolls(context.quick ? 200 : MANY);
        samples.push(...(await measure(context, contender, relay.port, relay.pids(), ids)));
      } finally {
        await relay.stop();
      }
    }
    return [...samples, ...(await measureStatic(context, body))];
  },
};

async function measureStatic(context: Context, body: string): Promise<Sample[]> {
  context.progress(STATIC_SERVER);
  const port = await findFreePort();
  const child = launchStaticServer(port, body);
  try {
    if (!(await answers(port, 10_000))) throw new Error('the static server does not answer');
    const ids = Array.from({ length: context.quick ? 200 : MANY }, (_, index) => `poll${index}`);
    return await measure(context, STATIC_SERVER, port, [child.pid ?? 0], ids);
  } finally {
    await end(child);
  }
}

async function measure(
  { quick }: Context,
  contender: string,
  port: number,
  pids: readonly number[],
  ids: readonly string[],
): Promise<Sample[]> {
  const reader = startWorker<ReaderCalls>('reader');
  const samples: Sample[] = [];
  try {
    for (const [scene, paths] of [
      [HOT, ids.slice(0, 1)],
      [`${grouped(ids.length)} polls`, ids],
    ] as const) {
      const order = { port, paths: paths.map(id => `/api/poll/${id}`), connections: CONNECTIONS };
      await reader.call('read', { ...order, ms: quick ? 300 : 1_500 });
      const cpuBefore = cpuMs(pids);
      const { ms, failures, latencies } = await reader.call('read', { ...order, ms: quick ? 500 : 4_000 });
      if (failures > 0) throw new Error(`${contender}: ${failures} reads failed`);
      samples.push(
        ...row(scene, contender, [
          ['reads', '/s', latencies.length / (ms / 1_000)],
          ['p99', 'ms', percentile(latencies, 0.99)],
          ['server CPU', 'µs', ((cpuMs(pids) - cpuBefore) * 1_000) / latencies.length],
        ]),
      );
    }
  } finally {
    await end(reader.child);
  }
  return samples;
}
