import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withRehearsal } from '../../src/engine/with-rehearsal.ts';
import { REHEARSAL_ID } from '../../src/poll/rehearsal.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { OnePoll, POLL_ID } from '../support/one-poll.ts';

const OPEN_MS = Date.UTC(2027, 4, 1, 12, 0, 30);

let one: OnePoll;
let double: EngineDouble;

beforeEach(() => {
  vi.useFakeTimers({ now: OPEN_MS });
  one = new OnePoll();
  double = new EngineDouble(one.engine);
});
afterEach(() => {
  vi.useRealTimers();
});

describe('an engine with the simulated poll', () => {
  it('sweeps it among stored polls, each in its place', async () => {
    const { polls } = withRehearsal(double.engine);
    const [rehearsal] = await polls.findRevisions([REHEARSAL_ID]);
    const [stored] = await double.engine.polls.findRevisions([POLL_ID]);
    expect(await polls.findRevisions([POLL_ID, REHEARSAL_ID, POLL_ID])).toEqual([stored, rehearsal, stored]);
    expect(await polls.find(POLL_ID)).toEqual(await double.engine.polls.find(POLL_ID));
  });

  it('hints at its changes at most 40 times a second, and only with followers', async () => {
    const { hints } = withRehearsal(double.engine);
    const hinted = vi.fn();
    const following = hints.follow(REHEARSAL_ID, hinted);
    expect(hinted).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(hinted.mock.calls.length).toBeGreaterThan(0);
    expect(hinted.mock.calls.length).toBeLessThanOrEqual(40);
    const running = vi.getTimerCount();
    following.unfollow();
    expect(vi.getTimerCount()).toBe(running - 1);
    hinted.mockClear();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(hinted).not.toHaveBeenCalled();
  });

  it('does not go back if the clock does', async () => {
    const { polls } = withRehearsal(double.engine);
    const before = await polls.find(REHEARSAL_ID);
    vi.setSystemTime(OPEN_MS - 20_000);
    expect(await polls.find(REHEARSAL_ID)).toEqual(before);
  });
});
