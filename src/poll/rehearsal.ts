import { keepNewest } from './keep-newest.ts';
import {
  type ExpectedState,
  IMAGE_FILE,
  isPollId,
  nameOfRound,
  type Poll,
  type PollId,
  type PollRound,
  type PollStatus,
  pollSettings,
  type Reading,
  type Results,
} from './poll.ts';
import { endAfter, type PollChange, revealedAfter } from './poll-change.ts';

/**
 * Simulated polls, for building and rehearsing without voters: the poll `rehearsal`, which repeats
 * in rounds, and for each stored poll a twin `rehearsal-<id>`. Everything follows from ids and
 * time, so all processes show the same. Runs in browsers.
 */

export const REHEARSAL_ID = 'rehearsal';
const TWIN = /^rehearsal-([0-9A-Za-z]{12})$/;
/** The ids that can be read and watched, for documents. */
export const READABLE_POLL_ID = `^((${REHEARSAL_ID}-)?[0-9A-Za-z]{12}|${REHEARSAL_ID})$`;

/** Whether this is the id of a stored poll, of its twin, or of the poll `rehearsal`. */
export function isReadablePollId(text: string): boolean {
  return text === REHEARSAL_ID || isPollId(originOfTwin(text) ?? text);
}

/** @returns the id of the stored poll; undefined if this is not the id of a twin */
export function originOfTwin(id: string): PollId | undefined {
  return TWIN.exec(id)?.[1];
}

export function twinOf(id: PollId): PollId {
  return `${REHEARSAL_ID}-${id}`;
}

/** The name of the round that has the images of a poll. A rehearsal has those of its poll. */
export function imageOwner({ id, round }: PollRound): PollId {
  return nameOfRound({ id: originOfTwin(id) ?? id, round });
}

/** Path of a stored image on the relay. */
export function imagePath(poll: PollRound, file: string): string {
  return `/api/poll/${imageOwner(poll)}/image/${file}`;
}

/** The image of the question as readers get it: a path on the relay, or a URL. @param relayUrl before a path */
export function questionImage(poll: Pick<Poll, 'id' | 'round' | 'image'>, relayUrl = ''): string | null {
  const { image } = poll;
  return image !== null && IMAGE_FILE.test(image) ? `${relayUrl}${imagePath(poll, image)}` : image;
}

interface SimulatedBallot {
  /** Milliseconds since the poll opened. */
  readonly atMs: number;
  readonly answer: number;
}

const ROUND_MS = 120_000;
/** Milliseconds since the start of a round. */
const OPENS_MS = 5_000;
const CLOSES_MS = 100_000;
const BALLOTS_OF_ROUND = 500;
/** 2026-01-01. */
const FIRST_ROUND_MS = 1_767_225_600_000;
const SONGS = ['Northern Lights', 'Paper Planes', 'Golden Hour', 'Midnight Train', 'Slow Motion'];
// Marked as pure, so that bundles for browsers leave it out.
const POLL = /* @__PURE__ */ simulatedPoll();
/** No key has this digest, so no key changes the poll. */
const NO_KEYS = { adminKeyHash: '', viewKeyHash: '' };

interface Round {
  readonly number: number;
  readonly startMs: number;
  /** In order of time. */
  readonly ballots: readonly SimulatedBallot[];
}

/** The poll `rehearsal` at a time. @param nowMs UNIX time in milliseconds */
export function rehearsalAt(nowMs: number): Reading {
  const { startMs, ballots } = roundAt(nowMs);
  const sinceMs = nowMs - startMs;
  const { votes, totalVoters } = countUntil(sinceMs - OPENS_MS, ballots, SONGS.length);
  const status = sinceMs < OPENS_MS ? 'upcoming' : sinceMs < CLOSES_MS ? 'open' : 'closed';
  return {
    hintedAtMs: 0,
    poll: POLL,
    results: {
      // Back to 1 in each round, as after a loss of data: subscribers get a `reset`.
      version: 1 + { upcoming: 0, open: 1, closed: 2 }[status] + totalVoters,
      votes,
      totalVoters,
      status,
      deadlineMs: startMs + CLOSES_MS,
      resultsVisibility: 'always',
      readAtMs: nowMs,
    },
    keys: NO_KEYS,
  };
}

function simulatedPoll(): Poll {
  return {
    id: REHEARSAL_ID,
    title: 'Rehearsal: Which song should close the show?',
    description: 'Simulated votes. Voting is not possible here, and nothing is stored.',
    answers: SONGS.map((text, index) => ({ id: `song-${index + 1}`, text })),
    settings: pollSettings({ isPrivate: true }),
    image: null,
    createdAtMs: FIRST_ROUND_MS,
    rehearsal: true,
  };
}

/**
 * When the poll `rehearsal` changes next.
 *
 * @param nowMs UNIX time in milliseconds
 * @returns the same, later than `nowMs`
 */
export function nextChangeOfRehearsal(nowMs: number): number {
  const { startMs, ballots } = roundAt(nowMs);
  const changesMs = [OPENS_MS, ...ballots.map(({ atMs }) => OPENS_MS + atMs), CLOSES_MS, ROUND_MS];
  return startMs + changesMs.find(atMs => startMs + atMs > nowMs)!;
}

function roundAt(nowMs: number): Round {
  // A wrong clock may be before the first round.
  return roundOf(Math.max(0, Math.floor((nowMs - FIRST_ROUND_MS) / ROUND_MS)));
}

