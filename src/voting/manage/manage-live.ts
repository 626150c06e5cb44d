import type { Engine } from '../../engine/engine.ts';
import { FollowedValues } from '../../engine/followed-values.ts';
import type { Revision } from '../../engine/polls.ts';
import type { EventStream } from '../../http/event-stream.ts';
import { areSameResults, type PollId, type Reading } from '../../poll/poll.ts';
import type { ManageMessage } from '../page/manage-message.ts';

/** Voters may be quick; a creator gets the counts at most this often. */
const PAUSE_MS = 500;

/** Live counts for creators, hidden or not: the session's cookie is the right to them. */
export class ManageFeed {
  readonly #polls: FollowedValues<Reading | undefined>;

  constructor({ hints, polls }: Engine) {
    this.#polls = new FollowedValues({
      hints,
      topicOf: id => id,
      read: ids => Promise.all(ids.map(id => polls.find(id))),
      findMarks: async ids => (await polls.findRevisions(ids)).map(markOf),
      isSame: (one, other) => !!one && !!other && areSameResults(one.results, other.results),
      pauseMs: PAUSE_MS,
    });
  }

  /** The counts now, and anew after each change, until the stream is closed or the poll is gone. */
  add(id: PollId, stream: EventStream): void {
    const follower = (reading: Reading | undefined) => {
      if (reading) stream.send(JSON.stringify(toMessage(reading)));
      else stream.close();
    };
    stream.onClose(this.#polls.follow(id, follower));
  }

  close(): void {
    this.#polls.close();
  }
}

function toMessage({ poll, results }: Reading): ManageMessage {
  return {
    votes: poll.answers.map(({ id }, index) => ({ id, votes: results.votes[index] ?? 0 })),
    voters: results.totalVoters,
    status: results.status,
    deadlineMs: results.deadlineMs,
  };
}

/** With whether the deadline has passed, because the version grows only when somebody reads the poll after it. */
function markOf(revision: Revision | undefined): string | undefined {
  if (!revision) return undefined;
  const { epoch, version, deadlineMs, readAtMs } = revision;
  return `${epoch} ${version} ${deadlineMs !== null && readAtMs >= deadlineMs}`;
}
