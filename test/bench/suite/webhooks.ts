import { SAMPLE_POLL } from '../contender/sample-results.ts';
import { startVotingFrontEnd } from '../contender/voting-front-end.ts';
import type { ReceiverCalls } from '../load/receiver.process.ts';
import type { VoterCalls } from '../load/voter.process.ts';
import { end, startWorker } from '../system/children.ts';
import { type Bench, type Context, percentile, row, type Sample } from './bench.ts';

const SCENE = '200 ballots a second over 334 polls, embedded';
const PLAIN = 'polls without a webhook';
const WATCHED = '1,000 webhooks with poll.progress';
/** Its ratio to the first is the noise. */
const AGAIN = 'other polls without a webhook';
const GROUPS = [PLAIN, WATCHED, AGAIN] as const;
const MOST = 1.05;
const PER_SECOND = 200;
const POLLS = 334;
const WEBHOOKS = 1_000;
const WEBHOOKS_OF_POLL = 3;
const ROUNDS = 10;
const BALLOTS = 1_000;
const KEY = 'operator-key-of-the-bench';
const SETTINGS = {
  PROOF_COST: '1',
  OPERATOR_KEYS: KEY,
  OPERATOR_PER_MINUTE: '1000000',
  WEBHOOK_PRIVATE_ADDRESSES: 'true',
};

/** What ballots feel of the progress of their polls: one process has both engine, voting front end and the delivery. */
export const webhooks: Bench = {
  name: 'webhooks',
  title: 'Progress to webhooks: how long a ballot takes beside it',
  control: PLAIN,
  targets: [
    {
      scene: SCENE,
      contender: WATCHED,
      metric: 'ballot p99',
      text: `at most ${MOST} × that without webhooks`,
      isMet: ({ ratio }) => ratio <= MOST,
    },
  ],
  run: measure,
};

async function measure({ quick, note }: Context): Promise<Sample[]> {
  const [rounds, count, polls] = quick ? [1, 200, 20] : [ROUNDS, BALLOTS, POLLS];
  const frontEnd = await startVotingFrontEnd('embedded', SETTINGS);
  const load = startWorker<VoterCalls>('voter');
  const receiver = startWorker<ReceiverCalls>('receiver');
  try {
    const { port, relayPort } = frontEnd;
    const url = await receiver.call('open', undefined);
    const post = async (path: string, body: object): Promise<{ id: string }> => {
      const reply = await fetch(`http://127.0.0.1:${relayPort}/api${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': KEY },
        body: JSON.stringify(body),
      });
      if (reply.status !== 201) throw new Error(`${path}: ${reply.status}`);
      return (await reply.json()) as { id: string };
    };
    // One round more, which is the compiler's.
    const each = (rounds + 1) * count;
    for (const group of GROUPS) {
      const ids: string[] = [];
      for (let index = 0; index < polls; index += 1) {
        const { id } = await post('/poll', { poll: SAMPLE_POLL });
        ids.push(id);
        const left = Math.min(WEBHOOKS_OF_POLL, WEBHOOKS - index * WEBHOOKS_OF_POLL);
        for (let added = 0; group === WATCHED && added < left; added += 1)
          await post(`/poll/${id}/webhook`, { webhook: { url, events: ['poll.progress'] } });
      }
      await load.call('prepareFor', { port, pollIds: ids, count: each });
    }
    const waits: Record<(typeof GROUPS)[number], number[]> = { [PLAIN]: [], [WATCHED]: [], [AGAIN]: [] };
    for (let round = 0; round <= rounds; round += 1)
      for (let turn = 0; turn < GROUPS.length; turn += 1) {
        const place = (round + turn) % GROUPS.length;
        const from = place * each + round * count;
        const ms = await load.call('sendAtRate', { port, from, to: from + count, perSecond: PER_SECOND });
        if (round > 0) waits[GROUPS[place]!].push(...ms);
      }
    note(`${await receiver.call('count', undefined)} requests reached the receiver`);
    return GROUPS.flatMap(group => {
      const sorted = waits[group].sort((a, b) => a - b);
      return row(SCENE, group, [
        ['ballot p50', 'ms', percentile(sorted, 0.5)],
        ['ballot p99', 'ms', percentile(sorted, 0.99)],
      ]);
    });
  } finally {
    await end(load.child);
    await end(receiver.child);
    await frontEnd.stop();
  }
}
