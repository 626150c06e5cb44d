import { type RunningFrontEnd, startVotingFrontEnd } from '../contender/voting-front-end.ts';
import type { Arrivals, FollowerCalls, Following } from '../load/follower.process.ts';
import { end, startWorker } from '../system/children.ts';
import { monotonicMs, pause } from '../system/clock.ts';
import { cpuMs } from '../system/usage.ts';
import { type Bench, grouped, percentile, row } from './bench.ts';

const FOLLOWING = 'pages that follow a show';
const ALONE = 'the same pages, opened as far apart';
const SHOW = 'bench';
/** Until all wait. */
const SETTLE_MS = 3_000;

export const followers: Bench = {
  name: 'followers',
  title: 'Followers: open pages of one show, from the change of what is on air to the page of the next poll',
  control: ALONE,
  targets: [
    { who: FOLLOWING, metric: 'last page', text: 'within 2 s', isMet: ({ value }) => value <= 2_000 },
    { who: FOLLOWING, metric: 'lost', text: '0', isMet: ({ value }) => value === 0 },
  ],
  async run({ quick, progress }) {
    const pages = quick ? 200 : 2_000;
    const site = await startVotingFrontEnd('embedded', {});
    const load = startWorker<FollowerCalls>('follower');
    try {
      const { next, putOnAir } = await takeShow(site);
      const following: Following = { port: site.port, show: SHOW, known: site.pollId, pages };
      const measured = async (act: () => Promise<{ beganMs: number; arrivals: Arrivals }>) => {
        const { beganMs, arrivals } = await act();
        const ms = arrivals.openedMs.map(at => at - beganMs).sort((a, b) => a - b);
        return [
          ['p50', 'ms', percentile(ms, 0.5)],
          ['last page', 'ms', ms.at(-1) ?? Number.NaN],
          ['lost', '', arrivals.odd],
        ] as const;
      };
      progress(ALONE);
      await load.call('open', following);
      const cpuAtFirst = cpuMs(site.pids());
      const alone = await measured(async () => {
        const beganMs = monotonicMs();
        return { beganMs, arrivals: await load.call('open', following) };
      });
      const cpuAlone = cpuMs(site.pids()) - cpuAtFirst;
      progress(FOLLOWING);
      const waiting = load.call('follow', following);
      await pause(SETTLE_MS);
      const cpuBefore = cpuMs(site.pids());
      const switched = await measured(async () => {
        const beganMs = monotonicMs();
        await putOnAir(next);
        return { beganMs, arrivals: await waiting };
      });
      const cpuSwitched = cpuMs(site.pids()) - cpuBefore;
      const scene = `${grouped(pages)} pages`;
      const cpu = (ms: number) => ['CPU a page', 'µs', (ms * 1_000) / pages] as const;
      return [
        ...row(scene, ALONE, [...alone, cpu(cpuAlone)]),
        ...row(scene, FOLLOWING, [...switched, cpu(cpuSwitched)]),
      ];
    } finally {
      await end(load.child);
      await site.stop();
    }
  },
};

/** A show with the site's poll on air, and one more to switch to. */
async function takeShow({ relayPort, pollId }: RunningFrontEnd) {
  const ask = async (method: string, path: string, body: unknown, key = '') => {
    const reply = await fetch(`http://127.0.0.1:${relayPort}/api/show${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`a show refused: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as { show_key: string; id: string };
  };
  const { show_key: key } = await ask('POST', '', { show: { name: SHOW } });
  const draft = { title: 'Who sings next?', answers: ['Ann', 'Ben'], mip: true };
  const { id: next } = await ask('POST', `/${SHOW}/poll`, { poll: draft }, key);
  const putOnAir = (id: string) => ask('PATCH', `/${SHOW}`, { show: { on_air: id } }, key);
  await putOnAir(pollId);
  return { next, putOnAir };
}
