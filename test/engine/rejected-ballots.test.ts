import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { RejectedBallotCounter, readRejectedBallots } from '../../src/engine/rejected-ballots.ts';

beforeAll(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterAll(() => void vi.useRealTimers());

const NONE = { same_network: 0, closed: 0, already_voted: 0, failed_check: 0, other: 0 };

/** Records of an engine that can be lost. */
function records() {
  const texts = new Map<string, number>();
  const state = { texts, isLost: false, spends: 0 };
  return Object.assign(state, {
    async spend(name: string, amount: number) {
      state.spends += 1;
      if (state.isLost) throw new Error('lost');
      texts.set(name, (texts.get(name) ?? 0) + amount);
      return true;
    },
    findMany: async (names: readonly string[]) =>
      names.map(name => (texts.has(name) ? `${texts.get(name)}` : undefined)),
  });
}

it('adds ballots of all processes to one record for each poll and reason, at most every two seconds', async () => {
  const engine = records();
  const [one, other] = [new RejectedBallotCounter(engine), new RejectedBallotCounter(engine)];
  for (let ballots = 0; ballots < 100; ballots += 1) one.add('a', 'same_network');
  one.add('b', 'closed');
  other.add('a', 'same_network');
  expect(engine.spends).toBe(0);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(engine.spends).toBe(3);
  expect(await readRejectedBallots(engine, ['a', 'b', 'c'])).toEqual([
    { ...NONE, same_network: 101 },
    { ...NONE, closed: 1 },
    NONE,
  ]);
  one.add('a', 'other');
  await vi.advanceTimersByTimeAsync(1_999);
  expect(engine.spends).toBe(3);
  one.close();
  expect(engine.spends).toBe(4);
});

it('goes on after a lost engine, which loses the counts of that time', async () => {
  const engine = records();
  const counter = new RejectedBallotCounter(engine);
  engine.isLost = true;
  counter.add('a', 'closed');
  await vi.advanceTimersByTimeAsync(2_000);
  engine.isLost = false;
  counter.add('a', 'closed');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await readRejectedBallots(engine, ['a'])).toEqual([{ ...NONE, closed: 1 }]);
});

it('has a bound on the polls between two flushes', async () => {
  const engine = records();
  const counter = new RejectedBallotCounter(engine);
  for (let poll = 0; poll < 5_000; poll += 1) counter.add(`${poll}`, 'closed');
  counter.add('0', 'closed');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(engine.spends).toBe(1_000);
  expect(engine.texts.get('rejected:0:closed')).toBe(2);
});
