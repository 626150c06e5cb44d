import { expect } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { type Ballot, type BallotOutcome, MAX_CHANGES } from '../../../src/poll/ballot.ts';
import { planCorrection } from '../../../src/poll/correct-poll.ts';
import type { NewPoll, PollSettings } from '../../../src/poll/poll.ts';
import { restoreBallots, voidBallots } from '../../support/void-ballots.ts';
import { allBallots, readPoll } from './engine-subject.ts';

/**
 * Histories of votes, changes, withdrawals and all that may come between, and a plain object that
 * knows how they end.
 */

export type Step =
  | { readonly kind: 'ballot'; readonly ballot: Omit<Ballot, 'pollId'> }
  | { readonly kind: 'void' | 'restore'; readonly network: string }
  | { readonly kind: 'turn'; readonly closed: boolean }
  | { readonly kind: 'correct'; readonly edition: string };

export interface HistoryWishes extends Partial<PollSettings> {
  readonly steps: number;
  readonly random: () => number;
}

const VOTERS = 12;
const NETWORKS = ['north', 'south', 'west'];

/** Few voters, so that nearly every step meets another one. */
export function changedHistory(
  answers: readonly string[],
  { steps, random, ...wishes }: HistoryWishes,
): Step[] {
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const sent: Omit<Ballot, 'pollId'>[] = [];
  const lastOf = new Map<string, string>();
  return Array.from({ length: steps }, (_, index): Step => {
    const roll = random();
    if (roll < 0.1 && sent.length > 0) return { kind: 'ballot', ballot: pick(sent) };
    if (roll < 0.12) return { kind: 'void', network: pick(NETWORKS) };
    if (roll < 0.15) return { kind: 'restore', network: pick(NETWORKS) };
    if (roll < 0.17) return { kind: 'turn', closed: random() < 0.4 };
    if (roll < 0.18) return { kind: 'correct', edition: `edition-${index}` };
    const voter = `voter-${Math.floor(random() * VOTERS)}`;
    const some = answers.filter(() => random() < 0.4);
    const chosen = wishes.allowMultiple ? some : some.slice(0, 1);
    const isChange = random() < 0.7;
    // Mostly the first ballot of this voter, as a browser has it; sometimes another one.
    const receipt = random() < 0.9 ? lastOf.get(voter) : sent.at(-1)?.ballotId;
    const ballot = {
      ballotId: `ballot ${index}`,
      voter,
      address: `address-${Math.floor(random() * VOTERS)}`,
      answers: chosen,
      network: pick(NETWORKS),
      ...(random() < 0.1 && { proof: { id: `proof-${index % 7}`, expiresAtMs: Date.now() + 600_000 } }),
      ...(isChange && { change: { ...(receipt !== undefined && random() < 0.8 && { receipt }) } }),
    };
    if (!isChange && !lastOf.has(voter)) lastOf.set(voter, ballot.ballotId);
    sent.push(ballot);
    return { kind: 'ballot', ballot };
  });
}

interface ModelBallot {
  readonly ballotId: string;
  readonly voter: string;
  readonly network: string | undefined;
  readonly sequence: number;
  answers: readonly string[];
  /** Number of corrections when it was cast. */
  readonly seen: number;
  /** Rules are about the ballots of their time. */
  isVoided: boolean;
}

/** What a voter has changed. Usually the own ballot: an engine believes a receipt. */
interface ModelChanges {
  readonly ballot: ModelBallot;
  readonly count: number;
  /** Number of corrections at the last change. */
  readonly seen: number;
}

interface ModelEntry {
  readonly ballotId: string;
  readonly sequence: number;
  readonly answers: readonly string[];
  readonly replaces?: number;
}

export class ModelOfChanges {
  readonly #made: NewPoll;
  readonly #ballots: ModelBallot[] = [];
  readonly #entries: ModelEntry[] = [];
  readonly #changes = new Map<string, ModelChanges>();
  readonly #accepted = new Set<string>();
  readonly #addresses = new Set<string>();
  readonly #proofs = new Set<string>();
  readonly #voided = new Set<string>();
  #isClosed = false;
  #corrections = 0;

  constructor(made: NewPoll) {
    this.#made = made;
  }

