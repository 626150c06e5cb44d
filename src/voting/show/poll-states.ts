import type { Engine } from '../../engine/engine.ts';
import { FollowedValues } from '../../engine/followed-values.ts';
import { revisionMark } from '../../engine/revision-mark.ts';
import type { PollId } from '../../poll/poll.ts';
import type { PublicPollState } from '../page/on-air-message.ts';
import { publicPollState } from '../page/public-poll-state.ts';

/** Ballots hint as well, and change nothing of how a poll stands. */
const PAUSE_MS = 250;

/** How the polls on air stand: begun, over, seen, deleted. Nothing of it changes when a ballot is cast. */
export class PollStates {
  readonly #standings: FollowedValues<PublicPollState>;

  constructor({ hints, polls }: Pick<Engine, 'hints' | 'polls'>) {
    this.#standings = new FollowedValues({
      hints,
      topicOf: id => id,
      read: ids => Promise.all(ids.map(async id => publicPollState((await polls.find(id))?.results))),
      findMarks: async ids => (await polls.findRevisions(ids)).map(revisionMark),
      isSame: (one, other) => one.mark === other.mark,
      pauseMs: PAUSE_MS,
    });
  }

  /** Tells how a poll stands, now and on each change. @returns stops the telling */
  follow(poll: PollId, follower: (standing: PublicPollState) => void): () => void {
    return this.#standings.follow(poll, follower);
  }

  close(): void {
    this.#standings.close();
  }
}
