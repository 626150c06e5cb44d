import { isPollId } from './create-poll.ts';
import type { Poll, PollStatus, Reading } from './poll.ts';
import { originOfTwin } from './rehearsal-twin.ts';
import { drawWeighted, seededRandom } from './seeded-random.ts';

/**
 * The simulated poll, for those who build a client and have nobody to vote: it goes round by round from upcoming to closed and
 * begins anew. Everything about it follows from the time alone, so that every process shows the same.
 */

/** Of another length than any stored poll's id. */
export const REHEARSAL_ID = 'rehearsal';

const ROUND_MS = 120_000;
/** Milliseconds from the beginning of a round. */
const OPENS_MS = 5_000;
const CLOSES_MS = 100_000;
const BALLOTS = 500;
const FIRST_ROUND_MS = Date.UTC(2026, 0, 1);

const SONGS = ['Northern Lights', 'Paper Planes', 'Golden Hour', 'Midnight Train', 'Slow Motion'];

const POLL: Poll = {
  id: REHEARSAL_ID,
  title: 'Rehearsal: Which song should close the show?',
  description: 'Simulated votes. Nobody can vote here, and nothing is stored.',
  answers: SONGS.map((text, index) => ({ id: `song-${index + 1}`, text })),
  settings: {
    ...{ isPrivate: true, allowComments: false, allowMultiple: false, sharedAddress: false },
    ...{ requireName: false, requireSignIn: false, allowVpn: false, hasImage: false },
  },
  image: null,
  createdAtMs: FIRST_ROUND_MS,
  rehearsal: true,
};

/** No key's digest: nothing opens or changes this poll. */
const KEYS = { adminKeyHash: '', viewKeyHash: '' };

interface Round {
  readonly number: number;
  readonly startMs: number;
  /** In order of time. */
  readonly ballots: readonly { readonly atMs: number; readonly answer: number }[];
}

let newest: Round | undefined;

/** What may be read and watched: a stored poll, if there is one of this id, its simulated twin, or the one that is always there. */
export function isReadablePollId(text: string): boolean {
  return text === REHEARSAL_ID || isPollId(originOfTwin(text) ?? text);
}

/** The same for documents. */
export const READABLE_POLL_ID = `^((${REHEARSAL_ID}-)?[0-9A-Za-z]{12}|${REHEARSAL_ID})$`;

/** The simulated poll at this moment. @param nowMs UNIX time in milliseconds */
export function rehearsalAt(nowMs: number): Reading {
  const { startMs, ballots } = roundAt(nowMs);
  const votes = SONGS.map(() => 0);
  let totalVoters = 0;
  for (const { atMs, answer } of ballots) {
    if (atMs > nowMs) break;
    totalVoters += 1;
    votes[answer] = votes[answer]! + 1;
  }
  const status = statusAt(nowMs - startMs);
  const changes = { upcoming: 0, open: 1, closed: 2 }[status];
  return {
    hintedAtMs: 0,
    poll: POLL,
    results: {
      // Back at 1 with each round, as after a loss of data: subscribers are told `reset`.
      version: 1 + changes + totalVoters,
      ...{ votes, totalVoters, status },
      deadlineMs: startMs + CLOSES_MS,
      resultsVisibility: 'always',
      readAtMs: nowMs,
    },
    keys: KEYS,
  };
}

/** When it changes next. @param nowMs UNIX time in milliseconds @returns the same, above `nowMs` */
export function nextChangeOfRehearsal(nowMs: number): number {
  const { startMs, ballots } = roundAt(nowMs);
  const moments = [startMs + OPENS_MS, ...ballots.map(({ atMs }) => atMs), startMs + CLOSES_MS];
  return moments.find(momentMs => momentMs > nowMs) ?? startMs + ROUND_MS;
}

function statusAt(sinceStartMs: number): PollStatus {
  if (sinceStartMs < OPENS_MS) return 'upcoming';
  return sinceStartMs < CLOSES_MS ? 'open' : 'closed';
}

function roundAt(nowMs: number): Round {
  // Before the first round, by a clock that is wrong, nothing has begun.
  const number = Math.max(0, Math.floor((nowMs - FIRST_ROUND_MS) / ROUND_MS));
  if (newest?.number !== number) newest = drawRound(number);
  return newest;
}

/** Many at first, few in the middle, and a rush before the end; another answer is liked best each time. */
function drawRound(number: number): Round {
  const random = seededRandom(number);
  const startMs = FIRST_ROUND_MS + number * ROUND_MS;
  const appeal = SONGS.map(() => 0.2 + random());
  const ballots = Array.from({ length: BALLOTS }, () => ({
    atMs: Math.floor(startMs + OPENS_MS + (CLOSES_MS - OPENS_MS) * crowding(random())),
    answer: drawWeighted(appeal, random),
  }));
  return { number, startMs, ballots: ballots.sort((one, other) => one.atMs - other.atMs) };
}

/** Spreads evenly drawn numbers so that they crowd at both ends, 0 and 1. */
function crowding(even: number): number {
  return (1 - Math.cos(Math.PI * even)) / 2;
}
