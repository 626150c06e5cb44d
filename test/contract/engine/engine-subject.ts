import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import type { Ballot, BallotOutcome, StoredBallot } from '../../../src/poll/ballot.ts';
import { createPollId } from '../../../src/poll/create-poll.ts';
import {
  type NewPoll,
  type PollId,
  type PollSettings,
  pollSettings,
  type Reading,
  type ResultsVisibility,
} from '../../../src/poll/poll.ts';
import { PollError } from '../../../src/poll/poll-error.ts';

/** The engine under test, and helpers of its tests. */
export interface EngineSubject {
  readonly engine: Engine;
  /** A second engine on the same store where there can be one, otherwise the same. */
  readonly other: Engine;
}

export interface PollWishes extends Partial<PollSettings> {
  readonly id?: PollId;
  readonly answers?: number;
  /** Milliseconds from now by the engine's clock. */
  readonly deadlineInMs?: number;
  /** Milliseconds after the opening of an upcoming poll. */
  readonly closesInMs?: number;
  readonly resultsVisibility?: ResultsVisibility;
  readonly upcoming?: boolean;
  /** Before now by the engine's clock, in milliseconds. */
  readonly ageMs?: number;
  readonly emptyRetentionMs?: number;
  readonly minChoices?: number;
  readonly maxChoices?: number;
}

/** Long, for a busy machine. */
const WAIT_MS = 60_000;
/** Two seconds by contract, and time for a busy machine. */
const FAIL_WITHIN_MS = 4_000;
const INTERVAL_MS = 15;
const LEAST_SOON_MS = 800;

export async function openPoll({ engine }: EngineSubject, wishes: PollWishes = {}): Promise<NewPoll> {
  const poll = newPoll(wishes, await engine.polls.now());
  expect(await engine.polls.create(poll)).toBe(true);
  return poll;
}

export function newPoll(wishes: PollWishes, nowMs: number): NewPoll {
  const {
    id = createPollId(),
    answers = 3,
    deadlineInMs,
    closesInMs,
    resultsVisibility = 'always',
    upcoming,
    ageMs = 0,
    emptyRetentionMs,
    minChoices,
    maxChoices,
    ...settings
  } = wishes;
  return {
    poll: {
      id,
      title: 'Which “title”, {braces} and\u0000 all?',
      description: 'Line one\nline two',
      answers: Array.from({ length: answers }, (_, index) => ({
        // Names that fields of a store might have, on purpose.
        id: ['version', 'deadline', 'closed'][index] ?? `answer-${index}`,
        text: `Answer ${index} – ü`,
      })),
      settings: pollSettings(settings),
      image: null,
      createdAtMs: nowMs - ageMs,
      ...(emptyRetentionMs !== undefined && { emptyRetentionMs }),
      ...(minChoices !== undefined && { minChoices }),
      ...(maxChoices !== undefined && { maxChoices }),
    },
    keys: { adminKeyHash: 'a'.repeat(64), viewKeyHash: 'b'.repeat(64) },
    deadlineMs: deadlineInMs === undefined ? null : nowMs + deadlineInMs,
    closesInMs,
    resultsVisibility,
    upcoming,
  };
}

/** A ballot of a new voter for the first answer. */
export function ballotFor({ poll }: NewPoll, wishes: Partial<Ballot> = {}): Ballot {
  const fresh = randomUUID();
  return {
    pollId: poll.id,
    answers: [poll.answers[0]?.id ?? ''],
    voter: `voter-${fresh}`,
    address: `address-${fresh}`,
    ballotId: `ballot-${fresh}`,
    ...wishes,
  };
}

export async function outcomeOf(engine: Engine, ballot: Ballot): Promise<BallotOutcome> {
  return (await engine.polls.cast(ballot)).outcome;
}

export async function readPoll(engine: Engine, id: PollId): Promise<Reading> {
  const reading = await engine.polls.find(id);
  if (!reading) throw new Error(`There is no poll ${id}`);
  return reading;
}

export async function readResults(engine: Engine, id: PollId) {
  return (await readPoll(engine, id)).results;
}

export async function allBallots(engine: Engine, id: PollId): Promise<StoredBallot[]> {
  const ballots: StoredBallot[] = [];
  for await (const batch of engine.polls.readBallots(id)) ballots.push(...batch);
  return ballots;
}

/** Counts, voters and stored ballots tell the same story. */
export async function expectSound(engine: Engine, id: PollId): Promise<void> {
  const { poll, results } = await readPoll(engine, id);
  const stored = await allBallots(engine, id);
  const ballots = stored.filter(({ voided }) => !voided);
  const voidedVotes = stored.reduce((sum, { voided, answers }) => sum + (voided ? answers.length : 0), 0);
  const votes = poll.answers.map(
    answer => ballots.filter(ballot => ballot.answers.includes(answer.id)).length,
  );
  expect(results.votes).toEqual(votes);
  expect(results.totalVoters).toBe(ballots.length);
  expect(results.voidedVotes ?? 0).toBe(voidedVotes);
  const chatVoters: Record<string, number> = {};
  for (const { source } of ballots) if (source) chatVoters[source] = (chatVoters[source] ?? 0) + 1;
  expect(results.chatVoters ?? {}).toEqual(chatVoters);
}

/**
 * Milliseconds that are soon over, and yet enough for what a claim does before: a few calls, which
 * are timed here, because a busy machine makes them slow.
 */
export async function soonMs(subject: EngineSubject): Promise<number> {
  const startedMs = performance.now();
  const poll = await openPoll(subject, { isPrivate: true });
  await outcomeOf(subject.engine, ballotFor(poll));
  await readResults(subject.other, poll.poll.id);
  const soon = 20 * Math.ceil(performance.now() - startedMs);
  // Less than the patience of `eventually`.
  return Math.min(WAIT_MS / 3, Math.max(LEAST_SOON_MS, soon));
}

/** Repeats the claim until it holds. */
export function eventually(claim: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(claim, { timeout: WAIT_MS, interval: INTERVAL_MS });
}

/** Resolves once the engine's clock has passed a moment. */
export function clockPasses(engine: Engine, momentMs: number): Promise<void> {
  return eventually(async () => expect(await engine.polls.now()).toBeGreaterThanOrEqual(momentMs));
}

export interface HintCount {
  readonly count: number;
  unfollow(): void;
}

/** Follows one topic and counts its hints from now on. */
export async function countHints(engine: Engine, topic: string): Promise<HintCount> {
  let count = 0;
  const { ready, unfollow } = engine.hints.follow(topic, () => {
    count += 1;
  });
  await ready;
  return {
    get count() {
      return count;
    },
    unfollow,
  };
}

/** The call fails in time with `engine_unavailable`. */
export async function expectUnavailable(call: Promise<unknown>): Promise<void> {
  const late = new Promise(resolve => setTimeout(resolve, FAIL_WITHIN_MS, 'no answer at all').unref());
  const answer = await Promise.race([call.catch((error: unknown) => error), late]);
  expect(answer).toBeInstanceOf(PollError);
  expect((answer as PollError).code).toBe('engine_unavailable');
}
