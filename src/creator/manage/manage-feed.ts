import { countViewers } from '../../engine/audience.ts';
import { type Engine, type Records, revisionMark } from '../../engine/engine.ts';
import { FollowedValues } from '../../engine/followed-topics.ts';
import { findUnlessDeleted } from '../../engine/not-found.ts';
import { readRejectedBallots } from '../../engine/rejected-ballots.ts';
import type { EventStream } from '../../http/event-stream.ts';
import type { ManageNumbers, ManageState } from '../../pages/page/messages.ts';
import { votersBySource } from '../../poll/chat-platform.ts';
import { areSameResults, type PollId, type Reading } from '../../poll/poll.ts';

/** Counts are sent at most this often. */
const PAUSE_MS = 500;
const COUNT_MS = 2_000;

/** Live counts for manage pages, hidden results included. Callers check the session. */
export class ManageFeed {
  /** Undefined for a poll that the engine has lost. */
  readonly #polls: FollowedValues<Reading | 'deleted' | undefined>;
  readonly #records: Records;
  readonly #open = new Map<EventStream, { readonly id: PollId; sent?: string }>();
  #counting: NodeJS.Timeout | undefined;

  constructor(engine: Engine) {
    const { hints, polls, records } = engine;
    this.#records = records;
    this.#polls = new FollowedValues({
      hints,
      read: ids => Promise.all(ids.map(id => findUnlessDeleted(engine, id))),
      findMarks: async ids => (await polls.findRevisions(ids)).map(revisionMark),
      isSame: (one, other) =>
        typeof one === 'object' && typeof other === 'object' && areSameResults(one.results, other.results),
      pauseMs: PAUSE_MS,
    });
  }

  /** Sends the counts now and after each change, until the poll is deleted or its admin key is renewed. */
  add({ poll: { id }, keys }: Reading, stream: EventStream): void {
    const follower = (reading: Reading | 'deleted' | undefined) => {
      if (!reading) return;
      if (reading !== 'deleted' && reading.keys.adminKeyHash === keys.adminKeyHash)
        stream.send(JSON.stringify(stateOf(reading)));
      else stream.close();
    };
    stream.onClose(this.#polls.follow(id, follower));
    this.#open.set(stream, { id });
    stream.onClose(() => this.#open.delete(stream));
    this.#counting ??= setInterval(() => void this.#sendNumbers(), COUNT_MS).unref();
    void this.#sendNumbers();
  }

  close(): void {
    clearInterval(this.#counting);
    this.#polls.close();
  }

  /** Sends screens and rejected ballots, which change without a hint. */
  async #sendNumbers(): Promise<void> {
    const open = [...this.#open];
    if (open.length === 0) {
      clearInterval(this.#counting);
      this.#counting = undefined;
      return;
    }
    const ids = [...new Set(open.map(([, { id }]) => id))];
    const numbers = await Promise.all([
      countViewers(this.#records, ids),
      readRejectedBallots(this.#records, ids),
    ]).catch(() => undefined);
    if (!numbers) return;
    const [audiences, rejections] = numbers;
    for (const [stream, known] of open) {
      const index = ids.indexOf(known.id);
      const text = JSON.stringify({
        screens: audiences[index]!,
        rejected: rejections[index]!,
      } satisfies ManageNumbers);
      if (known.sent === text || !this.#open.has(stream)) continue;
      known.sent = text;
      stream.send(text);
    }
  }
}

function stateOf({ poll, results }: Reading): ManageState {
  return {
    votes: poll.answers.map(({ id }, index) => ({ id, votes: results.votes[index] ?? 0 })),
    voters: results.totalVoters,
    sources: votersBySource(results),
    voided: results.voidedVotes ?? 0,
    status: results.status,
    resultsVisibility: results.resultsVisibility,
    deadlineMs: results.deadlineMs,
    closesInMs: results.closesInMs,
    edition: results.edition,
    nowMs: results.readAtMs,
  };
}
