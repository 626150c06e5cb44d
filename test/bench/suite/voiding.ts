import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../../src/engine/engine.ts';
import { pollSettings } from '../../../src/poll/poll.ts';
import { startRedisServer } from '../../support/redis-server.ts';
import { importDist } from '../contender/locations.ts';
import { redisObstacle } from '../contender/tallycast.ts';
import { type Bench, type Context, grouped, percentile, row, type Sample } from './bench.ts';

const CONTROL = 'ballots alone';
const VOIDING = 'while a tenth is voided';
const RESTORING = 'while it is counted again';
const SETTLE_MS = 3_000;
const GROUP = 2_000;
const ANSWERS = ['one', 'two', 'three'].map(id => ({ id, text: id }));
const FORGED = 'forged';
const POLL = 'AAAAAAAAAAAA';

/** Ballots that wait for the engine while a tenth of all ballots is taken out of the counts and put back. */
export const voiding: Bench = {
  name: 'voiding',
  title: 'Ballots of an open poll, 400 a second, while ballots of one network are voided',
  control: CONTROL,
  targets: [VOIDING, RESTORING].flatMap(contender => [
    {
      contender,
      metric: 'slowest ballot',
      text: 'at most 50 ms',
      isMet: ({ value }: { value: number }) => value <= 50,
    },
    {
      contender,
      metric: 'wrong readings',
      text: 'none',
      isMet: ({ value }: { value: number }) => value === 0,
    },
  ]),
  async run(context) {
    const samples = await embedded(context);
    const obstacle = redisObstacle();
    if (obstacle) context.note(obstacle);
    else samples.push(...(await redis(context)));
    return samples;
  },
};

async function embedded(context: Context): Promise<Sample[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tallycast-voiding-'));
  try {
    return await measure('embedded', { dataDir }, context);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

async function redis(context: Context): Promise<Sample[]> {
  const server = await startRedisServer();
  try {
    return await measure('Redis', { redisUrl: server.url }, context);
  } finally {
    await server.stop();
  }
}

async function measure(
  name: string,
  where: { dataDir: string } | { redisUrl: string },
  { quick, progress }: Context,
): Promise<Sample[]> {
  const total = quick ? 2_000 : 1_000_000;
  const scene = `${name}, ${grouped(total)} ballots`;
  const { openEngine } =
    await importDist<typeof import('../../../src/engine/open-engine.ts')>('engine/open-engine.js');
  const { voidBallots, restoreBallots } =
    await importDist<typeof import('../../../src/engine/void-ballots.ts')>('engine/void-ballots.js');
  const engine = await openEngine(where);
  try {
    progress(`${scene}: filling`);
    const caster = new Caster(engine);
    await caster.fill(total);
    const stop = caster.castAndRead();
    const figures = [
      ...(await caster.during(scene, CONTROL, () => new Promise(done => setTimeout(done, SETTLE_MS)))),
      ...(await caster.during(scene, VOIDING, async () =>
        voidBallots(engine.polls, POLL, { network: FORGED, toMs: await engine.polls.now() }),
      )),
      ...(await caster.during(scene, RESTORING, () => restoreBallots(engine.polls, POLL, FORGED))),
    ];
    await stop();
    const { totalVoters, voidedVotes } = (await engine.polls.find(POLL))!.results;
    if (totalVoters !== caster.accepted || voidedVotes)
      throw new Error(
        `${caster.accepted} accepted, ${totalVoters} counted, ${voidedVotes} voided at the end`,
      );
    return figures;
  } finally {
    await engine.close();
  }
}

class Caster {
  accepted = 0;
  readonly #engine: Engine;
  #sent = 0;
  #latencies: number[] = [];
  #readings = 0;
  #wrong = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async fill(total: number): Promise<void> {
    await this.#engine.polls.create({
      poll: {
        ...{ id: POLL, title: 'Voiding', description: '', answers: ANSWERS, image: null },
        settings: pollSettings({ isPrivate: true, sharedAddress: true }),
        createdAtMs: await this.#engine.polls.now(),
      },
      keys: { adminKeyHash: '', viewKeyHash: '' },
      deadlineMs: null,
      resultsVisibility: 'always',
    });
    while (this.#sent < total) await Promise.all(Array.from({ length: GROUP }, () => this.#cast()));
    this.#latencies = [];
  }

  /** @returns ends it */
  castAndRead(): () => Promise<void> {
    let isOn = true;
    const pause = (ms: number) => new Promise(done => setTimeout(done, ms));
    const casting = (async () => {
      while (isOn) await Promise.all([pause(10), ...Array.from({ length: 4 }, () => this.#cast())]);
    })();
    const reading = (async () => {
      while (isOn) await Promise.all([pause(5), this.#read()]);
    })();
    return async () => {
      isOn = false;
      await Promise.all([casting, reading]);
    };
  }

  async during(scene: string, contender: string, act: () => Promise<unknown>): Promise<Sample[]> {
    this.#latencies = [];
    [this.#readings, this.#wrong] = [0, 0];
    const beganMs = performance.now();
    await act();
    const seconds = (performance.now() - beganMs) / 1_000;
    const sorted = this.#latencies.sort((a, b) => a - b);
    return row(scene, contender, [
      ['duration', 's', seconds],
      ['ballot p99', 'ms', percentile(sorted, 0.99)],
      ['slowest ballot', 'ms', sorted.at(-1) ?? Number.NaN],
      ['readings', '', this.#readings],
      ['wrong readings', '', this.#wrong],
    ]);
  }

  async #cast(): Promise<void> {
    this.#sent += 1;
    const number = this.#sent;
    const beganMs = performance.now();
    const { outcome } = await this.#engine.polls.cast({
      pollId: POLL,
      answers: [ANSWERS[number % ANSWERS.length]!.id],
      voter: `voter-${number}`,
      address: 'one address',
      ballotId: `ballot-${number}`,
      network: number % 10 === 0 ? FORGED : `network-${number % 500}`,
    });
    if (outcome !== 'accepted') throw new Error(`a ballot was not accepted: ${outcome}`);
    this.accepted += 1;
    this.#latencies.push(performance.now() - beganMs);
  }

  /** Every ballot is counted or voided, once, in each reading. */
  async #read(): Promise<void> {
    const least = this.accepted;
    const { votes, totalVoters, voidedVotes = 0 } = (await this.#engine.polls.find(POLL))!.results;
    const all = totalVoters + voidedVotes;
    this.#readings += 1;
    if (votes.reduce((sum, count) => sum + count, 0) !== totalVoters || all < least || all > this.#sent)
      this.#wrong += 1;
  }
}
