import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SubscriptionOptions } from '../../src/live/subscription.ts';
import { completed } from '../support/completed.ts';
import { POLL_ID } from '../support/one-poll.ts';
import { Screen, subscriptionOptions } from './connection-stub.ts';
import { PollHistory, step, VIEW_KEY } from './poll-history.ts';

const RUNS = 500;

describe('compact messages', () => {
  let history: PollHistory;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    vi.advanceTimersByTime(10_000);
    history = new PollHistory();
  });
  afterEach(() => {
    history.hub.close();
    vi.useRealTimers();
  });

  const join = async (asked: Partial<SubscriptionOptions> = {}) => {
    const screen = new Screen(history.hub, subscriptionOptions({ compact: true, ...asked }));
    await pass(200);
    return screen;
  };
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const set = async (changes: Parameters<PollHistory['one']['set']>[0]) => {
    const { one } = history;
    one.set({ version: (one.reading?.results.version ?? 0) + 1, ...changes });
    await one.hints.publish(POLL_ID);
    await pass(200);
  };
  const vote = async (answer = 0) => {
    const { votes = [], totalVoters = 0 } = history.one.reading?.results ?? {};
    const counted = votes.map((count, index) => (index === answer ? count + 1 : count));
    await set({ votes: counted, totalVoters: totalVoters + 1 });
  };
  const types = ({ messages }: Screen) => messages.map(({ type }) => type);

  it('are the same bytes for all compact subscribers, and no other gets them', async () => {
    const [first, second, plain] = [await join(), await join({ hz: 20 }), await join({ compact: false })];
    const frames = [first, second].map(screen => vi.spyOn(screen, 'write'));
    await vote();
    const [one, other] = frames.map(write => write.mock.lastCall?.[0]);
    expect(one?.json).toMatch(/^{"type":"counts",/);
    expect(other).toBe(one);
    expect(types(plain)).toEqual(['results', 'results']);
  });

  it('P44: are replaced by results after results that were dropped', async () => {
    const screen = await join();
    screen.isFull = true;
    await vote();
    await set({ status: 'closed' });
    await set({ status: 'open', deadlineMs: 2_000_000_000_000 });
    await vote();
    expect(types(screen)).toEqual(['results', 'counts']);
    screen.drain();
    await vote();
    expect(types(screen)).toEqual(['results', 'counts', 'results', 'counts']);
    expect(screen.messages[2]).toMatchObject({ version: 5, deadline: '2033-05-18T03:33:20.000Z' });
  });

  it('a reset that could not be written is sent on drain', async () => {
    const screen = await join();
    await set({ version: 40, votes: [39, 0] });
    screen.isFull = true;
    await vote();
    await set({ version: 12, votes: [11, 0] });
    await vote();
    screen.drain();
    expect(screen.messages.at(-1)).toMatchObject({ type: 'results', total_votes: 12, reset: true });
    await vote();
    expect(screen.messages.at(-1)).toMatchObject({ type: 'counts', votes: [13, 0] });
  });

  it('P44: carry the same content as full ones in any history, message by message', async () => {
    let counts = 0;
    let blocked = 0;
    const anyHistory = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async steps => {
      history = new PollHistory();
      const pairs: [Screen, Screen][] = [];
      const joinBoth = async (asked: Partial<SubscriptionOptions>) => {
        pairs.push([
          new Screen(history.hub, subscriptionOptions(asked)),
          new Screen(history.hub, subscriptionOptions({ ...asked, compact: true })),
        ]);
        await pass(0);
      };
      await joinBoth({ hz: 20 });
      await joinBoth({ hz: 20, key: VIEW_KEY });
      for (const taken of steps) {
        if (taken.act === 'join') await joinBoth(taken.wishes);
        else await history.take(taken, pairs);
      }
      blocked += pairs.filter(([full]) => full.isBlocked).length;
      history.engine.giveBack();
      for (const pair of pairs) for (const screen of pair) screen.drain();
      await pass(10_000);
      for (const [full, compact] of pairs) {
        expect(completed(compact.messages)).toEqual(full.messages);
        const [whole, handedOn] = [full.watch(), compact.watch()];
        expect(handedOn.results).toEqual(whole.results);
        expect(handedOn.states).toEqual(whole.states);
        counts += types(compact).filter(type => type === 'counts').length;
      }
      history.hub.close();
    });
    await fc.assert(anyHistory, { numRuns: RUNS });
    expect(Math.min(counts, blocked)).toBeGreaterThan(RUNS / 2);
  });
});
