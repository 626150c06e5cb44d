import type { Engine, Following } from '../engine/engine.ts';
import type { PollId } from '../poll/poll.ts';
import { type ProgramEvent, progressOf } from './poll-event.ts';

/** Each is a subscription and some hundred bytes. Polls beyond it have no progress. */
const MAX_FOLLOWED = 10_000;

export interface FollowedPoll {
  readonly subject: PollId;
  /** Id of the show that owns it; null for none, or if it is not known. */
  readonly showId: string | null;
}

interface Followed extends FollowedPoll {
  readonly following: Following;
  /** Stands for the round and the counts in `event`. */
  mark?: string;
  event?: ProgramEvent;
}

/** Progress of polls, made of the hints that ballots give in any case: it costs them nothing. */
export class PollProgress {
  readonly #engine: Pick<Engine, 'polls' | 'hints'>;
  readonly #followed = new Map<PollId, Followed>();
  /** Longest waiting first. */
  readonly #changed = new Set<PollId>();

  constructor(engine: Pick<Engine, 'polls' | 'hints'>) {
    this.#engine = engine;
  }

  follow({ subject, showId }: FollowedPoll): void {
    if (this.#followed.has(subject) || this.#followed.size >= MAX_FOLLOWED) return;
    const change = () => {
      if (this.#followed.has(subject)) this.#changed.add(subject);
    };
    const following = this.#engine.hints.follow(subject, change);
    this.#followed.set(subject, { subject, showId, following });
    // What was cast before this process followed it.
    void following.ready.then(change);
  }

  unfollow(subject: PollId): void {
    this.#followed.get(subject)?.following.unfollow();
    this.#followed.delete(subject);
    this.#changed.delete(subject);
  }

  unfollowAll(isUnwanted: (poll: FollowedPoll) => boolean): void {
    for (const poll of this.#followed.values()) if (isUnwanted(poll)) this.unfollow(poll.subject);
  }

  /** Takes a poll that may have changed. */
  take(): FollowedPoll | undefined {
    const [subject] = this.#changed;
    if (subject === undefined) return undefined;
    this.#changed.delete(subject);
    return this.#followed.get(subject);
  }

  /** @returns the same event for the same counts; undefined if there is nothing to tell */
  async find(subject: PollId): Promise<ProgramEvent | undefined> {
    const reading = this.#followed.has(subject) ? await this.#engine.polls.find(subject) : undefined;
    const event = reading && progressOf(reading);
    const followed = this.#followed.get(subject);
    if (!event || !followed) return undefined;
    const { votes, totalVoters, voidedVotes } = reading.results;
    const mark = JSON.stringify([reading.poll.round, votes, totalVoters, voidedVotes]);
    if (followed.event && followed.mark === mark) return followed.event;
    // Ballots right after a hint give none: see `HINT_WINDOW_MS`.
    this.#changed.add(subject);
    Object.assign(followed, { event, mark });
    return event;
  }
}
