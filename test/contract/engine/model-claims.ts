import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Ballot, BallotReceipt } from '../../../src/poll/ballot.ts';
import { idOfRound, type NewPoll } from '../../../src/poll/poll.ts';
import { SEED } from '../../support/seed.ts';
import { nextRound } from './again-claims.ts';
import {
  allBallots,
  ballotFor,
  type EngineSubject,
  openPoll,
  readPoll,
  readResults,
} from './engine-subject.ts';

const RUNS = 40;

type Step = { readonly close: boolean } | { readonly again: true } | { readonly ballot: Partial<Ballot> };

// Few of each, so that most ballots clash with an earlier one in some way.
const ballot = fc.record({
  answers: fc.array(fc.constantFrom('version', 'deadline', 'closed', 'nonsense'), { maxLength: 3 }),
  voter: fc.constantFrom('v1', 'v2', 'v3', 'v4'),
  address: fc.constantFrom('a1', 'a2', 'a3', 'a4'),
  round: fc.constantFrom(undefined, 1, 2, 2, 3),
  ballotId: fc.constantFrom('b1', 'b2', 'b3', 'b4', 'b5', 'b6'),
  name: fc.constantFrom(undefined, '', 'Ann'),
  proof: fc.constantFrom(
    undefined,
    ...['p1', 'p2', 'p3'].map(id => ({ id, expiresAtMs: Date.now() + 600_000 })),
  ),
});
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: ballot.map(wishes => ({ ballot: wishes })) },
    { weight: 1, arbitrary: fc.boolean().map(close => ({ close })) },
    { weight: 1, arbitrary: fc.constant({ again: true as const }) },
  ),
  { maxLength: 25 },
);
const settings = fc.record({ ma: fc.boolean(), mip: fc.boolean(), enter_name: fc.boolean() });

/** Compares any history of ballots with a plain object. */
export function modelClaims(subject: EngineSubject): void {
  it('answers and counts any history of ballots like a plain object', async () => {
    await fc.assert(
      fc.asyncProperty(settings, steps, async (wishes, history) => {
        const poll = await openPoll(subject, { ...wishes, isPrivate: true });
        const model = new ModelPoll(poll);
        const ended: ReturnType<ModelPoll['begin']>[] = [];
        for (const step of history) {
          if ('close' in step) {
            await subject.engine.polls.change(poll.poll.id, { closed: step.close });
            model.change(step.close);
          } else if ('again' in step) {
            const now = await readPoll(subject.engine, poll.poll.id);
            expect(await subject.engine.polls.again(poll.poll.id, nextRound(now))).toBe(true);
            ended.push(model.begin());
          } else {
            const cast = ballotFor(poll, step.ballot);
            expect(await subject.engine.polls.cast(cast)).toEqual(model.cast(cast));
          }
        }
        expect(await readResults(subject.engine, poll.poll.id)).toMatchObject(model.results());
        const stored = await allBallots(subject.engine, poll.poll.id);
        expect(stored.map(({ ballotId }) => ballotId)).toEqual([...model.receipts.keys()]);
        for (const [index, { ballotIds, ...results }] of ended.entries()) {
          const round = idOfRound(poll.poll.id, index + 1);
          expect(await readResults(subject.engine, round)).toMatchObject(results);
          const cast = await allBallots(subject.engine, round);
          expect(cast.map(({ ballotId }) => ballotId)).toEqual(ballotIds);
        }
        await subject.engine.polls.remove(poll.poll.id);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });
}

class ModelPoll {
  readonly receipts = new Map<string, number>();
  readonly #poll: NewPoll;
  readonly #taken = new Set<string>();
  readonly #votes = new Map<string, number>();
  #version = 1;
  #closed = false;
  #round = 1;

  constructor(poll: NewPoll) {
    this.#poll = poll;
    for (const answer of poll.poll.answers) this.#votes.set(answer.id, 0);
  }

  change(closed: boolean): void {
    this.#closed = closed;
    this.#version += 1;
  }

  /** @returns what the round that ends is from then on */
  begin() {
    this.#version += 1;
    const ended = { ...this.results(), status: 'closed', ballotIds: [...this.receipts.keys()] };
    this.receipts.clear();
    this.#taken.clear();
    for (const id of this.#votes.keys()) this.#votes.set(id, 0);
    this.#closed = false;
    this.#round += 1;
    return ended;
  }

  cast({ ballotId, answers, voter, address, name, proof, round = 1 }: Ballot): BallotReceipt {
    const { allowMultiple: ma, sharedAddress: mip, requireName: enter_name } = this.#poll.poll.settings;
    const earlier = this.receipts.get(ballotId);
    if (earlier !== undefined) return { outcome: 'repeated', version: earlier };
    if (round !== this.#round) return { outcome: 'round_over', version: 0 };
    if (this.#closed) return { outcome: 'poll_closed', version: 0 };
    const distinct = new Set(answers).size === answers.length;
    const known = answers.every(answer => this.#votes.has(answer));
    if (answers.length === 0 || (answers.length > 1 && !ma) || !distinct || !known)
      return { outcome: 'invalid_answers', version: 0 };
    if (enter_name && !name) return { outcome: 'name_required', version: 0 };
    if (this.#taken.has(voter)) return { outcome: 'duplicate_voter', version: 0 };
    if (!mip && this.#taken.has(address)) return { outcome: 'duplicate_address', version: 0 };
    if (proof && this.#taken.has(proof.id)) return { outcome: 'proof_used', version: 0 };

    this.#taken.add(voter).add(address);
    if (proof) this.#taken.add(proof.id);
    for (const answer of answers) this.#votes.set(answer, this.#votes.get(answer)! + 1);
    this.#version += 1;
    this.receipts.set(ballotId, this.#version);
    return { outcome: 'accepted', version: this.#version };
  }

  results() {
    return {
      version: this.#version,
      votes: [...this.#votes.values()],
      totalVoters: this.receipts.size,
      status: this.#closed ? 'closed' : 'open',
    };
  }
}
