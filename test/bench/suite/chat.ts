import { SAMPLE_POLL } from '../contender/sample-results.ts';
import { startVotingFrontEnd } from '../contender/voting-front-end.ts';
import type { ChatCalls } from '../load/chat.process.ts';
import type { VoterCalls } from '../load/voter.process.ts';
import { end, startWorker } from '../system/children.ts';
import { rssBytes } from '../system/usage.ts';
import { type Bench, type Context, grouped, percentile, row, type Sample } from './bench.ts';

const SCENE = '50 ballots of the page a second, embedded';
const [PLAIN, VOTES, FLOOD] = ['no chat', '2,000 votes a second', '20,000 votes a second'] as const;
const ROWS = [
  [PLAIN, 0],
  [VOTES, 2_000],
  [FLOOD, 20_000],
] as const;
const PER_SECOND = 50;
const MOST = 1.1;
const MOST_AT_P99 = 1.5;

/** What voters on pages feel of a chat that one process with everything reads. */
export const chat: Bench = {
  name: 'chat',
  title: 'Votes from chat: how long a ballot of the page takes beside them',
  control: PLAIN,
  targets: [
    {
      scene: SCENE,
      contender: VOTES,
      metric: 'ballot p50',
      text: `at most ${MOST} × that without chat`,
      isMet: ({ ratio }) => ratio <= MOST,
    },
    {
      scene: SCENE,
      contender: VOTES,
      metric: 'ballot p99',
      text: `at most ${MOST_AT_P99} × that without chat`,
      isMet: ({ ratio }) => ratio <= MOST_AT_P99,
    },
  ],
  run: measure,
};

async function measure({ quick, note }: Context): Promise<Sample[]> {
  const seconds = quick ? 4 : 25;
  const load = startWorker<VoterCalls>('voter');
  const stream = startWorker<ChatCalls>('chat');
  const url = await stream.call('open', undefined);
  const frontEnd = await startVotingFrontEnd('embedded', {
    PROOF_COST: '1',
    CHAT: 'twitch',
    CHAT_TWITCH_URL: url,
  });
  try {
    const { port, relayPort, pollId } = frontEnd;
    const api = `http://127.0.0.1:${relayPort}/api`;
    const send = async (method: string, path: string, body: object, key = '') => {
      const headers = { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) };
      const reply = await fetch(`${api}${path}`, { method, headers, body: JSON.stringify(body) });
      if (!reply.ok) throw new Error(`${path}: ${reply.status}`);
      return (await reply.json()) as { id: string; show_key: string };
    };
    const { show_key: key } = await send('POST', '/show', { show: { name: 'bench' } });
    const { id } = await send('POST', '/show/bench/poll', { poll: SAMPLE_POLL }, key);
    const link = [{ platform: 'twitch', channel: 'fridaynight' }];
    await send('PATCH', '/show/bench', { show: { chat: link, on_air: id } }, key);
    while (!(await stream.call('isRead', undefined))) await new Promise(done => setTimeout(done, 50));

    const count = PER_SECOND * seconds;
    await load.call('prepare', { port, pollId, count: count * ROWS.length });
    const voters = async () =>
      ((await (await fetch(`${api}/poll/${id}`)).json()) as { total_voters: number }).total_voters;
    const samples: Sample[] = [];
    let said = 0;
    for (const [index, [name, perSecond]] of ROWS.entries()) {
      const before = await voters();
      const [spoken, waits] = await Promise.all([
        stream.call('say', { from: said, perSecond, seconds }),
        load.call('sendAtRate', {
          port,
          from: index * count,
          to: (index + 1) * count,
          perSecond: PER_SECOND,
        }),
      ]);
      said += spoken;
      let [counted, last] = [await voters(), -1];
      while (counted !== last) {
        last = counted;
        await new Promise(done => setTimeout(done, 500));
        counted = await voters();
      }
      if (spoken > 0) note(`${name}: ${grouped(counted - before)} of ${grouped(spoken)} votes counted`);
      const sorted = waits.sort((a, b) => a - b);
      samples.push(
        ...row(SCENE, name, [
          ['ballot p50', 'ms', percentile(sorted, 0.5)],
          ['ballot p99', 'ms', percentile(sorted, 0.99)],
          ['memory', 'MB', rssBytes(frontEnd.pids()) / 1e6],
        ]),
      );
    }
    return samples;
  } finally {
    await end(load.child);
    await end(stream.child);
    await frontEnd.stop();
  }
}
