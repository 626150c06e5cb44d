import { png } from '../../support/images.ts';
import { SAMPLE_POLL } from '../contender/sample-results.ts';
import { startVotingFrontEnd } from '../contender/voting-front-end.ts';
import type { NeighborCalls } from '../load/neighbor.process.ts';
import { end, startWorker } from '../system/children.ts';
import { monotonicMs, pause } from '../system/clock.ts';
import { type Bench, type Context, percentile, row, type Sample } from './bench.ts';

const ALONE = 'alone';
const DRAWINGS = 'beside 16 connections of one address with new sizes of the dearest picture';
const RESULTS = 'beside 16 connections with the results of a small poll';
const KEPT = 'beside 16 connections with the dearest kept picture';
const CONNECTIONS = 16;
const KB = 1024;
/** As many as a poll may have, each with a picture of its own and a text of two lines. */
const ANSWERS = 100;
/** Of these, as large as an image may be. */
const LARGE = 20;
const OTHERS = { drawn: 40, read: 400 };
const DRAWN = 'a picture of another address';
const READ = 'results read by another address';

export const pictures: Bench = {
  name: 'pictures',
  title: 'Pictures of results: what others wait beside the dearest',
  control: undefined,
  targets: [
    { contender: DRAWINGS, metric: 'p99', text: 'within 1 s', isMet: ({ value }) => value < 1_000 },
    {
      contender: KEPT,
      metric: 'p50',
      text: 'at most 5 × beside results',
      isMet: ({ value, others }) => value <= 5 * (others.get(RESULTS) ?? Number.NaN),
    },
  ],
  async run(context) {
    context.note('the load and the neighbor share the cores with the server');
    const frontEnd = await startVotingFrontEnd('embedded', {
      CHANGES_PER_MINUTE: '1000',
      CREATE_BYTES_PER_DAY: '1000000000',
    });
    const neighbor = startWorker<NeighborCalls>('neighbor');
    try {
      const url = `http://127.0.0.1:${frontEnd.relayPort}`;
      const port = frontEnd.relayPort;
      const dear = await createDearest(url, context.quick ? 5 : ANSWERS);
      const small = frontEnd.pollId;
      const samples: Sample[] = [];
      for (const [scene, contender, pollId, kind] of [
        [DRAWN, ALONE, undefined, 'results'],
        [DRAWN, DRAWINGS, dear, 'new pictures'],
        [READ, ALONE, undefined, 'results'],
        [READ, RESULTS, small, 'results'],
        [READ, KEPT, dear, 'pictures'],
      ] as const) {
        context.progress(contender);
        if (pollId) {
          const flood = { port, pollId, connections: CONNECTIONS, kinds: [kind], cookies: 0 };
          await neighbor.call('begin', flood);
          await pause(1_000);
        }
        const spent = await (scene === DRAWN ? drawOthers : readOthers)(context, url, small);
        if (pollId)
          context.note(`${contender}: ${JSON.stringify(await neighbor.call('end', undefined as never))}`);
        samples.push(
          ...row(scene, contender, [
            ['p50', 'ms', percentile(spent, 0.5)],
            ['p99', 'ms', percentile(spent, 0.99)],
          ]),
        );
      }
      return samples;
    } finally {
      await end(neighbor.child);
      await frontEnd.stop();
    }
  },
};

let sizes = 0;
const drawOthers = ({ quick }: Context, url: string, id: string) =>
  timed(quick ? 5 : OTHERS.drawn, () => {
    sizes += 1;
    return `${url}/api/poll/${id}/picture.png?size=${400 + sizes}x300`;
  });

const readOthers = ({ quick }: Context, url: string, id: string) =>
  timed(quick ? 5 : OTHERS.read, () => `${url}/api/poll/${id}`);

/** @returns milliseconds of each request, each of another address, ascending */
async function timed(count: number, urlOf: () => string): Promise<number[]> {
  const spent: number[] = [];
  while (spent.length < count) {
    const beganMs = monotonicMs();
    const headers = { 'x-forwarded-for': `10.0.0.${1 + (spent.length % 250)}` };
    const reply = await fetch(urlOf(), { headers });
    await reply.arrayBuffer();
    if (reply.status !== 200) throw new Error(`${reply.status} instead of a reply`);
    spent.push(monotonicMs() - beganMs);
    await pause(5);
  }
  return spent.sort((a, b) => a - b);
}

async function createDearest(url: string, count: number): Promise<string> {
  const answers = Array.from({ length: count }, (_, at) =>
    `${at} ${'Which of them, '.repeat(13)}`.slice(0, 200),
  );
  const created = await fetch(`${url}/api/poll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ poll: { ...SAMPLE_POLL, title: 'W'.repeat(300), answers } }),
  });
  const { id, admin_key, poll_answers } = (await created.json()) as {
    id: string;
    admin_key: string;
    poll_answers: { id: string }[];
  };
  const large = png(4 * KB, 4 * KB);
  for (const [at, answer] of poll_answers.entries()) {
    const body = new Uint8Array(at < LARGE ? large : png(KB, KB, [at, 0, 0], 180 * KB));
    const put = { method: 'PUT', headers: { 'x-api-key': admin_key }, body };
    const { status } = await fetch(`${url}/api/poll/${id}/answer/${answer.id}/image`, put);
    if (status !== 200) throw new Error(`an image was not stored: ${status}`);
  }
  return id;
}