const roundOf = keepNewest((number: number): Round => {
  // Many ballots at both ends of the round, few in the middle.
  const spread = (random: number) =>
    Math.floor((CLOSES_MS - OPENS_MS) * (1 - Math.cos(Math.PI * random)) * 0.5);
  const ballots = drawBallots(BALLOTS_OF_ROUND, SONGS.length, seededRandom(number), spread);
  return { number, startMs: FIRST_ROUND_MS + number * ROUND_MS, ballots };
});

const BALLOTS_OF_TWIN = 400;
const CROWD_MS = 90_000;
/** More than a twin has ballots, so that versions grow with each change. */
const VERSIONS_OF_CHANGE = 512;

/** The state of a twin, changed like that of a poll. */
export interface TwinState extends Omit<ExpectedState, 'edition'> {
  /** Milliseconds for which it had been open at `sinceMs`. */
  readonly openMs: number;
  /** When this state began. UNIX time in milliseconds. */
  readonly sinceMs: number;
  readonly changes: number;
}

/** A twin that was not changed yet is upcoming. */
export function freshTwin({ resultsVisibility, closesInMs, readAtMs }: Results): TwinState {
  // A deadline of the poll is not one of its twin, so there is nothing to wait for.
  const waits = resultsVisibility === 'after_deadline' && closesInMs === undefined;
  return {
    status: 'upcoming',
    openMs: 0,
    sinceMs: readAtMs,
    deadlineMs: null,
    closesInMs,
    resultsVisibility: waits ? 'hidden' : resultsVisibility,
    changes: 0,
  };
}

/** @param origin the poll now: the twin has its texts, keys and clock, but not its counts */
export function twinAt(id: PollId, { poll, keys, results }: Reading, state: TwinState): Reading {
  const { readAtMs } = results;
  const { status, openMs } = progress(state, readAtMs);
  const ballots = ballotsOfTwin(poll.id, poll.answers.length);
  const { votes, totalVoters } = countUntil(
    status === 'upcoming' ? -1 : openMs,
    ballots,
    poll.answers.length,
  );
  const ended = status !== state.status ? 1 : 0;
  return {
    hintedAtMs: 0,
    // Its code would lead to the poll itself.
    poll: { ...poll, id, joinCode: undefined, rehearsal: true },
    keys,
    results: {
      version: 1 + state.changes * VERSIONS_OF_CHANGE + totalVoters + ended,
      votes,
      totalVoters,
      status,
      readAtMs,
      deadlineMs: state.deadlineMs,
      closesInMs: state.closesInMs,
      resultsVisibility: state.resultsVisibility,
      revealedFrom: state.revealedFrom,
      edition: poll.edition,
    },
  };
}

/** @param nowMs the engine's clock @returns undefined for a step of a poll that is not closed and hidden */
export function changeTwinState(state: TwinState, change: PollChange, nowMs: number): TwinState | undefined {
  const now = progress(state, nowMs);
  const turned = change.closed === undefined ? now.status : change.closed ? 'closed' : 'open';
  const back = now.openMs === 0 ? 'upcoming' : 'closed';
  const status = change.upcoming ? back : turned;
  const { resultsVisibility = state.resultsVisibility } = change;
  const revealedFrom = revealedAfter({ ...state, status, resultsVisibility }, change);
  if (revealedFrom === 'rejected') return undefined;
  return {
    status,
    openMs: now.openMs,
    sinceMs: nowMs,
    ...endAfter(state, change, nowMs),
    resultsVisibility,
    revealedFrom,
    changes: state.changes + 1,
  };
}

function progress(
  { status, openMs, sinceMs, deadlineMs }: TwinState,
  nowMs: number,
): { readonly status: PollStatus; readonly openMs: number } {
  if (status !== 'open') return { status, openMs };
  const isOver = deadlineMs !== null && deadlineMs <= nowMs;
  const untilMs = isOver ? deadlineMs : nowMs;
  return { status: isOver ? 'closed' : 'open', openMs: openMs + Math.max(0, untilMs - sinceMs) };
}

const ballotsOfTwin = keepNewest((id: PollId, answers: number): readonly SimulatedBallot[] => {
  const seed = [...id].reduce((sum, character) => sum * 31 + character.charCodeAt(0), 7);
  return drawBallots(BALLOTS_OF_TWIN, answers, seededRandom(seed), random => CROWD_MS * random ** 2);
});

/** Ballots with a random favorite. @param spread a number from 0 to 1 → milliseconds since opening */
function drawBallots(
  count: number,
  answers: number,
  random: () => number,
  spread: (random: number) => number,
): SimulatedBallot[] {
  const appeal = Array.from({ length: answers }, () => 0.2 + random());
  const ballots = Array.from({ length: count }, () => ({
    atMs: spread(random()),
    answer: drawWeighted(appeal, random),
  }));
  return ballots.sort((one, other) => one.atMs - other.atMs);
}

function countUntil(untilMs: number, ballots: readonly SimulatedBallot[], answers: number) {
  const votes = Array.from({ length: answers }, () => 0);
  let totalVoters = 0;
  for (const { atMs, answer } of ballots) {
    if (atMs > untilMs) break;
    totalVoters += 1;
    votes[answer]! += 1;
  }
  return { votes, totalVoters };
}

/** Mulberry32: numbers from 0 to below 1 that repeat for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** @returns a random index, in proportion to the weights */
export function drawWeighted(weights: readonly number[], random: () => number): number {
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [at, weight] of weights.entries()) {
    left -= weight;
    if (left <= 0) return at;
  }
  return weights.length - 1;
}
