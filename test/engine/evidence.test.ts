import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Evidence, EvidenceReads } from '../../src/engine/evidence.ts';
import type { StoredBallot } from '../../src/poll/ballot.ts';
import { isVoidedBy, type VoidRule } from '../../src/poll/void-rule.ts';

const START_MS = Date.UTC(2030, 0, 1, 20, 15);
const BATCH = 100;
const PATIENCE_MS = 60_000;

type Draft = Pick<StoredBallot, 'castAtMs' | 'network'>;

/** An engine with one poll of these ballots, in this order. */
function pollOf(drafts: readonly Draft[], rules: readonly VoidRule[] = []) {
  const state = { reads: 0, rules, held: undefined as Promise<void> | undefined };
  const stored = () =>
    drafts.map((draft, index): StoredBallot => {
      const ballot = { ballotId: `${index}`, answers: ['a'], name: null, ...draft };
      return state.rules.some(rule => isVoidedBy(rule, ballot)) ? { ...ballot, voided: true } : ballot;
    });
  return Object.assign(state, {
    async *readBallots() {
      state.reads += 1;
      await state.held;
      const ballots = stored();
      for (let from = 0; from < ballots.length; from += BATCH) yield ballots.slice(from, from + BATCH);
    },
    findVoidRules: async () => JSON.stringify({ rules: state.rules }),
    replaceVoidRules: async () => true,
    setVoided: async () => true,
  });
}

/** @param times milliseconds after the start */
const cast = (network: string | undefined, ...times: number[]): Draft[] =>
  times.map(ms => ({ castAtMs: START_MS + ms, network }));
const every = (ms: number, count: number) => Array.from({ length: count }, (_, index) => index * ms);
const inOrder = (drafts: Draft[]) => drafts.sort((one, other) => one.castAtMs - other.castAtMs);

async function evidenceOf(drafts: readonly Draft[], rules: readonly VoidRule[] = []): Promise<Evidence> {
  return (await new EvidenceReads(pollOf(drafts, rules), PATIENCE_MS).find(POLL)) as Evidence;
}

const POLL = { id: 'poll' };

describe('ballots over time', () => {
  it('are counted by second, without gaps', async () => {
    const { ballots, intervalMs, fromMs, intervals } = await evidenceOf(cast('a', 100, 900, 2_500));
    expect({ ballots, intervalMs, fromMs }).toEqual({ ballots: 3, intervalMs: 1_000, fromMs: START_MS });
    expect(intervals.map(interval => interval.ballots)).toEqual([2, 0, 1]);
  });

  it.each([
    [59_999, 1_000, 60],
    [60_000, 5_000, 13],
    [10 * 60_000 - 1, 10_000, 60],
    [10 * 60_000, 30_000, 21],
    [59 * 60_000, 60_000, 60],
    [24 * 3_600_000, 3_600_000, 25],
    [59 * 86_400_000, 86_400_000, 60],
    [365 * 86_400_000, 7 * 86_400_000, 53],
  ])('of %i ms have intervals of %i ms', async (lastMs, wantedMs, count) => {
    const { intervalMs, intervals } = await evidenceOf(cast('a', 0, lastMs));
    expect([intervalMs, intervals.length]).toEqual([wantedMs, count]);
    expect([intervals[0]!.ballots, intervals.at(-1)!.ballots]).toEqual([1, 1]);
  });

  it('add up when intervals become longer, also if a ballot is out of order', async () => {
    const drafts = [...cast('a', ...every(500, 200)), ...cast('a', -3_000, 3_600_000)];
    const { intervalMs, fromMs, intervals } = await evidenceOf(drafts);
    expect([intervalMs, fromMs]).toEqual([300_000, START_MS - 300_000]);
    expect(intervals.map(({ ballots }) => ballots)).toEqual([1, 200, ...Array(11).fill(0), 1]);
  });

  it('are empty for a poll without ballots', async () => {
    const evidence = await evidenceOf([]);
    expect(evidence).toMatchObject({ ballots: 0, fromMs: null, intervals: [], networks: [] });
  });
});

describe('networks', () => {
  it('are the ten with the most ballots that count, and how many there are', async () => {
    const drafts = Array.from({ length: 12 }, (_, index) =>
      cast(`n${index}`, ...every(1_000, index + 1)),
    ).flat();
    const rules = [{ network: 'n11', toMs: START_MS + 3_000 }];
    const { networks, networkCount, untagged } = await evidenceOf([...drafts, ...cast(undefined, 0)], rules);
    expect(networkCount).toBe(12);
    expect(untagged).toBe(1);
    expect(networks.map(({ network }) => network).slice(0, 5)).toEqual(['n10', 'n9', 'n8', 'n11', 'n7']);
    expect(networks).toHaveLength(10);
    expect(networks[3]).toEqual({
      network: 'n11',
      ballots: 12,
      voided: 4,
      firstMs: START_MS,
      lastMs: START_MS + 11_000,
    });
  });

  it('beyond those in memory drop small ones, and never the largest', async () => {
    const many = Array.from({ length: 60_000 }, (_, index) => cast(`n${index}`, index)[0]!);
    const { networks, ballots } = await evidenceOf(inOrder([...cast('big', ...every(300, 200)), ...many]));
    expect(ballots).toBe(60_200);
    expect(networks[0]).toMatchObject({ network: 'big', ballots: 200 });
  });
});

