import type { CountsMessage, HiddenMessage, ResultsMessage, ServerMessage } from '../protocol/messages.ts';
import type { Failure, Refusal } from './channel.ts';
import { refusalOfError } from './refusal.ts';
import { guarded, type Via, type WatchListener, type WatchState } from './watch-state.ts';

/** What one poll's messages amount to, in whatever order and by whatever way they come. */
export class PollTracker {
  readonly #listener: WatchListener;
  #state: WatchState = { state: 'connecting', attempts: 0 };
  #results: ResultsMessage | undefined;
  /** What came last in full, handed on or not: counts complete it. */
  #full: ResultsMessage | undefined;
  /** The position on screen, for the relay to send only what differs. */
  since: string | undefined;
  /** What was handed on last; outlives the results, which hiding takes away. */
  #version = -1;
  /** In a row. Two mean a reset, which reading has no word for; what a cache kept from before proves nothing, and is not counted. */
  #olderReads = 0;

  /** @param since the position that the caller holds already */
  constructor(listener: WatchListener, since?: string) {
    this.#listener = listener;
    this.since = since;
  }

  get state(): WatchState {
    return this.#state;
  }

  /** The results on screen; undefined before the first and while they are hidden. */
  get results(): ResultsMessage | undefined {
    return this.#results;
  }

  take(message: ServerMessage, via: Via): void {
    switch (message.type) {
      case 'results':
        this.#full = message;
        this.#takeResults(message, via);
        break;
      case 'counts':
        if (this.#full) this.#takeResults(withCounts(this.#full, message), via);
        break;
      case 'current':
        this.#version = message.version;
        this.#enter({ state: this.#results?.final ? 'final' : 'live', via });
        break;
      case 'hidden':
        this.#conceal(message);
        break;
      case 'stale':
        this.#enter({ state: 'stale', reason: 'engine' });
        break;
      case 'error':
        if (message.code === 'api_key_required') this.#conceal(null);
        else this.#refuseFor(message);
    }
  }

  /** The relay is out of reach. */
  lose(failure: Failure): void {
    if (this.#state.state === 'connecting') this.#enter({ state: 'connecting', ...failure });
    else this.#enter({ state: 'stale', reason: 'connection' });
  }

  refuse(refusal: Refusal): void {
    this.#enter({ state: 'refused', ...refusal });
  }

  #takeResults(results: ResultsMessage, via: Via): void {
    const { version, position } = results;
    const isHeld = version === this.#version && position === this.since;
    const isOlder = !isHeld && version <= this.#version;
    const isOldCopy = isOlder && results.timestamp <= (this.#results?.timestamp ?? 0);
    if (!isOldCopy) this.#olderReads = isOlder && via === 'read' ? this.#olderReads + 1 : 0;
    const isReset = results.reset || this.#olderReads > 1;
    // While nothing is on screen the relay was told of no position, and so cannot say `reset`.
    if (isOlder && !isReset && (this.since || via === 'read')) return;
    if (isReset || !isHeld) {
      this.#version = version;
      this.since = position;
      this.#results = isOlder ? { ...results, reset: true } : results;
      guarded(this.#listener.onResults, this.#results);
    }
    this.#enter({ state: results.final ? 'final' : 'live', via });
  }

  #conceal(hidden: HiddenMessage | null): void {
    this.since = this.#results = undefined;
    this.#enter({ state: 'hidden', hidden });
  }

  #refuseFor(message: Extract<ServerMessage, { type: 'error' }>): void {
    const refusal = refusalOfError(message, this.#state.state !== 'connecting');
    if (refusal) this.refuse(refusal);
  }

  #enter(state: WatchState): void {
    if (this.#state.state === 'refused' || JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    guarded(this.#listener.onState, state);
  }
}

/** The results that a relay would have sent in place of the counts. */
function withCounts(
  { reset, ...full }: ResultsMessage,
  { type, votes, ...newer }: CountsMessage,
): ResultsMessage {
  return {
    ...full,
    ...newer,
    poll_answers: full.poll_answers.map((answer, index) => ({ ...answer, votes: votes[index]! })),
    total_votes: votes.reduce((total, count) => total + count, 0),
  };
}
