import { describe, expect, it } from 'vitest';
import { createPollId } from '../../src/poll/create-poll.ts';
import { isPollId } from '../../src/poll/poll.ts';
import { nextChangeOfRehearsal, REHEARSAL_ID, rehearsalAt } from '../../src/poll/rehearsal.ts';

const ROUND_MS = 120_000;
const START_MS = Date.UTC(2027, 4, 1, 12);

/** Every moment at which something changes, from the start for so many rounds. */
function changes(rounds: number): number[] {
  const moments = [START_MS];
  for (;;) {
    const next = nextChangeOfRehearsal(moments.at(-1) as number);
    if (next >= START_MS + rounds * ROUND_MS) return moments;
    moments.push(next);
  }
}

describe('the simulated poll', () => {
  it('has an id that no poll is ever given', () => {
    expect(isPollId(REHEARSAL_ID)).toBe(false);
    expect(createPollId()).not.toHaveLength(REHEARSAL_ID.length);
  });

  it('goes through the moments of a poll in each round, and ends by its deadline', () => {
    const moments = changes(2).map(ms => rehearsalAt(ms).results);
    const statuses = moments.map(({ status }) => status).filter((status, at, all) => status !== all[at - 1]);
    expect(statuses).toEqual(['upcoming', 'open', 'closed', 'upcoming', 'open', 'closed']);
    for (const { status, deadlineMs, readAtMs } of moments)
      expect(status === 'closed').toBe(readAtMs >= (deadlineMs ?? 0));
  });

  it('goes back to version 1 and no votes with each round, and never within one', () => {
    const moments = changes(3).map(ms => rehearsalAt(ms).results);
    for (const [at, now] of moments.entries()) {
      const before = moments[at - 1];
      if (!before) continue;
      if (now.deadlineMs === before.deadlineMs) {
        expect(now.version).toBeGreaterThan(before.version);
        expect(now.votes.every((votes, answer) => votes >= (before.votes[answer] as number))).toBe(true);
      } else expect(now).toMatchObject({ version: 1, totalVoters: 0, status: 'upcoming' });
    }
  });

  it('stays as it is between two changes', () => {
    const moments = changes(1);
    for (const [at, ms] of moments.slice(0, -1).entries()) {
      const { readAtMs, ...last } = rehearsalAt((moments[at + 1] as number) - 1).results;
      expect(last).toEqual({ ...rehearsalAt(ms).results, readAtMs: undefined });
    }
  });

  it('counts one vote a voter, hundreds in a round, and has another winner from round to round', () => {
    const ends = Array.from({ length: 20 }, (_, at) => rehearsalAt(START_MS + at * ROUND_MS - 1).results);
    for (const { votes, totalVoters } of ends) {
      expect(votes.reduce((sum, count) => sum + count, 0)).toBe(totalVoters);
      expect(totalVoters).toBeGreaterThan(100);
    }
    expect(new Set(ends.map(({ votes }) => votes.indexOf(Math.max(...votes)))).size).toBeGreaterThan(2);
  });

  it('shows the same at the same moment, whatever was asked before', () => {
    const momentMs = START_MS + 60_000;
    const first = rehearsalAt(momentMs);
    rehearsalAt(momentMs + 5 * ROUND_MS);
    expect(rehearsalAt(momentMs)).toEqual(first);
  });

  it('keeps its versions small for years, and above 0 where a clock is wrong', () => {
    expect(rehearsalAt(Date.UTC(2040, 0, 1)).results.version).toBeLessThan(1_000);
    expect(rehearsalAt(0).results).toMatchObject({ version: 1, status: 'upcoming' });
  });
});