describe('a burst', () => {
  it('is at least 50 ballots of one network within 10 s, and more than half of all', async () => {
    const bot = cast('bot', ...every(100, 60).map(ms => ms + 20_000));
    const crowd = Array.from({ length: 59 }, (_, index) => cast(`n${index}`, 20_000 + index)[0]!);
    const { networks } = await evidenceOf(inOrder([...bot, ...crowd]));
    expect(networks[0]!.burst).toEqual({ ballots: 60, fromMs: START_MS + 20_000 });
    expect(networks.slice(1).every(({ burst }) => burst === undefined)).toBe(true);
  });

  it.each([
    ['fewer ballots', cast('a', ...every(100, 49))],
    ['slower ballots', cast('a', ...every(1_000, 200))],
    ['half of the ballots', inOrder([...cast('a', ...every(10, 60)), ...cast('b', ...every(10, 60))])],
  ])('is not %s', async (_, drafts) => {
    expect((await evidenceOf(drafts)).networks.some(({ burst }) => burst)).toBe(false);
  });

  it('ends with the ballots that made it', async () => {
    const rule = { network: 'a', toMs: START_MS + 60_000 };
    expect((await evidenceOf(cast('a', ...every(10, 60)), [rule])).networks[0]!.burst).toBeUndefined();
  });
});

describe('voided ballots', () => {
  it('are counted in total, in their interval, and by each rule', async () => {
    const rules = [
      { network: 'a', toMs: START_MS + 1_500 },
      { fromMs: START_MS, toMs: START_MS + 999 },
    ];
    const evidence = await evidenceOf([...cast('a', 0, 1_000), ...cast('b', 1_200, 2_000)], rules);
    expect(evidence).toMatchObject({ ballots: 4, voided: 2 });
    expect(evidence.intervals.map(({ voided }) => voided)).toEqual([1, 1, 0]);
    expect(evidence.rules).toEqual([
      { rule: rules[0], ballots: 2 },
      { rule: rules[1], ballots: 1 },
    ]);
  });
});

describe('reads', () => {
  beforeAll(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
  afterAll(() => void vi.useRealTimers());

  it('are shared by concurrent calls, and are as fresh as reads of their own', async () => {
    const poll = pollOf(cast('a', 0, 1));
    const reads = new EvidenceReads(poll, PATIENCE_MS);
    const [one, other] = await Promise.all([reads.find(POLL), reads.find(POLL)]);
    expect(other).toBe(one);
    expect(poll.reads).toBe(1);
    poll.rules = [{ network: 'a', toMs: START_MS }];
    const later = [reads.find(POLL), reads.find(POLL)];
    expect(poll.reads).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await Promise.all(later)).toEqual([1, 1].map(voided => expect.objectContaining({ voided })));
    expect(poll.reads).toBe(2);
  });

  /** A poll whose read ends when the test says so. */
  const slowPoll = () => {
    const poll = pollOf(cast('a', 0, 1));
    const ends = { succeed: () => {}, fail: (_: Error) => {} };
    poll.held = new Promise((resolve, reject) => Object.assign(ends, { succeed: resolve, fail: reject }));
    // It may fail before the read waits for it.
    poll.held.catch(() => {});
    return { poll, ends };
  };

  /** A busy machine may be late before the read begins, at the end of the turn. */
  const lateFind = async (reads: EvidenceReads) => {
    const found = await reads.find(POLL);
    await new Promise(setImmediate);
    return found;
  };

  it('that are late are taken over by the next call, and begin again after that', async () => {
    const { poll, ends } = slowPoll();
    const reads = new EvidenceReads(poll, 0);
    expect(await lateFind(reads)).toBe('late');
    expect([await reads.find(POLL), poll.reads]).toEqual(['late', 1]);
    ends.succeed();
    expect(await reads.find(POLL)).toMatchObject({ ballots: 2 });
    void reads.find(POLL);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(poll.reads).toBe(2);
  });

  it('that are late and forgotten are not taken over', async () => {
    const { poll, ends } = slowPoll();
    const reads = new EvidenceReads(poll, 0);
    expect(await lateFind(reads)).toBe('late');
    poll.rules = [{ network: 'a', toMs: START_MS }];
    reads.forget(POLL);
    expect(await reads.find(POLL)).toBe('late');
    ends.succeed();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([await reads.find(POLL), poll.reads]).toEqual([expect.objectContaining({ voided: 1 }), 2]);
  });

  it('that are late are not taken over in the next round', async () => {
    const { poll, ends } = slowPoll();
    const reads = new EvidenceReads(poll, 0);
    expect(await lateFind(reads)).toBe('late');
    ends.succeed();
    expect(await reads.find({ ...POLL, round: 2 })).toBe('late');
    await vi.advanceTimersByTimeAsync(1_000);
    expect([await reads.find({ ...POLL, round: 2 }), poll.reads]).toEqual([
      expect.objectContaining({ ballots: 2 }),
      2,
    ]);
  });

  it('that are late and fail reject the next call', async () => {
    const { poll, ends } = slowPoll();
    const reads = new EvidenceReads(poll, 0);
    expect(await lateFind(reads)).toBe('late');
    ends.fail(new Error('lost'));
    await expect(reads.find(POLL)).rejects.toThrow('lost');
  });
});
