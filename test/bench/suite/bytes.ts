import { OURS, OURS_COMPACT } from '../contender/contenders.ts';
import {
  nextBallot,
  openBenchEngine,
  type RunningRelay,
  redisObstacle,
  startRelay,
} from '../contender/tallycast.ts';
import { ByteCounter } from '../load/byte-counter.ts';
import { upgradeRequest } from '../load/dial.ts';
import { type Bench, grouped, row, type Sample } from './bench.ts';

const AT_ONCE = 1_000;

interface Scene {
  readonly answers: number;
  readonly ballots: number;
  /** What part of the ballots an answer gets, for all of them together. */
  readonly weights: readonly number[];
}

/** A vote among friends' favourites, and a long list in which the first gets a fifth and the last one vote in 500 (Zipf). */
const SCENES: readonly Scene[] = [
  { answers: 4, ballots: 5_000, weights: [41, 28, 19, 12] },
  { answers: 100, ballots: 100_000, weights: Array.from({ length: 100 }, (_, index) => 1 / (index + 1)) },
];

export const bytes: Bench = {
  name: 'bytes',
  title: 'Bytes: one update of an open poll on the wire, framing included',
  control: OURS,
  targets: SCENES.map(scene => ({
    ...{ scene: nameOf(scene), contender: OURS_COMPACT, metric: 'WebSocket' },
    text: `at most ${scene.answers === 4 ? 130 : 650}`,
    isMet: ({ value }) => value <= (scene.answers === 4 ? 130 : 650),
  })),
  async run({ quick, note, progress }) {
    const obstacle = redisObstacle();
    if (obstacle) {
      note(obstacle);
      return [];
    }
    const relay = await startRelay();
    const samples: Sample[] = [];
    try {
      for (const scene of SCENES) {
        progress(nameOf(scene));
        samples.push(...(await measure(relay, scene, quick ? scene.answers * 10 : scene.ballots)));
      }
    } finally {
      await relay.stop();
    }
    return samples;
  },
};

function nameOf({ answers, ballots }: Scene): string {
  return `${answers} answers, ${grouped(ballots)} ballots`;
}

async function measure(relay: RunningRelay, scene: Scene, ballots: number): Promise<Sample[]> {
  const engine = await openBenchEngine(relay.redis?.url ?? '');
  try {
    const { id, poll_answers } = await createPoll(relay.port, scene.answers);
    const votes = shares(scene.weights, ballots).flatMap((count, index) =>
      Array.from({ length: count }, () => poll_answers[index]!.id),
    );
    for (let at = 0; at < votes.length; at += AT_ONCE)
      await Promise.all(
        votes.slice(at, at + AT_ONCE).map(answer => engine.castBallot(nextBallot(id, [answer]))),
      );
    const paths = ['', '?compact=1'].map(query => `/api/poll/${id}/live${query}`);
    const counters = [
      ...paths.map(path => upgradeRequest({ ...relay.dial, path })),
      ...paths.map(path => `GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`),
    ].map(request => new ByteCounter(relay.port, request));
    await Promise.all(counters.map(counter => counter.next()));
    const updates = Promise.all(counters.map(counter => counter.next()));
    await engine.castBallot(nextBallot(id, [poll_answers[0]!.id]));
    const sizes = await updates;
    for (const counter of counters) counter.close();
    return [OURS, OURS_COMPACT].flatMap((contender, index) =>
      row(nameOf(scene), contender, [
        ['WebSocket', 'bytes', sizes[index]!],
        ['SSE', 'bytes', sizes[index + 2]!],
      ]),
    );
  } finally {
    await engine.close();
  }
}

async function createPoll(port: number, count: number) {
  const answers = Array.from({ length: count }, (_, index) => `The answer that is number ${index + 1}`);
  const reply = await fetch(`http://127.0.0.1:${port}/api/poll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ poll: { title: 'Which song should we play next?', answers } }),
  });
  return (await reply.json()) as { id: string; poll_answers: { id: string }[] };
}

/** Whole ballots; what rounding leaves goes to the first. */
function shares(weights: readonly number[], ballots: number): number[] {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const counts = weights.map(weight => Math.floor((weight / all) * ballots));
  counts[0]! += ballots - counts.reduce((sum, one) => sum + one, 0);
  return counts;
}
