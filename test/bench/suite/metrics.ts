import { findFreePort } from '../../support/free-port.ts';
import type { RunningContender } from '../contender/contender.ts';
import { startRelay } from '../contender/tallycast.ts';
import { startVotingFrontEnd } from '../contender/voting-front-end.ts';
import { Audience } from '../load/audience.ts';
import type { VoterCalls } from '../load/voter.process.ts';
import { end, startWorker } from '../system/children.ts';
import { paced } from '../system/clock.ts';
import { cpuMs } from '../system/usage.ts';
import { type Bench, type Context, row, type Sample } from './bench.ts';

/**
 * What it costs to be measured and scraped. Both servers run side by side and are loaded in turn, in short pieces, so that
 * whatever else the machine does happens to both.
 */

const WITHOUT = 'METRICS_PORT not set';
const WITH = 'METRICS_PORT, scraped every 15 s';
const FRAMES = 'CPU per frame';
const BALLOTS = 'CPU per ballot';
const UPDATES_PER_SECOND = 10;
/** As Prometheus is mostly told to. */
const SCRAPE_EVERY_MS = 15_000;
const EASY = { PROOF_COST: '1' };

interface Server {
  readonly who: string;
  /** Loads it for a while. Resolves to what that has cost, and for how many. */
  piece(index: number): Promise<{ cpu: number; count: number }>;
  stop(): Promise<void>;
}

export const metrics: Bench = {
  name: 'metrics',
  title: 'Metrics: the same load with and without them',
  control: WITHOUT,
  targets: [FRAMES, BALLOTS].map(metric => ({
    ...{ who: WITH, metric, text: 'at most 1.02 ×' },
    isMet: ({ ratio }) => ratio <= 1.02,
  })),
  async run(context) {
    return [
      ...(await inTurn(context, '2,000 subscribers', FRAMES, startStreaming)),
      ...(await inTurn(context, 'voters, embedded engine', BALLOTS, startVoting)),
    ];
  },
};

async function inTurn(
  context: Context,
  scene: string,
  metric: string,
  start: (who: string, metricsPort: number | undefined, quick: boolean) => Promise<Server>,
): Promise<Sample[]> {
  const metricsPort = await findFreePort();
  const servers = [
    await start(WITHOUT, undefined, context.quick),
    await start(WITH, metricsPort, context.quick),
  ];
  const scraping = setInterval(() => void scrape(metricsPort), SCRAPE_EVERY_MS);
  const sums = new Map(servers.map(({ who }) => [who, { cpu: 0, count: 0 }]));
  const pieces = context.quick ? 1 : 12;
  try {
    for (let index = 0; index < pieces; index += 1)
      for (const server of index % 2 === 0 ? servers : servers.toReversed()) {
        context.progress(`${scene}, ${server.who}, piece ${index + 1} of ${pieces}`);
        const { cpu, count } = await server.piece(index);
        const sum = sums.get(server.who)!;
        sum.cpu += cpu;
        sum.count += count;
      }
  } finally {
    clearInterval(scraping);
    for (const server of servers) await server.stop();
  }
  return [...sums].flatMap(([who, { cpu, count }]) =>
    row(scene, who, [[metric, 'µs', (cpu * 1_000) / count]]),
  );
}

async function scrape(port: number): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
  await reply?.text();
}

async function startStreaming(who: string, metricsPort: number | undefined, quick: boolean): Promise<Server> {
  const relay: RunningContender = await startRelay({ hz: 20, ...(metricsPort && { metricsPort }) });
  const size = quick ? 200 : 2_000;
  const audience = new Audience(relay.dial, size);
  await audience.open(size);
  const publish = () => paced(UPDATES_PER_SECOND, quick ? 500 : 4_000, () => void relay.publish());
  await publish();
  const pids = relay.pids();
  return {
    who,
    async piece() {
      const framesBefore = await audience.settle();
      const before = cpuMs(pids);
      await publish();
      const frames = (await audience.settle()) - framesBefore;
      return { cpu: cpuMs(pids) - before, count: frames };
    },
    async stop() {
      await audience.leave();
      await relay.stop();
    },
  };
}

async function startVoting(who: string, metricsPort: number | undefined, quick: boolean): Promise<Server> {
  const [warm, count] = quick ? [20, 20] : [2_000, 1_500];
  const pieces = quick ? 1 : 12;
  const settings = metricsPort ? { METRICS_PORT: `${metricsPort}` } : {};
  const frontEnd = await startVotingFrontEnd('embedded', { ...EASY, ...settings });
  const load = startWorker<VoterCalls>('voter');
  const { port, pollId } = frontEnd;
  await load.call('prepare', { port, pollId, count: warm + pieces * count });
  await frontEnd.restart(settings);
  await load.call('sendBallots', { port, pollId, from: 0, to: warm });
  return {
    who,
    async piece(index) {
      const from = warm + index * count;
      const before = cpuMs(frontEnd.pids());
      await load.call('sendBallots', { port, pollId, from, to: from + count });
      return { cpu: cpuMs(frontEnd.pids()) - before, count };
    },
    async stop() {
      await end(load.child);
      await frontEnd.stop();
    },
  };
}
