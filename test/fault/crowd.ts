import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../../src/engine/engine.ts';
import type { Ballot } from '../../src/poll/ballot.ts';
import { Ledger } from '../support/ledger.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import { until } from '../support/until.ts';
import { pick, type Random } from './plan.ts';

export interface CrowdOptions {
  /** Each voter takes one of them, and another one for a retry: what a front end begins, another may finish. */
  readonly engines: readonly Engine[];
  readonly pollId: string;
  readonly random: Random;
  readonly voters?: number | undefined;
  /** Number of its first ballot, where two crowds cast in one poll. */
  readonly from?: number | undefined;
  /** Between one ballot of a voter and the next. */
  readonly pauseMs?: number | undefined;
}

const RETRY_MS = 20;
/** One in so many ballots is sent twice at the same moment. */
const TWIN_EVERY = 17;

/**
 * Voters under load, and the ledger of what they know. An outcome that stays unknown is tried again
 * under the same ballot id, as the contract asks of a front end.
 */
export class Crowd {
  readonly ledger: Ledger;
  /** Refusals other than that the engine is away, such as a fault of the engine. */
  readonly unexpected: string[] = [];
  readonly #options: CrowdOptions;
  #casting = true;
  #number = 0;
  #watch = new Stopwatch();
  #longestGapMs = 0;
  #voters: Promise<unknown> = Promise.resolve();

  private constructor(options: CrowdOptions) {
    this.#options = options;
    this.ledger = new Ledger(options.pollId);
    this.#number = options.from ?? 0;
  }

  static async start(options: CrowdOptions): Promise<Crowd> {
    const crowd = new Crowd(options);
    const reading = await (options.engines[0] as Engine).polls.find(options.pollId);
    const answers = reading?.poll.answers.map(({ id }) => id) ?? [];
    crowd.#voters = Promise.all(Array.from({ length: options.voters ?? 64 }, () => crowd.#vote(answers)));
    return crowd;
  }

  get acknowledged(): number {
    return this.ledger.accepted;
  }

  /** The longest time without a single acknowledgement so far, less what the machine kept this process waiting. */
  get longestGapMs(): number {
    return this.#casting ? Math.max(this.#longestGapMs, this.#watch.ms) : this.#longestGapMs;
  }

  /** Until so many more are acknowledged. */
  async more(ballots: number): Promise<void> {
    const enough = this.acknowledged + ballots;
    await until(() => this.acknowledged >= enough, `${ballots} more ballots`, 60_000);
  }

  /** Stops casting. */
  async stop(): Promise<void> {
    if (this.#casting) this.#longestGapMs = this.longestGapMs;
    this.#casting = false;
    await this.#voters;
  }

  /** Stops casting, and resolves once every outcome is known. */
  async end(engine: Engine = this.#options.engines[0] as Engine): Promise<void> {
    await this.stop();
    await answering(engine);
    await this.ledger.settle(engine);
  }

  async #vote(answers: readonly string[]): Promise<void> {
    const { random, pauseMs = 2 } = this.#options;
    while (this.#casting) {
      this.#number += 1;
      const ballot = this.ledger.draw(pick(random, answers), this.#number);
      const twin = this.#number % TWIN_EVERY === 0 ? [this.#castUntilKnown(ballot)] : [];
      await Promise.all([this.#castUntilKnown(ballot), ...twin]);
      await pause(pauseMs);
    }
  }

  async #castUntilKnown(ballot: Ballot): Promise<void> {
    const { engines, random } = this.#options;
    while (this.#casting) {
      const outcome = await this.ledger.cast(pick(random, engines), ballot);
      if (outcome === 'unknown') {
        await pause(RETRY_MS * (0.5 + random()));
        continue;
      }
      if (outcome !== 'accepted' && outcome !== 'repeated') this.unexpected.push(outcome);
      this.#acknowledge();
      return;
    }
  }

  #acknowledge(): void {
    // A look at the clock that counts the machine's waiting costs too much for each ballot.
    const gapMs = this.#watch.wallMs;
    if (gapMs > 100) this.#longestGapMs = this.longestGapMs;
    if (gapMs > 10) this.#watch = new Stopwatch();
  }
}

/** A connection has its own time to come back, even where others are back already. */
export function answering(...engines: readonly Engine[]): Promise<void> {
  const answers = (engine: Engine) =>
    engine.polls.now().then(
      () => true,
      () => false,
    );
  return until(
    async () => (await Promise.all(engines.map(answers))).every(Boolean),
    'the engine to answer',
    60_000,
  );
}
