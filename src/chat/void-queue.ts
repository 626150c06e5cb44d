import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Engine } from '../engine/engine.ts';
import { voidUsers } from '../engine/void-ballots.ts';
import type { ChatPlatform } from '../poll/chat-platform.ts';
import { idOfRound, type PollId } from '../poll/poll.ts';

/** Votes that wait for the engine. Beyond it the newest are dropped. */
const MAX_VOIDS = 5_000;
const VOIDS_OF_STEP = 250;
const PAUSE_MS = 100;
/** After an error of the engine. */
const RETRY_MS = 250;

export interface Void {
  readonly id: PollId;
  readonly round: number | undefined;
  readonly platform: ChatPlatform;
  readonly ballotId: string;
}

/** Takes votes of banned users and of deleted messages out of the counts, many of a poll in one step. */
export class VoidQueue {
  readonly #engine: Pick<Engine, 'polls' | 'archive'>;
  readonly #log: FastifyBaseLogger;
  #waiting: Void[] = [];
  #isWorking = false;
  #isClosed = false;

  constructor(engine: Pick<Engine, 'polls' | 'archive'>, log: FastifyBaseLogger) {
    this.#engine = engine;
    this.#log = log;
  }

  add(due: Void): void {
    if (this.#waiting.length < MAX_VOIDS) this.#waiting.push(due);
    else this.#logDropped(due.platform);
    if (this.#isWorking) return;
    this.#isWorking = true;
    setTimeout(() => void this.#work(), PAUSE_MS).unref();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#isClosed) {
      const [first] = this.#waiting as [Void];
      const isSame = ({ id, round, platform }: Void) =>
        id === first.id && round === first.round && platform === first.platform;
      const step = this.#waiting.filter(isSame).slice(0, VOIDS_OF_STEP);
      try {
        await this.#voidBallots(first, [...new Set(step.map(({ ballotId }) => ballotId))]);
        const done = new Set(step);
        this.#waiting = this.#waiting.filter(one => !done.has(one));
      } catch {
        await pause(RETRY_MS);
      }
    }
    this.#isWorking = false;
  }

  async #voidBallots({ id, round, platform }: Void, ids: readonly string[]): Promise<void> {
    const { archive, polls } = this.#engine;
    const reading = await polls.find(id);
    // Most banned users have not voted.
    const missing = new Set(reading ? await archive.findMissing({ id, round }, ids) : ids);
    const cast = ids.filter(ballotId => !missing.has(ballotId));
    // A user has the same ballot id in each round, and the next one may have begun meanwhile.
    const storedId = reading?.poll.round === round ? id : idOfRound(id, round ?? 1);
    const isRoom = cast.length === 0 || (await voidUsers(polls, storedId, platform, cast, await polls.now()));
    if (!isRoom) this.#logDropped(platform);
  }

  #logDropped(platform: ChatPlatform): void {
    this.#log.warn({ platform }, 'too many bans in chat: votes of some still count');
  }
}
