import type { Ballot, BallotReceipt } from '../../poll/ballot.ts';
import { NOT_WRITTEN, type PollError } from '../../poll/poll-error.ts';
import { type BallotGroup, type CastArguments, GatheredBallots, receiptAt } from './gathered-ballots.ts';
import type { NodeClient } from './redis-commands.ts';
import { engineUnavailable, TOO_MANY_UNANSWERED } from './redis-failure.ts';
import { writeAtOnce } from './write-together.ts';

const REPLICAS = 1;
/** One batch in flight and all that wait in the next: the last ballot in line is answered within two seconds. */
const WAIT_MS = 800;
const MAX_WAITING = 2_000;
const NOT_REPLICATED = `No replica confirmed the ballot within ${WAIT_MS} ms`;
const NO_REPLICA =
  'DURABILITY=replicated, and no replica takes the ballots: voters are asked to try again until one does';
const REPLICA_BACK = 'a replica takes the ballots again';

/**
 * Casts ballots that a replica must hold before they are acknowledged. WAIT blocks its connection and covers what that
 * connection wrote, so this one carries nothing else: while one batch waits, the next one gathers.
 */
export class ReplicatedBallots {
  readonly #client: NodeClient;
  readonly #gathered: GatheredBallots;
  readonly #onError: (error: Error) => void;
  #isShort = false;
  #waiting = 0;
  #busy = false;

  /** @param onError told once where no replica takes ballots, and once when one does again */
  constructor(client: NodeClient, argsOf: CastArguments, onError: (error: Error) => void) {
    this.#client = client;
    this.#onError = onError;
    this.#gathered = new GatheredBallots(client, argsOf);
  }

  cast(ballot: Ballot): Promise<BallotReceipt> {
    if (this.#waiting >= MAX_WAITING)
      return Promise.reject(engineUnavailable(TOO_MANY_UNANSWERED, NOT_WRITTEN));
    const receipt = this.#gathered.add(ballot);
    this.#waiting += 1;
    if (!this.#busy) void this.#castAll();
    return receipt;
  }

  async #castAll(): Promise<void> {
    this.#busy = true;
    while (this.#waiting > 0) {
      this.#waiting = 0;
      await this.#castBatch(this.#gathered.takeAll());
    }
    this.#busy = false;
  }

  async #castBatch(batch: readonly BallotGroup[]): Promise<void> {
    const replies = await writeAtOnce(this.#client, () =>
      Promise.all(batch.map(group => this.#gathered.cast(group))),
    );
    // Only now: a script that Redis has forgotten is sent again, and WAIT covers what was written before it.
    const failure = await this.#client.wait(REPLICAS, WAIT_MS).then(
      copies => this.#shortfall(copies),
      cause => engineUnavailable(cause, NOT_WRITTEN),
    );
    for (const [index, { voters }] of batch.entries()) {
      const reply = replies[index];
      if (!reply) continue;
      for (const [place, { resolve, reject }] of voters.entries()) {
        const receipt = receiptAt(reply, place);
        // Refusals store nothing, so there is nothing for a replica to hold.
        if (failure && receipt.version > 0) reject(failure);
        else resolve(receipt);
      }
    }
  }

  /** @param copies how many replicas hold what was written */
  #shortfall(copies: number): PollError | undefined {
    const isShort = copies < REPLICAS;
    if (isShort !== this.#isShort) this.#onError(new Error(isShort ? NO_REPLICA : REPLICA_BACK));
    this.#isShort = isShort;
    return isShort ? engineUnavailable(NOT_REPLICATED, NOT_WRITTEN) : undefined;
  }
}
