import type { Ballot, BallotReceipt } from '../../poll/ballot.ts';
import { NOT_WRITTEN } from '../../poll/poll-error.ts';
import { type BallotGroup, type CastArguments, GatheredBallots, receiptAt } from './gathered-ballots.ts';
import type { CommandClient } from './redis-commands.ts';
import { engineUnavailable, TOO_MANY_UNANSWERED } from './redis-failure.ts';
import { writeAtOnce } from './write-together.ts';

/** Beyond this many unanswered ballots Redis is not keeping up, and waiting longer helps nobody. */
const MAX_UNANSWERED = 10_000;

/**
 * Casts ballots that count as soon as Redis has them: a full group goes out at once, so that Redis casts it while the next one
 * gathers, and what is left of a turn of the event loop goes out at its end.
 */
export class FastBallots {
  readonly #client: CommandClient;
  readonly #gathered: GatheredBallots;
  #scheduled = false;
  #unanswered = 0;

  constructor(client: CommandClient, argsOf: CastArguments) {
    this.#client = client;
    this.#gathered = new GatheredBallots(client, argsOf);
  }

  cast(ballot: Ballot): Promise<BallotReceipt> {
    if (this.#unanswered >= MAX_UNANSWERED)
      return Promise.reject(engineUnavailable(TOO_MANY_UNANSWERED, NOT_WRITTEN));
    const receipt = this.#gathered.add(ballot);
    this.#unanswered += 1;
    const full = this.#gathered.takeFull();
    if (full) void this.#send(full);
    if (!this.#scheduled) setImmediate(() => this.#flush());
    this.#scheduled = true;
    return receipt;
  }

  #flush(): void {
    this.#scheduled = false;
    writeAtOnce(this.#client, () => {
      for (const group of this.#gathered.takeAll()) void this.#send(group);
    });
  }

  async #send(group: BallotGroup): Promise<void> {
    const { voters } = group;
    const reply = await this.#gathered.cast(group);
    this.#unanswered -= voters.length;
    if (!reply) return;
    for (let index = 0; index < voters.length; index += 1) voters[index]!.resolve(receiptAt(reply, index));
  }
}
