import { expect, it } from 'vitest';
import { PollTracker } from '../../src/client/poll-tracker.ts';
import { PollNotFound } from '../../src/protocol/close-event.ts';
import { Recorder } from './recorder.ts';
import {
  countsMessage,
  currentMessage,
  hiddenMessage,
  POLL_ID,
  positionOf,
  resultsMessage,
} from './results-message.ts';

function tracked(since?: string): { tracker: PollTracker; seen: Recorder } {
  const seen = new Recorder();
  return { tracker: new PollTracker(seen, since), seen };
}

it('delivers newer results, and neither older ones nor the same twice', () => {
  const { tracker, seen } = tracked();
  for (const version of [3, 5, 4, 5, 7]) tracker.apply(resultsMessage(version), 'websocket');
  expect(seen.versions).toEqual([3, 5, 7]);
  expect(seen.states).toEqual([{ state: 'live', via: 'websocket' }]);
  expect(tracker.since).toBe(positionOf(7));
});

it('delivers whole results when only counts arrive', () => {
  const { tracker, seen } = tracked();
  tracker.apply(resultsMessage(3), 'websocket');
  tracker.apply(countsMessage(5, [4, 2]), 'websocket');
  const { poll_answers } = resultsMessage(3);
  const votes = [4, 2];
  expect(seen.results[1]).toEqual({
    ...resultsMessage(3),
    poll_answers: poll_answers.map((answer, index) => ({ ...answer, votes: votes[index] })),
    version: 5,
    position: positionOf(5),
    timestamp: 1_700_000_001,
    total_votes: 6,
    total_voters: 5,
  });
  expect(tracker.since).toBe(positionOf(5));
});

it('merges counts into the newest results, even undelivered ones', () => {
  const { tracker, seen } = tracked();
  tracker.apply(resultsMessage(9, { reset: true }), 'websocket');
  tracker.disconnect({ attempts: 1, reason: 'status 502' });
  tracker.apply(resultsMessage(9, { deadline: '2030-01-01T00:00:00.000Z' }), 'websocket');
  tracker.apply(countsMessage(10, [10, 0]), 'websocket');
  tracker.apply(countsMessage(8, [8, 0]), 'websocket');
  expect(seen.versions).toEqual([9, 10]);
  expect(seen.results[1]).toMatchObject({ deadline: '2030-01-01T00:00:00.000Z', total_votes: 10 });
  expect(seen.results[1]).not.toHaveProperty('reset');
});

it('has the removed votes of the newest counts, and none once they count again', () => {
  const { tracker, seen } = tracked();
  tracker.apply(resultsMessage(3), 'websocket');
  tracker.apply({ ...countsMessage(4, [1, 0]), voided_votes: 2 }, 'websocket');
  tracker.apply({ ...countsMessage(5, [1, 1]), voided_votes: 2 }, 'websocket');
  tracker.apply(countsMessage(6, [3, 1]), 'websocket');
  tracker.apply(resultsMessage(7, { voided_votes: 1 }), 'websocket');
  tracker.apply(countsMessage(8, [8, 0]), 'websocket');
  expect(seen.results.map(results => results.voided_votes)).toEqual([
    undefined,
    2,
    2,
    undefined,
    1,
    undefined,
  ]);
  expect(seen.results.at(-1)).not.toHaveProperty('voided_votes');
});

it('ignores counts without results', () => {
  const { tracker, seen } = tracked(positionOf(4));
  tracker.apply(currentMessage(4), 'websocket');
  tracker.apply(countsMessage(5, [5, 0]), 'websocket');
  expect(seen.results).toEqual([]);
});

it('accepts older results with reset, after the engine has lost data', () => {
  const { tracker, seen } = tracked();
  tracker.apply(resultsMessage(9), 'websocket');
  tracker.apply(resultsMessage(2, { reset: true }), 'websocket');
  tracker.apply(resultsMessage(3), 'websocket');
  expect(seen.versions).toEqual([9, 2, 3]);
});

it('treats two older reads in a row as a reset, because REST has no reset', () => {
  const { tracker, seen } = tracked();
  for (const [timestamp, version] of [9, 2, 10, 3, 3].entries())
    tracker.apply(resultsMessage(version, { timestamp }), 'read');
  expect(seen.versions).toEqual([9, 10, 3]);
  expect(seen.results.at(-1)?.reset).toBe(true);
});

it('does not treat stale copies from a cache as a reset', () => {
  const { tracker, seen } = tracked();
  tracker.apply(resultsMessage(9, { timestamp: 100 }), 'read');
  for (const timestamp of [97, 98, 99, 100]) tracker.apply(resultsMessage(8, { timestamp }), 'read');
  tracker.apply(resultsMessage(9, { timestamp: 103 }), 'read');
  expect(seen.versions).toEqual([9]);
  for (const timestamp of [104, 105]) tracker.apply(resultsMessage(8, { timestamp }), 'read');
  expect(seen.versions).toEqual([9, 8]);
});

it('delivers different results of the same version with reset', () => {
  const { tracker, seen } = tracked();
  tracker.apply(resultsMessage(6), 'websocket');
  tracker.apply(resultsMessage(6, { position: '6-other', reset: true }), 'websocket');
  expect(tracker.since).toBe('6-other');
  for (const timestamp of [1_700_000_003, 1_700_000_006])
    tracker.apply(resultsMessage(6, { position: '6-third', timestamp }), 'read');
  expect(seen.results.map(({ position, reset }) => [position, reset])).toEqual([
    ['6-digest', undefined],
    ['6-other', true],
    ['6-third', true],
  ]);
});

