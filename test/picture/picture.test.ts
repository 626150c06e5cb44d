import { describe, expect, it } from 'vitest';
import { readParameters } from '../../src/picture/parameters.ts';
import { composePicture, Ending } from '../../src/picture/picture.ts';
import { knownHidden, knownResults } from '../overlay/poll-snapshots.ts';

const settings = (query = '') => readParameters(new URLSearchParams(query)).settings;
const ids = (votes: number[], query = '', fit = 100) =>
  composePicture(knownResults(votes), settings(query), fit).rows.map(row => row.id);

describe('composePicture', () => {
  it('sorts by votes, and ties in the order of the poll', () => {
    expect(ids([3, 9, 3, 1])).toEqual(['a2', 'a1', 'a3', 'a4']);
  });

  it('keeps the order of the poll with sort=order', () => {
    expect(ids([3, 9, 3, 1], 'sort=order')).toEqual(['a1', 'a2', 'a3', 'a4']);
  });

  it('keeps the answers with the most votes in any order', () => {
    expect(ids([1, 9, 2, 8], 'sort=order&top=2')).toEqual(['a2', 'a4']);
  });

  it('keeps what fits, even if top is larger', () => {
    const picture = composePicture(knownResults([5, 4, 3, 2, 1]), settings('top=4'), 3);
    expect(picture.rows).toHaveLength(3);
    expect(picture).toMatchObject({ answers: 5, mostVotes: 5, totalVotes: 15 });
  });

  it('keeps at least one answer', () => {
    expect(ids([1, 2], '', 0)).toEqual(['a2']);
  });

  it('keeps the place in the poll, which determines the color', () => {
    const { rows } = composePicture(knownResults([1, 5]), settings(), 9);
    expect(rows.map(row => row.place)).toEqual([1, 0]);
  });

  it('has percentages that add up to 100', () => {
    const { rows } = composePicture(knownResults([3, 2, 1]), settings('decimals=1'), 9);
    expect(rows.reduce((sum, row) => sum + row.percent, 0)).toBeCloseTo(100, 9);
  });

  it('has equal percentages for equal counts', () => {
    const { rows } = composePicture(knownResults([1_204, 1_204, 800, 500, 50]), settings(), 9);
    expect(rows.map(row => row.percent)).toEqual([32, 32, 21, 13, 2]);
  });

  it('waits without a leader before the first vote', () => {
    const picture = composePicture(knownResults([0, 0]), settings(), 9);
    expect(picture.moment).toBe('waiting');
    expect(picture.rows.every(row => !row.leads && row.length === 0 && row.percent === 0)).toBe(true);
  });

  it('shows an upcoming poll, which has not ended', () => {
    const upcoming = knownResults([0, 0], { status: 'upcoming' });
    expect(composePicture(upcoming, settings(), 9)).toMatchObject({ moment: 'upcoming', answers: 2 });
    expect(new Ending().observe(upcoming, 1)).toBeUndefined();
  });

  it('is marked as secret while the audience does not see the results', () => {
    const isSecret = (...[visibility, status]: readonly ['after_deadline' | 'hidden', 'open' | 'closed']) =>
      composePicture(knownResults([1], { results_visibility: visibility, status }), settings(), 9).secret;
    expect(isSecret('after_deadline', 'open')).toBe(true);
    expect(isSecret('after_deadline', 'closed')).toBe(false);
    expect(isSecret('hidden', 'closed')).toBe(true);
  });

  it('has a winner once the poll is closed', () => {
    const open = composePicture(knownResults([2, 1]), settings(), 9);
    const closed = composePicture(knownResults([2, 1], { status: 'closed' }), settings(), 9);
    expect(open.rows.map(row => row.wins)).toEqual([false, false]);
    expect(closed.rows.map(row => row.wins)).toEqual([true, false]);
    expect(closed).toMatchObject({ moment: 'closed', tie: false });
  });

  it('recognizes a tie even if a winner does not fit', () => {
    expect(composePicture(knownResults([4, 4, 1], { status: 'closed' }), settings(), 1).tie).toBe(true);
  });

  it('has no winner without votes or with winner=0', () => {
    const empty = composePicture(knownResults([0, 0], { status: 'closed' }), settings(), 9);
    const unwanted = composePicture(knownResults([2, 1], { status: 'closed' }), settings('winner=0'), 9);
    for (const { rows, tie } of [empty, unwanted])
      expect([tie, ...rows.map(row => row.wins)]).not.toContain(true);
  });

  it('shows hidden results as answers without figures, in the order of the poll', () => {
    const deadline = '2030-01-01T20:00:00.000Z';
    const picture = composePicture(
      knownHidden({ deadline, results_visibility: 'after_deadline' }),
      settings(),
      9,
    );
    expect(picture).toMatchObject({ moment: 'hidden', totalVotes: 0, revealsAtDeadline: true });
    const figures = picture.rows.map(({ place, votes, percent, length, leads }) => [
      place,
      votes,
      percent,
      length,
      leads,
    ]);
    expect(figures).toEqual([
      [0, 0, 0, 0, false],
      [1, 0, 0, 0, false],
    ]);
    expect(picture.deadlineMs).toBe(Date.parse(deadline));
  });

  it('fills columns by the leader and bars by all votes, unless scale is set', () => {
    const lengths = (query: string) =>
      composePicture(knownResults([6, 2]), settings(query), 9).rows.map(row => row.length);
    expect(lengths('style=bars')).toEqual([0.75, 0.25]);
    expect(lengths('style=columns')).toEqual([1, 2 / 6]);
    expect(lengths('style=columns&scale=total')).toEqual([0.75, 0.25]);
    expect(lengths('style=bars&scale=leader')).toEqual([1, 2 / 6]);
  });
});

describe('Ending', () => {
  const closed = { status: 'closed' } as const;

  it('is undefined while a poll is open', () => {
    expect(new Ending().observe(knownResults([1]), 5000)).toBeUndefined();
  });

  it('is the time at which a poll was first seen closed', () => {
    const ending = new Ending();
    ending.observe(knownResults([1], closed), 5000);
    expect(ending.observe(knownResults([1], closed), 9000)).toBe(5000);
  });

  it('is the deadline for a page that loads later', () => {
    const results = knownResults([1], { ...closed, deadline: new Date(2000).toISOString() });
    expect(new Ending().observe(results, 9000)).toBe(2000);
  });

  it('restarts when a poll reopens, and for another poll', () => {
    const ending = new Ending();
    ending.observe(knownResults([1], closed), 1000);
    ending.observe(knownResults([1]), 2000);
    expect(ending.observe(knownResults([1], closed), 3000)).toBe(3000);
    expect(ending.observe(knownResults([1], { ...closed, id: 'p2' }), 4000)).toBe(4000);
  });
});
