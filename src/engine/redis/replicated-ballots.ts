import { PollError } from '../../poll/poll-error.ts';
import type { CommandClient, CommandReplies } from './redis-commands.ts';
import { engineUnavailable } from './redis-failure.ts';
import { writeTogether } from './write-together.ts';

type CastReply = CommandReplies['castBallot'];
type Argument = string | number;

const REPLICAS = 1;
/** One batch in flight and all that wait in the next: the last ballot in line is answered within two seconds. */
const WAIT_MS = 800;
const MAX_WAITING = 2_000;
const NOT_REPLICATED = `No replica confirmed the ballot within ${WAIT_MS} ms`;

interface WaitingBallot {
  readonly args: readonly Argument[];
  readonly resolve: (reply: CastReply) => void;
  readonly reject: (cause: PollError) => void;
}

/**
 * Casts ballots that a replica must hold before they are acknowledged. WAIT blocks its connection and covers what that
 * connection wrote, so this one carries nothing else: while one batch waits, the next one gathers.
 */
export class ReplicatedBallots {
  readonly #client: CommandClient;
  #waiting: WaitingBallot[] = [];
  #busy = false;

  constructor(client: CommandClient) {
    this.#client = client;
  }

  cast(args: readonly Argument[]): Promise<CastReply> {
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(new PollError('engine_unavailable'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ args, resolve, reject });
      if (!this.#busy) void this.#castAll();
    });
  }

  async #castAll(): Promise<void> {
    this.#busy = true;
    while (this.#waiting.length > 0) await this.#castBatch(this.#waiting.splice(0));
    this.#busy = false;
  }

  async #castBatch(batch: readonly WaitingBallot[]): Promise<void> {
    writeTogether(this.#client);
    const casts = batch.map(({ args }) => this.#client.castBallot(...args));
    const [copies, ...replies] = await Promise.allSettled([this.#client.wait(REPLICAS, WAIT_MS), ...casts]);
    const replicated = copies.status === 'fulfilled' && copies.value >= REPLICAS;

    for (const [index, reply] of replies.entries()) {
      const ballot = batch[index]!;
      if (reply.status === 'rejected') ballot.reject(engineUnavailable(reply.reason));
      // Refusals store nothing, so there is nothing for a replica to hold.
      else if (replicated || reply.value[1] === 0) ballot.resolve(reply.value);
      else
        ballot.reject(
          engineUnavailable(copies.status === 'rejected' ? copies.reason : new Error(NOT_REPLICATED)),
        );
    }
  }
}
