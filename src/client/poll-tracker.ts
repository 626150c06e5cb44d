import { PollNotFound } from '../protocol/close-event.ts';
import type { CountsMessage, HiddenMessage, ResultsMessage, ServerMessage } from '../protocol/messages.ts';
import type { Failure } from './connection.ts';
import { type Rejection, rejectionOfError } from './transports.ts';
import { callSafely, type Via, type WatchListener, type WatchState } from './watch-state.ts';

/** The state of one poll, from its messages in any order and over any transport. */
export class PollTracker {
  readonly #listener: WatchListener;
  state: WatchState = { state: 'connecting', attempts: 0 };
  /** The results on screen; undefined before the first and while they are hidden. */
  results: ResultsMessage | undefined;
  /** The last full results, delivered or not: counts are merged into them. */
  #full: ResultsMessage | undefined;
  /** Position of the results on screen, so that the relay sends only newer ones. */
  since: string | undefined;
  /** Version that was delivered last; kept while results are hidden. */
  #version = -1;
  /** Older reads in a row. Two mean a reset, because REST has no `reset`; a stale copy from a cache does not count. */
  #olderReads = 0;

  constructor(listener: WatchListener, since?: string) {
    this.#listener = listener;
    this.since = since;
  }

  apply(message: ServerMessage, via: Via): void {
    switch (message.type) {
      case 'results':
        this.#full = message;
        this.#applyResults(message, via);
        break;
      case 'counts':
        if (this.#full) this.#applyResults(withCounts(this.#full, message), via);
        break;
      case 'current':
        this.#version = message.version;
        this.#enter({ state: this.results?.final ? 'final' : 'live', via });
        break;
      case 'hidden':
        this.#hide(message);
        break;
      case 'stale':
        this.#enter({ state: 'stale', reason: 'engine' });
        break;
      case 'error':
        if (message.code === 'api_key_required') this.#hide(null);
        else this.#applyError(message);
    }
  }

  /** No call follows. */
  get isEnded(): boolean {
    return this.state.state === 'refused' && this.state.code !== PollNotFound.code;
  }

  disconnect(failure: Failure): void {
    const { state } = this.state;
    if (state === 'connecting') this.#enter({ state, ...failure });
    else if (state !== 'stale' && state !== 'refused') this.#enter({ state: 'stale', reason: 'connection' });
  }

  /** A poll that was seen and is not there now was lost, and may come back: a deletion has a code of its own. */
  reject(rejection: Rejection): void {
    const { state } = this.state;
    if (rejection.code !== PollNotFound.code || state === 'connecting')
      this.#enter({ state: 'refused', ...rejection });
    else if (state !== 'refused') this.#enter({ state: 'stale', reason: 'engine' });
  }

  #applyResults(results: ResultsMessage, via: Via): void {
    const { version, position } = results;
    const isHeld = version === this.#version && position === this.since;
    const isOlder = !isHeld && version <= this.#version;
    const isCached = isOlder && results.timestamp <= (this.results?.timestamp ?? 0);
    if (!isCached) this.#olderReads = isOlder && via === 'read' ? this.#olderReads + 1 : 0;
    const isReset = results.reset || this.#olderReads > 1;
    // With no results on screen the relay was sent no position, so it cannot send `reset`.
    if (isOlder && !isReset && (this.since || via === 'read')) return;
    if (isReset || !isHeld) {
      this.#version = version;
      this.since = position;
      this.results = isOlder ? { ...results, reset: true } : results;
      callSafely(this.#listener.onResults, this.results);
    }
    this.#enter({ state: results.final ? 'final' : 'live', via });
  }

  #hide(hidden: HiddenMessage | null): void {
    this.since = this.results = undefined;
    this.#enter({ state: 'hidden', hidden });
  }

  #applyError(message: Extract<ServerMessage, { type: 'error' }>): void {
    const rejection = rejectionOfError(message);
    if (rejection) this.reject(rejection);
  }

  #enter(state: WatchState): void {
    if (this.isEnded || JSON.stringify(state) === JSON.stringify(this.state)) return;
    this.state = state;
    callSafely(this.#listener.onState, state);
  }
}

function withCounts(
  { reset, by_source, voided_votes, ...full }: ResultsMessage,
  { type, votes, ...newer }: CountsMessage,
): ResultsMessage {
  return {
    ...full,
    ...newer,
    poll_answers: full.poll_answers.map((answer, index) => ({ ...answer, votes: votes[index]! })),
    total_votes: votes.reduce((total, count) => total + count, 0),
  };
}