  /** @returns the outcome of a ballot */
  apply(step: Step): BallotOutcome | undefined {
    if (step.kind === 'ballot') return this.#cast(step.ballot);
    if (step.kind === 'void') this.#voided.add(step.network);
    else if (step.kind === 'restore') this.#voided.delete(step.network);
    else if (step.kind === 'turn') this.#isClosed = step.closed;
    // Until the first ballot no voter could have missed it.
    else if (this.#ballots.length > 0) this.#corrections += 1;
    if (step.kind === 'void' || step.kind === 'restore')
      for (const ballot of this.#ballots) ballot.isVoided = this.#voided.has(ballot.network ?? '');
    return undefined;
  }

  #cast({
    ballotId,
    voter,
    address,
    answers,
    network,
    proof,
    change,
  }: Omit<Ballot, 'pollId'>): BallotOutcome {
    const { allowMultiple, sharedAddress, allowChange } = this.#made.poll.settings;
    if (this.#accepted.has(ballotId)) return 'repeated';
    if (this.#isClosed) return 'poll_closed';
    if ((answers.length === 0 && !change) || (answers.length > 1 && !allowMultiple)) return 'invalid_answers';
    const own = this.#ballots.find(ballot => ballot.voter === voter);
    const isProofUsed = proof !== undefined && this.#proofs.has(proof.id);
    if (change) {
      const named = this.#ballots.find(one => one.ballotId === change.receipt);
      const before = this.#changes.get(voter);
      const ballot = before?.ballot ?? (allowChange ? own : own && named);
      if (!ballot || (!allowChange && (before ?? ballot).seen === this.#corrections))
        return 'change_not_allowed';
      const { count = 0 } = before ?? {};
      if (count >= MAX_CHANGES) return 'too_many_changes';
      if (isProofUsed) return 'proof_used';
      ballot.answers = answers;
      this.#changes.set(voter, { ballot, count: count + 1, seen: this.#corrections });
      this.#entries.push({
        ballotId,
        sequence: this.#entries.length + 1,
        answers,
        replaces: ballot.sequence,
      });
    } else {
      if (own) return 'duplicate_voter';
      if (!sharedAddress && this.#addresses.has(address)) return 'duplicate_address';
      if (isProofUsed) return 'proof_used';
      const sequence = this.#entries.length + 1;
      this.#ballots.push({
        ballotId,
        voter,
        network,
        sequence,
        answers,
        seen: this.#corrections,
        isVoided: false,
      });
      this.#entries.push({ ballotId, sequence, answers });
      this.#addresses.add(address);
    }
    this.#accepted.add(ballotId);
    if (proof) this.#proofs.add(proof.id);
    return 'accepted';
  }

  async expectEqual(engine: Engine): Promise<void> {
    const { poll, results } = await readPoll(engine, this.#made.poll.id);
    const isVoided = (ballot: ModelBallot) => ballot.isVoided;
    const cast = this.#ballots.filter(({ answers }) => answers.length > 0);
    const counted = cast.filter(ballot => !isVoided(ballot));
    const voided = cast.filter(isVoided);
    expect(results).toMatchObject({
      votes: poll.answers.map(({ id }) => counted.filter(({ answers }) => answers.includes(id)).length),
      totalVoters: counted.length,
      voidedVotes: voided.reduce((sum, { answers }) => sum + answers.length, 0) || undefined,
      withdrawn: this.#ballots.length - cast.length || undefined,
      status: this.#isClosed ? 'closed' : 'open',
    });
    const stored = await allBallots(engine, poll.id);
    expect(stored.map(({ castAtMs: _, name: __, ...ballot }) => ballot)).toEqual(
      this.#ballots.map(ballot => ({
        ballotId: ballot.ballotId,
        answers: ballot.answers,
        network: ballot.network,
        ...(isVoided(ballot) && { voided: true }),
      })),
    );
    if (poll.settings.isVerifiable) await this.#expectLog(engine);
  }

  async #expectLog(engine: Engine): Promise<void> {
    const { id } = this.#made.poll;
    const entries = [];
    for (let first = 1; first <= this.#entries.length; first += 512)
      entries.push(...(await engine.polls.readSequence(id, first, 512)));
    const voided = new Set(this.#ballots.filter(ballot => ballot.isVoided).map(({ sequence }) => sequence));
    const expected = this.#entries.map(entry => ({
      ...entry,
      ...(voided.has(entry.sequence) && { voided: true }),
    }));
    expect(entries.slice(0, expected.length)).toEqual(expected);
    expect((await engine.polls.findLog(id))?.ballots).toBe(expected.length);
    for (const entry of expected.slice(-20)) {
      const first = entry.replaces ?? entry.sequence;
      const last = this.#entries.findLast(one => (one.replaces ?? one.sequence) === first)!;
      const { voided: _, ...plain } = entry;
      expect(await engine.polls.findBallot(id, entry.ballotId)).toEqual({
        ...plain,
        ...(voided.has(first) && { voided: true }),
        ...(last.sequence !== entry.sequence && { changed: true }),
      });
    }
  }
}

const { applyStep } = (await import(new URL('./apply-step.mjs', import.meta.url).href)) as {
  applyStep: (
    modules: object,
    pollId: string,
    step: Step,
  ) => Promise<{ outcome?: BallotOutcome } | undefined>;
};

export async function apply(engine: Engine, pollId: string, step: Step): Promise<BallotOutcome | undefined> {
  const reply = await applyStep({ engine, voidBallots, restoreBallots, planCorrection }, pollId, step);
  return step.kind === 'ballot' ? reply?.outcome : undefined;
}
