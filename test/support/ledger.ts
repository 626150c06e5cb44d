import { expect } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import type { Ballot, BallotOutcome } from '../../src/poll/ballot.ts';
import type { AnswerId, PollId } from '../../src/poll/poll.ts';
import type { ResultsBody } from '../../src/protocol/messages.ts';

/** Errors and lost replies: the ballot may be counted or not, and only a retry tells. */
type Known = BallotOutcome | 'unknown';

const RETRY_MS = 10;

interface Entry {
  readonly ballot: Ballot;
  outcome: Known;
  attempts: number;
  /** Monotonic milliseconds. */
  acceptedAtMs?: number;
}

/**
 * What casters know of their ballots, against which a poll is judged: every acknowledged ballot is there, none is there
 * twice, and while ballots are cast the counts lie between what is acknowledged and what was tried.
 */
export class Ledger {
  readonly entries = new Map<string, Entry>();
  /** Counted as ballots come, because waiting tests ask often. */
  accepted = 0;
  readonly #pollId: PollId;

  constructor(pollId: PollId) {
    this.#pollId = pollId;
  }

  /** A ballot of its own voter, unless told otherwise. */
  draw(answer: AnswerId, number: number, wishes: Partial<Ballot> = {}): Ballot {
    const voter = `voter-${number}`;
    return {
      pollId: this.#pollId,
      answers: [answer],
      voter,
      address: voter,
      ballotId: `ballot-${number}`,
      ...wishes,
    };
  }

  async cast(engine: Engine, ballot: Ballot): Promise<Known> {
    const entry = this.entries.get(ballot.ballotId) ?? { ballot, outcome: 'unknown', attempts: 0 };
    this.entries.set(ballot.ballotId, entry);
    entry.attempts += 1;
    const outcome = await engine.castBallot(ballot).then(
      receipt => receipt.outcome,
      () => 'unknown' as const,
    );
    // Whichever attempt was accepted: the others hear `repeated`, or nothing at all.
    if (entry.outcome !== 'accepted' && outcome !== 'unknown') {
      entry.outcome = outcome === 'repeated' ? 'accepted' : outcome;
      if (entry.outcome === 'accepted') {
        this.accepted += 1;
        entry.acceptedAtMs = performance.now();
      }
    }
    return outcome;
  }

  /** Casts the same ballot again and again where nothing is heard of it. */
  async castUntilKnown(engine: Engine, ballot: Ballot): Promise<BallotOutcome> {
    for (;;) {
      const outcome = await this.cast(engine, ballot);
      if (outcome !== 'unknown') return outcome;
      // An engine that is away may refuse at once, and has to come back in the meantime.
      await new Promise(done => setTimeout(done, RETRY_MS));
    }
  }

  /** Retries ballots with an unknown outcome until there is none. */
  async settle(engine: Engine): Promise<void> {
    await Promise.all(this.#with('unknown').map(({ ballot }) => this.castUntilKnown(engine, ballot)));
  }

  get unknown(): number {
    return this.#with('unknown').length;
  }

  /** Every accepted ballot is stored, none twice, no other is, and the counts are those of the stored ballots. */
  async expectExact(engine: Engine): Promise<void> {
    const { lost, strange } = await this.compare(engine);
    expect({ lost, strange }).toEqual({ lost: [], strange: [] });
  }

  /**
   * What became of the ballots where some may be lost. None is stored twice, and the counts are
   * those of what is stored: that holds whatever was lost.
   *
   * @returns ids of those that were accepted and are not stored, and of those that are stored and were not accepted
   */
  async compare(engine: Engine): Promise<{ stored: number; lost: string[]; strange: string[] }> {
    const stored: string[] = [];
    const votes = new Map<AnswerId, number>();
    for await (const batch of engine.polls.readBallots(this.#pollId))
      for (const { ballotId, answers } of batch) {
        stored.push(ballotId);
        for (const answer of answers) votes.set(answer, (votes.get(answer) ?? 0) + 1);
      }
    const held = new Set(stored);
    expect(held.size).toBe(stored.length);
    const reading = await engine.polls.find(this.#pollId);
    expect(reading?.results.totalVoters).toBe(stored.length);
    expect(reading?.results.votes).toEqual(reading?.poll.answers.map(({ id }) => votes.get(id) ?? 0));
    const accepted = this.#with('accepted').map(({ ballot }) => ballot.ballotId);
    return {
      stored: stored.length,
      lost: accepted.filter(id => !held.has(id)),
      strange: stored.filter(id => this.entries.get(id)?.outcome !== 'accepted'),
    };
  }

  #with(outcome: Known): Entry[] {
    return [...this.entries.values()].filter(entry => entry.outcome === outcome);
  }
}

/** In every reply and every message, whatever is being counted at the same time. */
export function expectConsistent({ total_votes, total_voters, poll_answers }: ResultsBody): void {
  const sum = poll_answers.reduce((total, { votes }) => total + votes, 0);
  if (sum !== total_votes || total_voters !== total_votes)
    throw new Error(`${sum} on the answers, ${total_votes} in total, ${total_voters} voters`);
}
