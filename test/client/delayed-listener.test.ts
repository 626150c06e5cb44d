import { expect, it } from 'vitest';
import { delayListener } from '../../src/client/delayed-listener.ts';
import type { WatchState } from '../../src/client/watch-state.ts';
import { seededRandom } from '../../src/poll/rehearsal.ts';
import type { HiddenMessage } from '../../src/protocol/messages.ts';
import { ManualClock } from './manual-clock.ts';
import { Recorder } from './recorder.ts';
import { hiddenMessage, POLL_ID, resultsMessage } from './results-message.ts';

const LIVE: WatchState = { state: 'live', via: 'websocket' };
const STALE: WatchState = { state: 'stale', reason: 'connection' };

function delayedBy(delay: number) {
  const [clock, seen] = [new ManualClock(), new Recorder()];
  const { listener, close } = delayListener(seen, delay, clock);
  /** As a tracker calls it. */
  const take = (version: number) => {
    listener.onResults(resultsMessage(version));
    listener.onState?.(LIVE);
  };
  return { clock, seen, listener, close, take };
}

it('makes each call so much later, in order, and has the poll without figures until then', () => {
  const { clock, seen, listener, take } = delayedBy(20);
  take(1);
  const hidden = seen.last as { readonly hidden: HiddenMessage };
  expect(seen.states.map(({ state }) => state)).toEqual(['hidden']);
  expect(hidden.hidden).toMatchObject({ id: POLL_ID, title: resultsMessage(1).title, status: 'open' });
  expect(JSON.stringify(hidden)).not.toMatch(/votes|total|version|position|timestamp/);
  clock.advance(5_000);
  take(2);
  listener.onState?.(STALE);
  clock.advance(14_999);
  expect([seen.versions, seen.states.length]).toEqual([[], 1]);
  clock.advance(1);
  expect([seen.versions, seen.states.slice(1)]).toEqual([[1], [LIVE]]);
  clock.advance(4_999);
  expect([seen.versions, seen.states.slice(1)]).toEqual([[1], [LIVE]]);
  clock.advance(1);
  expect([seen.versions, seen.states.slice(1)]).toEqual([
    [1, 2],
    [LIVE, LIVE, STALE],
  ]);
  expect(clock.pending).toBe(0);
});

it('passes on at once what has no figures, until there are some', () => {
  const { clock, seen, listener, take } = delayedBy(20);
  const connecting: WatchState = { state: 'connecting', attempts: 1, reason: 'ECONNREFUSED' };
  const hidden: WatchState = { state: 'hidden', hidden: hiddenMessage() };
  listener.onState?.(connecting);
  listener.onShow?.(POLL_ID);
  listener.onState?.(hidden);
  expect([seen.states, seen.shows]).toEqual([[connecting, hidden], [POLL_ID]]);
  take(1);
  listener.onState?.(hidden);
  listener.onShow?.(null);
  clock.advance(19_999);
  expect([seen.versions, seen.states, seen.shows]).toEqual([[], [connecting, hidden], [POLL_ID]]);
  clock.advance(1);
  expect([seen.versions, seen.last, seen.shows]).toEqual([[1], hidden, [POLL_ID, null]]);
});

it('holds the counts that steps of a reveal have shown', () => {
  const { clock, seen, listener } = delayedBy(20);
  const stepped = hiddenMessage({ revealed_from: 2, total_votes: 9, total_voters: 9 });
  listener.onState?.({ state: 'hidden', hidden: stepped });
  expect(seen.states).toEqual([{ state: 'hidden', hidden: hiddenMessage() }]);
  clock.advance(19_999);
  expect(seen.states).toHaveLength(1);
  clock.advance(1);
  expect(seen.states.slice(1)).toEqual([{ state: 'hidden', hidden: stepped }]);
});

it('changes the poll of a show late, with the results that it has by then', () => {
  const { clock, seen, listener, take } = delayedBy(20);
  listener.onShow?.(null);
  clock.advance(60_000);
  listener.onShow?.(POLL_ID);
  take(7);
  clock.advance(19_999);
  expect([seen.shows, seen.versions, seen.states]).toEqual([[null], [], []]);
  clock.advance(1);
  expect([seen.shows, seen.versions, seen.states]).toEqual([[null, POLL_ID], [7], [LIVE]]);
});

it('is never early and loses nothing, with timers that are early, late or stopped for a while', () => {
  const random = seededRandom(7);
  let nowMs = 0;
  let timer: (() => void) | undefined;
  const clock = {
    now: () => nowMs,
    random,
    after: (_ms: number, callback: () => void) => {
      timer = callback;
      return () => {
        timer = undefined;
      };
    },
  };
  const arrivedMs: number[] = [];
  const seen: number[] = [];
  const onResults = ({ version }: { readonly version: number }) => {
    expect(nowMs - arrivedMs[version]!).toBeGreaterThanOrEqual(20_000);
    seen.push(version);
  };
  const { listener } = delayListener({ onResults }, 20, clock);
  for (let turn = 0; turn < 5_000; turn += 1) {
    nowMs += random() < 0.01 ? 30_000 * random() : 100 * random();
    if (random() < 0.7) listener.onResults(resultsMessage(arrivedMs.push(nowMs) - 1));
    // A timer of a browser fires whenever it likes.
    const due = random() < 0.5 ? timer : undefined;
    if (due) {
      timer = undefined;
      due();
    }
  }
  nowMs += 20_000;
  timer?.();
  expect(seen).toEqual(arrivedMs.map((_, version) => version));
});

it('makes no call once it is closed, also by a call', () => {
  const clock = new ManualClock();
  const seen: number[] = [];
  const delayed = delayListener(
    {
      onResults: ({ version }) => {
        seen.push(version);
        delayed.close();
      },
    },
    1,
    clock,
  );
  for (const version of [1, 2]) delayed.listener.onResults(resultsMessage(version));
  clock.advance(10_000);
  expect([seen, clock.pending]).toEqual([[1], 0]);
});

it.each([-1, 60.5, Number.NaN])('takes no delay of %d s', delay => {
  expect(() => delayedBy(delay)).toThrow(TypeError);
});
