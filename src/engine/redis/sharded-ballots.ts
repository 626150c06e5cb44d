import type { Ballot, BallotReceipt } from '../../poll/ballot.ts';
import { NOT_WRITTEN, type PollError } from '../../poll/poll-error.ts';
import type { CastArguments } from './gathered-ballots.ts';
import type { NodeClient } from './redis-commands.ts';
import type { RedisConnections } from './redis-connections.ts';
import { engineUnavailable, NO_PRIMARY } from './redis-failure.ts';
import { ReplicatedBallots } from './replicated-ballots.ts';

/** What a node answers where a slot is not, or not quite, its own: nothing was executed. */
const REDIRECTED = /^(MOVED|ASK|TRYAGAIN) /;
const MAX_TRIES = 10;
const PAUSE_MS = 100;

/**
 * Ballots that a replica must hold, each cast on a connection of its own to the node that owns the poll: WAIT speaks of what
 * its connection has written, so a client that follows redirections by itself would have it speak of another node's writes.
 */
export class ShardedBallots {
  readonly #connections: RedisConnections;
  readonly #argsOf: CastArguments;
  readonly #onError: (error: Error) => void;
  readonly #casters = new WeakMap<NodeClient, ReplicatedBallots>();

  constructor(connections: RedisConnections, argsOf: CastArguments, onError: (error: Error) => void) {
    this.#connections = connections;
    this.#argsOf = argsOf;
    this.#onError = onError;
  }

  async cast(ballot: Ballot): Promise<BallotReceipt> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#casterFor(ballot).cast(ballot);
      } catch (error) {
        const { cause } = error as PollError;
        const isRedirected = cause instanceof Error && REDIRECTED.test(cause.message);
        if (!isRedirected || tries === MAX_TRIES) throw error;
        this.#connections.refreshOwners();
        await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
      }
    }
  }

  #casterFor({ pollId }: Ballot): ReplicatedBallots {
    const client = this.#connections.ballotsOf(this.#argsOf(pollId)[0] as string);
    if (!client) throw engineUnavailable(NO_PRIMARY, NOT_WRITTEN);
    const known = this.#casters.get(client);
    if (known) return known;
    const caster = new ReplicatedBallots(client, this.#argsOf, this.#onError);
    this.#casters.set(client, caster);
    return caster;
  }
}
