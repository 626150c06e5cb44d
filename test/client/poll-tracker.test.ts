import { expect, it } from 'vitest';
import { PollTracker } from '../../src/client/poll-tracker.ts';
import { Recorder } from './recorder.ts';
import {
  countsMessage,
  currentMessage,
  hiddenMessage,
  POLL_ID,
  positionOf,
  resultsMessage,
} from './results-message.ts';

function viewed(since?: string): { view: PollTracker; seen: Recorder } {
  const seen = new Recorder();
  return { view: new PollTracker(seen, since), seen };
}

it('hands on newer results and neither older ones nor the same again', () => {
  const { view, seen } = viewed();
  for (const version of [3, 5, 4, 5, 7]) view.take(resultsMessage(version), 'websocket');
  expect(seen.versions).toEqual([3, 5, 7]);
  expect(seen.states).toEqual([{ state: 'live', via: 'websocket' }]);
  expect(view.since).toBe(positionOf(7));
});

it('hands on whole results where only counts come', () => {
  const { view, seen } = viewed();
  view.take(resultsMessage(3), 'websocket');
  view.take(countsMessage(5, [4, 2]), 'websocket');
  const { poll_answers } = resultsMessage(3);
  const votes = [4, 2];
  expect(seen.results[1]).toEqual({
    ...resultsMessage(3),
    poll_answers: poll_answers.map((answer, index) => ({ ...answer, votes: votes[index] })),
    ...{ version: 5, position: positionOf(5), timestamp: 1_700_000_001, total_votes: 6, total_voters: 5 },
  });
  expect(view.since).toBe(positionOf(5));
});

it('completes counts with the newest results, also those that it had no need to hand on', () => {
  const { view, seen } = viewed();
  view.take(resultsMessage(9, { reset: true }), 'websocket');
  view.lose({ attempts: 1, reason: 'status 502' });
  view.take(resultsMessage(9, { deadline: '2030-01-01T00:00:00.000Z' }), 'websocket');
  view.take(countsMessage(10, [10, 0]), 'websocket');
  view.take(countsMessage(8, [8, 0]), 'websocket');
  expect(seen.versions).toEqual([9, 10]);
  expect(seen.results[1]).toMatchObject({ deadline: '2030-01-01T00:00:00.000Z', total_votes: 10 });
  expect(seen.results[1]).not.toHaveProperty('reset');
});

it('makes nothing of counts without results', () => {
  const { view, seen } = viewed(positionOf(4));
  view.take(currentMessage(4), 'websocket');
  view.take(countsMessage(5, [5, 0]), 'websocket');
  expect(seen.results).toEqual([]);
});

it('goes back where the relay says that the engine lost data', () => {
  const { view, seen } = viewed();
  view.take(resultsMessage(9), 'websocket');
  view.take(resultsMessage(2, { reset: true }), 'websocket');
  view.take(resultsMessage(3), 'websocket');
  expect(seen.versions).toEqual([9, 2, 3]);
});

it('goes back where two reads in a row are older, because reading has no word for a reset', () => {
  const { view, seen } = viewed();
  for (const [timestamp, version] of [9, 2, 10, 3, 3].entries())
    view.take(resultsMessage(version, { timestamp }), 'read');
  expect(seen.versions).toEqual([9, 10, 3]);
  expect(seen.results.at(-1)?.reset).toBe(true);
});

it('does not take for a loss what a cache kept from before', () => {
  const { view, seen } = viewed();
  view.take(resultsMessage(9, { timestamp: 100 }), 'read');
  for (const timestamp of [97, 98, 99, 100]) view.take(resultsMessage(8, { timestamp }), 'read');
  view.take(resultsMessage(9, { timestamp: 103 }), 'read');
  expect(seen.versions).toEqual([9]);
  for (const timestamp of [104, 105]) view.take(resultsMessage(8, { timestamp }), 'read');
  expect(seen.versions).toEqual([9, 8]);
});

it('hands on other results of the version on screen, and says that they are no later ones', () => {
  const { view, seen } = viewed();
  view.take(resultsMessage(6), 'websocket');
  view.take(resultsMessage(6, { position: '6-other', reset: true }), 'websocket');
  expect(view.since).toBe('6-other');
  for (const timestamp of [1_700_000_003, 1_700_000_006])
    view.take(resultsMessage(6, { position: '6-third', timestamp }), 'read');
  expect(seen.results.map(({ position, reset }) => [position, reset])).toEqual([
    ['6-digest', undefined],
    ['6-other', true],
    ['6-third', true],
  ]);
});

