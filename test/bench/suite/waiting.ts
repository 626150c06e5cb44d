import { SAMPLE_POLL } from '../contender/sample-results.ts';
import { type RunningFrontEnd, startVotingFrontEnd } from '../contender/voting-front-end.ts';
import type { NeighborCalls } from '../load/neighbor.process.ts';
import type { WaitingCalls } from '../load/waiting.process.ts';
import { end, startWorker } from '../system/children.ts';
import { monotonicMs, pause, until } from '../system/clock.ts';
import { cpuMs } from '../system/usage.ts';
import { type Bench, type Context, grouped, percentile, row, type Sample } from './bench.ts';

const ALONE = 'alone';
const FLOODS = {
  'beside 64 connections of one address, of a poll of its own': { kinds: ['states'], cookies: 0 },
  'beside the same with 1,500 cookies': { kinds: ['states with sealed cookies'], cookies: 1_500 },
} as const;
const CONNECTIONS = 64;
/** Until the interval has followed the number of pages. */
const SETTLE_MS = 15_000;
const MEASURE_MS = 10_000;
const PATIENCE_MS = 60_000;

export const waiting: Bench = {
  name: 'waiting',
  title: 'Pages that wait for a poll to open, each with an address and a cookie',
  control: ALONE,
  targets: [ALONE, ...Object.keys(FLOODS)].flatMap(contender => [
    { contender, metric: 'longest interval', text: 'at most 40 s', isMet: ({ value }) => value <= 40_000 },
    { contender, metric: 'opening known p99', text: 'within 10 s', isMet: ({ value }) => value < 10_000 },
    {
      contender,
      metric: 'longest interval',
      text: 'as alone',
      isMet: ({ value, others }) => value <= (others.get(ALONE) ?? value),
    } satisfies Bench['targets'][number],
  ]),
  async run(context) {
    context.note('the load and the neighbor share the cores with the server');
    const samples: Sample[] = [];
    for (const pages of context.quick ? [300] : [8_000, 10_000])
      for (const contender of [ALONE, ...Object.keys(FLOODS)] as (keyof typeof FLOODS | typeof ALONE)[]) {
        context.progress(`${grouped(pages)} pages, ${contender}`);
        samples.push(...(await measure(context, pages, contender)));
      }
    return samples;
  },
};

async function measure(
  context: Context,
  pages: number,
  contender: keyof typeof FLOODS | typeof ALONE,
): Promise<Sample[]> {
  const frontEnd = await startVotingFrontEnd('embedded', { NEWCOMERS_PER_SECOND: '' });
  const load = startWorker<WaitingCalls>('waiting');
  const neighbor = startWorker<NeighborCalls>('neighbor');
  try {
    const { port, relayPort, pollId: own } = frontEnd;
    const poll = await createUpcoming(relayPort);
    await load.call('open', { port, pollId: poll.id, pages, withinMs: pages });
    await pause(SETTLE_MS);
    if (contender !== ALONE)
      await neighbor.call('begin', { port, pollId: own, connections: CONNECTIONS, ...FLOODS[contender] });
    await load.call('take', undefined as never);
    const cpuBefore = cpuMs(frontEnd.pids());
    await pause(MEASURE_MS);
    const cpu = cpuMs(frontEnd.pids()) - cpuBefore;
    const waited = await load.call('take', undefined as never);
    const openedMs = monotonicMs();
    await open(frontEnd, poll);
    await until(async () => (await load.call('opened', undefined as never)) >= pages, PATIENCE_MS, 500);
    const { opened, errors } = await load.call('take', undefined as never);
    if (contender !== ALONE)
      context.note(`${contender}: ${JSON.stringify(await neighbor.call('end', undefined as never))}`);
    const late = [...opened, ...Array<number>(pages - opened.length).fill(Number.POSITIVE_INFINITY)]
      .map(atMs => atMs - openedMs)
      .sort((a, b) => a - b);
    const failed = [waited.errors, errors].flatMap(counts => Object.values(counts));
    return row(`${grouped(pages)} pages`, contender, [
      ['longest interval', 'ms', waited.longestMs],
      ['requests a second', '', (1_000 * waited.requests) / MEASURE_MS],
      ['share of a core', '%', (100 * cpu) / MEASURE_MS],
      ['CPU of a request', 'µs', (1_000 * cpu) / waited.requests],
      ['opening known p50', 'ms', percentile(late, 0.5)],
      ['opening known p99', 'ms', percentile(late, 0.99)],
      ['opening known max', 'ms', late.at(-1) ?? Number.NaN],
      ['replies other than 200', '', failed.reduce((sum, count) => sum + count, 0)],
    ]);
  } finally {
    await end(load.child);
    await end(neighbor.child);
    await frontEnd.stop();
  }
}

interface Upcoming {
  readonly id: string;
  readonly adminKey: string;
}

async function createUpcoming(relayPort: number): Promise<Upcoming> {
  const reply = await fetch(`http://127.0.0.1:${relayPort}/api/poll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ poll: { ...SAMPLE_POLL, mip: true, status: 'upcoming' } }),
  });
  const { id, admin_key: adminKey } = (await reply.json()) as { id: string; admin_key: string };
  return { id, adminKey };
}

async function open({ relayPort }: RunningFrontEnd, { id, adminKey }: Upcoming): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${relayPort}/api/poll/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'x-api-key': adminKey },
    body: JSON.stringify({ poll: { status: 'open' } }),
  });
  if (!reply.ok) throw new Error(`the poll did not open: ${await reply.text()}`);
}
