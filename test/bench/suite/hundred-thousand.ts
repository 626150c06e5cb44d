import { startLoops } from '../contender/bare-send.ts';
import { FLOOR, OURS } from '../contender/contenders.ts';
import { redisObstacle, startRelay } from '../contender/tallycast.ts';
import { ManySubscribers, type SpreadMessage } from '../load/many-subscribers.ts';
import { monotonicMs, paced, pause, until } from '../system/clock.ts';
import { compilerObstacle } from '../system/compile.ts';
import { cpuMs, rssBytes } from '../system/usage.ts';
import { type Bench, type Context, grouped, row, type Sample } from './bench.ts';

/** At 20,000 descriptors each, with room for a worker that takes more than its share. */
const PROCESSES = 8;
/** Opened and served before the first reading, so that what all share is not charged to the crowd. */
const EARLY = 50 * PROCESSES;
const EXACT_PATIENCE_MS = 10_000;
const SETTLE_MS = 3_000;

export const hundredThousand: Bench = {
  name: 'hundred-thousand',
  title: `A hundred thousand subscribers of one poll, ${PROCESSES} processes, one update a second`,
  control: FLOOR,
  targets: [
    {
      contender: OURS,
      metric: 'exact',
      text: 'all of them',
      isMet: ({ value, also }) => value === also('present'),
    },
    {
      contender: OURS,
      metric: 'exact after',
      text: 'within 1 s of the last ballot',
      isMet: ({ value }) => value <= 1_000,
    },
    { contender: OURS, metric: 'p99', text: 'under 1 s', isMet: ({ value }) => value < 1_000 },
    { contender: OURS, metric: 'RSS each', text: 'under 6 KB', isMet: ({ value }) => value < 6 },
    { contender: OURS, metric: 'cut off', text: '0', isMet: ({ value }) => value === 0 },
  ],
  async run(context) {
    const obstacle = redisObstacle() ?? compilerObstacle();
    if (obstacle) {
      context.note(obstacle);
      return [];
    }
    context.progress(FLOOR);
    const loops = await startLoops(PROCESSES);
    const floor = await measure(context, FLOOR, { ...loops, readVotes: async version => version });
    context.progress(OURS);
    const relay = await startRelay({ workers: PROCESSES, hz: 2 });
    const dial = { ports: [relay.port], path: `${relay.dial.path}&compact=1` };
    const readVotes = () => readTotal(relay.port, relay.pollId);
    return [...floor, ...(await measure(context, OURS, { ...relay, dial, readVotes }))];
  },
};

interface Server {
  readonly dial: { readonly ports: readonly number[]; readonly path: string };
  pids(): number[];
  publish(): Promise<number>;
  /** What is stored once the last version was published. */
  readVotes(last: number): Promise<number>;
  stop(): Promise<void>;
}

async function measure({ quick, progress }: Context, contender: string, server: Server): Promise<Sample[]> {
  const size = quick ? 2_000 : 100_000;
  const subscribers = new ManySubscribers(server.dial, size);
  try {
    await subscribers.open(EARLY);
    await paced(5, 1_000, () => server.publish());
    await pause(quick ? 300 : SETTLE_MS);
    const pids = server.pids();
    const rssBefore = rssBytes(pids);
    const cpuBefore = cpuMs(pids);
    await subscribers.open(size - EARLY);
    const openCpu = cpuMs(pids) - cpuBefore;
    await pause(quick ? 300 : SETTLE_MS);
    const idle = (rssBytes(pids) - rssBefore) / 1_024 / (size - EARLY);
    progress(`${grouped(size)} are there, ${idle.toFixed(1)} KB each`);
    const updates = await measureUpdates(server, subscribers, size, quick ? 3 : 20);
    const after = (rssBytes(pids) - rssBefore) / 1_024 / (size - EARLY);
    return row(`${grouped(size)} subscribers`, contender, [
      ...updates,
      ['RSS each', 'KB', Math.max(idle, after)],
      ['CPU per upgrade', 'µs', (openCpu * 1_000) / (size - EARLY)],
    ]);
  } finally {
    await subscribers.leave();
    await server.stop();
  }
}

async function measureUpdates(server: Server, subscribers: ManySubscribers, size: number, updates: number) {
  await paced(1, 2_000, () => server.publish());
  await pause(1_000);
  await subscribers.forget();
  const pids = server.pids();
  const before = { server: cpuMs(pids), load: cpuMs(subscribers.pids) };
  const casts = new Map<number, number>();
  let last = 0;
  await paced(1, updates * 1_000, async () => {
    const castMs = monotonicMs();
    last = await server.publish();
    casts.set(last, castMs);
  });
  const ackedMs = monotonicMs();
  await until(async () => (await subscribers.tally()).frames >= updates * size, EXACT_PATIENCE_MS, 100);
  const { open, closed, frames, bytes } = await subscribers.tally();
  const cpu = cpuMs(pids) - before.server;
  const loadCpu = cpuMs(subscribers.pids) - before.load;
  const messages = (await subscribers.messages()).map(parse);
  const stored = await server.readVotes(last);
  const final = messages.filter(({ version, votes }) => version === last && votes === stored);
  return [
    ['present', '', open],
    ['exact', '', final.reduce((sum, { held }) => sum + held, 0)],
    ['exact after', 'ms', lastSeenMs(final) - ackedMs],
    ['p50', 'ms', agePercentile(messages, casts, 0.5)],
    ['p99', 'ms', agePercentile(messages, casts, 0.99)],
    ['max', 'ms', agePercentile(messages, casts, 1)],
    ['cut off', '', closed],
    ['frames', '', frames],
    ['bytes a frame', '', bytes / frames],
    ['CPU per frame', 'µs', (cpu * 1_000) / frames],
    ['client CPU', 'µs', (loadCpu * 1_000) / frames],
  ] as const;
}

async function readTotal(port: number, pollId: string): Promise<number> {
  const reply = await fetch(`http://127.0.0.1:${port}/api/poll/${pollId}`);
  return ((await reply.json()) as { total_votes: number }).total_votes;
}

/** @returns NaN if no subscriber saw it */
function lastSeenMs(messages: readonly Spread[]): number {
  if (messages.length === 0) return Number.NaN;
  return Math.max(
    ...messages.map(({ firstMs, eachMs }) => firstMs + eachMs.findLastIndex(count => count > 0)),
  );
}

interface Spread extends SpreadMessage {
  readonly version: number;
  /** That it shows, all answers together. */
  readonly votes: number;
}

/** Whole `results`, and `counts` as well. */
function parse(message: SpreadMessage): Spread {
  const { version, votes, poll_answers } = JSON.parse(message.text) as {
    version: number;
    votes?: number[];
    poll_answers?: { votes: number }[];
  };
  const each = votes ?? poll_answers?.map(answer => answer.votes) ?? [];
  return { ...message, version, votes: each.reduce((total, count) => total + count, 0) };
}

/** From the ballot that a frame shows to the frame, over all frames of these casts. */
function agePercentile(
  messages: readonly Spread[],
  casts: ReadonlyMap<number, number>,
  share: number,
): number {
  const ages = messages.flatMap(({ version, firstMs, eachMs }) => {
    const castMs = casts.get(version);
    if (castMs === undefined) return [];
    return eachMs.map((count, ms) => ({ count, ageMs: firstMs + ms - castMs }));
  });
  ages.sort((a, b) => a.ageMs - b.ageMs);
  let left = share * ages.reduce((sum, { count }) => sum + count, 0);
  for (const { count, ageMs } of ages) {
    left -= count;
    if (left <= 0 && count > 0) return ageMs;
  }
  return Number.NaN;
}