it('shows an older version where nothing is on screen, so that the relay was told of none', () => {
  const { view, seen } = viewed();
  view.take(resultsMessage(9), 'websocket');
  view.take(hiddenMessage(), 'websocket');
  view.lose({ attempts: 1, reason: 'status 502' });
  view.take(resultsMessage(4), 'websocket');
  expect(seen.versions).toEqual([9, 4]);
});

it('keeps from a caller what it holds already', () => {
  const { view, seen } = viewed(positionOf(4));
  expect(view.since).toBe(positionOf(4));
  view.take(currentMessage(4), 'sse');
  view.take(resultsMessage(4), 'sse');
  view.take(resultsMessage(3), 'sse');
  expect(seen.versions).toEqual([]);
  expect(seen.last).toEqual({ state: 'live', via: 'sse' });
});

it('is final with the final results, and live again when the poll is opened again', () => {
  const { view, seen } = viewed();
  view.take(resultsMessage(1, { status: 'closed', final: true }), 'websocket');
  view.lose({ attempts: 1, reason: 'status 502' });
  view.take(currentMessage(1), 'websocket');
  view.take(resultsMessage(2), 'websocket');
  expect(seen.states.map(({ state }) => state)).toEqual(['final', 'stale', 'final', 'live']);
});

it('forgets the counts while they are hidden, and shows them again at the same version', () => {
  const { view, seen } = viewed();
  view.take(resultsMessage(5), 'websocket');
  view.take(hiddenMessage(), 'websocket');
  expect(view.results).toBeUndefined();
  expect(view.since).toBeUndefined();
  view.take(resultsMessage(5), 'websocket');
  expect(seen.versions).toEqual([5, 5]);
  expect(seen.states.map(({ state }) => state)).toEqual(['live', 'hidden', 'live']);
});

it('passes on the hidden poll, and anew when its deadline moves', () => {
  const { view, seen } = viewed();
  const later = hiddenMessage({ deadline: '2030-01-01T00:00:00.000Z' });
  for (const message of [hiddenMessage(), hiddenMessage(), later]) view.take(message, 'websocket');
  expect(seen.states).toEqual([
    { state: 'hidden', hidden: hiddenMessage() },
    { state: 'hidden', hidden: later },
  ]);
});

it('keeps the last results while stale, and says why it is', () => {
  const { view, seen } = viewed();
  view.take(resultsMessage(1), 'websocket');
  view.take({ type: 'stale', id: POLL_ID, since: 1 }, 'websocket');
  view.lose({ attempts: 1, reason: 'status 502' });
  view.take(resultsMessage(1), 'websocket');
  expect(view.results?.version).toBe(1);
  expect(seen.states).toEqual([
    { state: 'live', via: 'websocket' },
    { state: 'stale', reason: 'engine' },
    { state: 'stale', reason: 'connection' },
    { state: 'live', via: 'websocket' },
  ]);
});

it.each([
  ['api_key_rejected', 4403],
  ['poll_not_found', 4404],
  ['invalid_request', 4400],
])('is refused for good with %s', (code, closeCode) => {
  const { view, seen } = viewed();
  view.take({ type: 'error', code, message: 'no', id: POLL_ID }, 'websocket');
  view.take(resultsMessage(1), 'websocket');
  expect(seen.last).toEqual({ state: 'refused', code: closeCode, error: code, message: 'no' });
});

it('calls a poll that was there before deleted', () => {
  const { view, seen } = viewed();
  view.take(resultsMessage(1), 'websocket');
  view.take({ type: 'error', code: 'poll_not_found', message: 'gone', id: POLL_ID }, 'websocket');
  expect(seen.last).toMatchObject({ state: 'refused', code: 4410 });
});

it('does not take too many connections for a refusal, but too many polls', () => {
  const { view, seen } = viewed();
  view.take({ type: 'error', code: 'rate_limited', message: 'later' }, 'websocket');
  expect(seen.states).toEqual([]);
  view.take({ type: 'error', code: 'rate_limited', message: 'full', id: POLL_ID }, 'websocket');
  expect(seen.last).toMatchObject({ state: 'refused', code: 4429 });
});

it('is hidden without a word about the poll where reading asks for a key', () => {
  const { view, seen } = viewed();
  view.take({ type: 'error', code: 'api_key_required', message: 'key', id: POLL_ID }, 'read');
  expect(seen.last).toEqual({ state: 'hidden', hidden: null });
});

it('says how often and why it could not connect, before anything came', () => {
  const { view, seen } = viewed();
  view.lose({ attempts: 1, reason: 'status 404' });
  view.lose({ attempts: 2, reason: 'status 404' });
  view.take(resultsMessage(1), 'websocket');
  expect(seen.states).toEqual([
    { state: 'connecting', attempts: 1, reason: 'status 404' },
    { state: 'connecting', attempts: 2, reason: 'status 404' },
    { state: 'live', via: 'websocket' },
  ]);
});