it('delivers an older version when nothing is on screen, as the relay was sent no position', () => {
  const { tracker, seen } = tracked();
  tracker.apply(resultsMessage(9), 'websocket');
  tracker.apply(hiddenMessage(), 'websocket');
  tracker.disconnect({ attempts: 1, reason: 'status 502' });
  tracker.apply(resultsMessage(4), 'websocket');
  expect(seen.versions).toEqual([9, 4]);
});

it('does not deliver what the caller already holds', () => {
  const { tracker, seen } = tracked(positionOf(4));
  expect(tracker.since).toBe(positionOf(4));
  tracker.apply(currentMessage(4), 'sse');
  tracker.apply(resultsMessage(4), 'sse');
  tracker.apply(resultsMessage(3), 'sse');
  expect(seen.versions).toEqual([]);
  expect(seen.last).toEqual({ state: 'live', via: 'sse' });
});

it('is final with final results, and live again after the poll is reopened', () => {
  const { tracker, seen } = tracked();
  tracker.apply(resultsMessage(1, { status: 'closed', final: true }), 'websocket');
  tracker.disconnect({ attempts: 1, reason: 'status 502' });
  tracker.apply(currentMessage(1), 'websocket');
  tracker.apply(resultsMessage(2), 'websocket');
  expect(seen.states.map(({ state }) => state)).toEqual(['final', 'stale', 'final', 'live']);
});

it('drops the counts while they are hidden, and delivers the same version again afterwards', () => {
  const { tracker, seen } = tracked();
  tracker.apply(resultsMessage(5), 'websocket');
  tracker.apply(hiddenMessage(), 'websocket');
  expect(tracker.results).toBeUndefined();
  expect(tracker.since).toBeUndefined();
  tracker.apply(resultsMessage(5), 'websocket');
  expect(seen.versions).toEqual([5, 5]);
  expect(seen.states.map(({ state }) => state)).toEqual(['live', 'hidden', 'live']);
});

it('reports the hidden poll, and again when its deadline changes', () => {
  const { tracker, seen } = tracked();
  const later = hiddenMessage({ deadline: '2030-01-01T00:00:00.000Z' });
  for (const message of [hiddenMessage(), hiddenMessage(), later]) tracker.apply(message, 'websocket');
  expect(seen.states).toEqual([
    { state: 'hidden', hidden: hiddenMessage() },
    { state: 'hidden', hidden: later },
  ]);
});

it('keeps the last results while stale, and reports the reason', () => {
  const { tracker, seen } = tracked();
  tracker.apply(resultsMessage(1), 'websocket');
  tracker.apply({ type: 'stale', id: POLL_ID, since: 1 }, 'websocket');
  tracker.disconnect({ attempts: 1, reason: 'status 502' });
  tracker.apply(resultsMessage(1), 'websocket');
  expect(tracker.results?.version).toBe(1);
  expect(seen.states).toEqual([
    { state: 'live', via: 'websocket' },
    { state: 'stale', reason: 'engine' },
    { state: 'live', via: 'websocket' },
  ]);
});

it('is rejected for too many polls, but not for too many connections', () => {
  const { tracker, seen } = tracked();
  tracker.apply({ type: 'error', code: 'rate_limited', message: 'later' }, 'websocket');
  expect(seen.states).toEqual([]);
  tracker.apply({ type: 'error', code: 'rate_limited', message: 'full', id: POLL_ID }, 'websocket');
  expect(seen.last).toMatchObject({ state: 'refused', code: 4429 });
});

it('is stale while a poll that it has seen is not there, and refused if it never was', () => {
  const [seen, never] = [tracked(), tracked()];
  seen.tracker.apply(resultsMessage(1), 'websocket');
  for (const { tracker } of [seen, never])
    tracker.reject({ code: PollNotFound.code, error: 'poll_not_found', message: 'not there' });
  expect(seen.seen.last).toEqual({ state: 'stale', reason: 'engine' });
  expect(never.seen.last).toMatchObject({ state: 'refused', code: PollNotFound.code });
  seen.tracker.apply(resultsMessage(2), 'websocket');
  expect(seen.seen.versions).toEqual([1, 2]);
});

it('is hidden without the poll when REST requires a key', () => {
  const { tracker, seen } = tracked();
  tracker.apply({ type: 'error', code: 'api_key_required', message: 'key', id: POLL_ID }, 'read');
  expect(seen.last).toEqual({ state: 'hidden', hidden: null });
});

it('reports failed attempts and their reason before the first message', () => {
  const { tracker, seen } = tracked();
  tracker.disconnect({ attempts: 1, reason: 'status 404' });
  tracker.disconnect({ attempts: 2, reason: 'status 404' });
  tracker.apply(resultsMessage(1), 'websocket');
  expect(seen.states).toEqual([
    { state: 'connecting', attempts: 1, reason: 'status 404' },
    { state: 'connecting', attempts: 2, reason: 'status 404' },
    { state: 'live', via: 'websocket' },
  ]);
});
