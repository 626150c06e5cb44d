import { expect, it } from 'vitest';
import type { Results } from '../../src/poll/poll.ts';
import { type PollButton, planPress } from '../../src/show/poll-press.ts';

const NOW_MS = 1_700_000_000_000;
const DELAY_MS = 20_000;
const S = 1_000;

function pollOf(state: Partial<Results>): Results {
  return {
    votes: [3, 1],
    totalVoters: 4,
    version: 5,
    status: 'open',
    deadlineMs: null,
    resultsVisibility: 'always',
    readAtMs: NOW_MS,
    ...state,
  };
}

const press = (state: Partial<Results>, button: PollButton, closesInMs?: number) =>
  planPress(pollOf(state), button, { closesInMs, finalTwo: false, delayMs: DELAY_MS });

it.each([
  ['close ends the poll after the votes of viewers', {}, 'close', undefined, { deadlineMs: NOW_MS + 20 * S }],
  ['close in 30 s ends it after 30 s on air', {}, 'close', 30, { deadlineMs: NOW_MS + 50 * S }],
  [
    'close before a later deadline',
    { deadlineMs: NOW_MS + 90 * S },
    'close',
    undefined,
    { deadlineMs: NOW_MS + 20 * S },
  ],
  [
    'close changes nothing once the vote has ended on air',
    { deadlineMs: NOW_MS + 3 * S },
    'close',
    undefined,
    undefined,
  ],
  ['close has no viewers before the opening', { status: 'upcoming' }, 'close', undefined, { closed: true }],
  [
    'open goes on with a vote that has ended on air',
    { deadlineMs: NOW_MS + 3 * S },
    'open',
    undefined,
    { closed: false, deadlineMs: null },
  ],
  ['open leaves a vote that goes on', { deadlineMs: NOW_MS + 21 * S }, 'open', undefined, undefined],
  [
    'the seconds of a prepared poll are on air',
    { status: 'upcoming', closesInMs: 30 * S },
    'open',
    undefined,
    { closed: false, closesInMs: 50 * S },
  ],
  [
    'so are those of open',
    { status: 'upcoming', closesInMs: 30 * S },
    'open',
    15,
    { closed: false, closesInMs: 35 * S },
  ],
] as const)('with a delay of 20 s: %s', (_, state, button, seconds, change) => {
  expect(press(state, button, seconds && seconds * S)).toEqual(change);
});
