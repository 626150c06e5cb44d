import { MAX_DELAY } from '../poll/show-delay.ts';
import type { Clock } from './connect-options.ts';
import { callSafely, type ShowListener, withoutCounts } from './watch-state.ts';

export interface DelayedListener {
  readonly listener: ShowListener;
  /** Drops what is held; no further calls. */
  close(): void;
}

/**
 * Makes every call of a listener `delay` seconds late, in order and never early. Before the first
 * results, what has no figures is passed on at once; so are the first results themselves, as a
 * hidden poll.
 *
 * @param delay seconds, 0 to 60
 * @throws TypeError for another delay
 */
export function delayListener(listener: ShowListener, delay: number, clock: Clock): DelayedListener {
  if (!(delay >= 0 && delay <= MAX_DELAY))
    throw new TypeError(`Not a delay from 0 to ${MAX_DELAY} s: ${delay}`);
  if (delay === 0) return { listener, close: () => {} };
  /** At 20 results a second, at most 1,200. */
  const held: { readonly dueMs: number; call(): void }[] = [];
  let cancelTimer = (): void => {};
  let isStarted = false;
  /** Timers may be early by a fraction of a millisecond, and late by any time. */
  const release = (): void => {
    for (let first = held[0]; first; first = held[0]) {
      const leftMs = first.dueMs - clock.now();
      if (leftMs > 0) {
        cancelTimer = clock.after(leftMs, release);
        return;
      }
      held.shift();
      first.call();
    }
  };
  const hold = (call: () => void): void => {
    held.push({ dueMs: clock.now() + delay * 1_000, call });
    if (held.length === 1) release();
  };
  const pass = <T>(callback: ((value: T) => void) | undefined, value: T): void => {
    const call = () => callSafely(callback, value);
    if (isStarted) hold(call);
    else call();
  };
  const { onResults, onState, onShow, onChange, onRefused } = listener;
  return {
    listener: {
      onResults: results => {
        if (!isStarted) pass(onState, { state: 'hidden', hidden: withoutCounts(results) });
        isStarted = true;
        pass(onResults, results);
      },
      onState: state => {
        const hidden = state.state === 'hidden' ? state.hidden : undefined;
        const isFirst = !isStarted && hidden !== undefined;
        // Steps of a reveal show some of the counts.
        if (isFirst && hidden) pass(onState, { state: 'hidden', hidden: withoutCounts(hidden) });
        isStarted ||= hidden !== undefined;
        if (!isFirst || hidden?.total_votes !== undefined) pass(onState, state);
      },
      onShow: id => {
        pass(onShow, id);
        isStarted ||= id === null;
      },
      onChange: show => pass(onChange, show),
      onRefused: error => pass(onRefused, error),
    },
    close: () => {
      held.length = 0;
      cancelTimer();
    },
  };
}
