import { describe, expect, it } from 'vitest';
import type { Results } from '../../src/poll/poll.ts';
import { planChange } from '../../src/poll/poll-change.ts';

const NOW = 1_900_000_000_000;
const OPEN: Results = {
  version: 7,
  votes: [4, 2],
  totalVoters: 6,
  status: 'open',
  deadlineMs: null,
  resultsVisibility: 'always',
  readAtMs: NOW,
};
const CLOSED: Results = { ...OPEN, status: 'closed' };
const ENDED: Results = { ...CLOSED, deadlineMs: NOW };
const WAITING: Results = { ...OPEN, deadlineMs: NOW + 1, resultsVisibility: 'after_deadline' };

describe('a change of a poll', () => {
  it('is empty if the poll already is as wanted', () => {
    expect(planChange(OPEN, {})).toEqual({ change: undefined });
    expect(planChange(OPEN, { status: 'open', deadlineMs: null, resultsVisibility: 'always' })).toEqual({
      change: undefined,
    });
    expect(planChange(CLOSED, { status: 'closed' })).toEqual({ change: undefined });
    expect(planChange(ENDED, { status: 'closed' })).toEqual({ change: undefined });
    const { deadlineMs, resultsVisibility } = WAITING;
    expect(planChange(WAITING, { deadlineMs, resultsVisibility })).toEqual({ change: undefined });
  });

  it('names what is different and nothing else', () => {
    expect(planChange(OPEN, { status: 'closed' }).change).toEqual({ closed: true });
    expect(planChange(CLOSED, { status: 'open', deadlineMs: null }).change).toEqual({ closed: false });
    expect(planChange(OPEN, { resultsVisibility: 'hidden' }).change).toEqual({ resultsVisibility: 'hidden' });
    expect(planChange(OPEN, { deadlineMs: NOW + 1 }).change).toEqual({ deadlineMs: NOW + 1 });
    expect(planChange(OPEN, { closesInMs: 5_000.4 }).change).toEqual({ deadlineMs: NOW + 5_000 });
  });

  it('takes no deadline that has passed', () => {
    expect(planChange(OPEN, { deadlineMs: NOW })).toEqual({ fault: 'deadline_in_past' });
    expect(planChange(OPEN, { status: 'open', deadlineMs: NOW - 1 })).toEqual({ fault: 'deadline_in_past' });
  });

  it('opens no poll whose deadline has passed, unless it gets another one, or none', () => {
    expect(planChange(ENDED, { status: 'open' })).toEqual({ fault: 'deadline_passed' });
    for (const deadlineMs of [NOW + 1, null])
      expect(planChange(ENDED, { status: 'open', deadlineMs }).change).toEqual({ closed: false, deadlineMs });
  });

  it('opens and closes an upcoming poll, and leaves it upcoming where neither is said', () => {
    const upcoming: Results = { ...OPEN, status: 'upcoming' };
    expect(planChange(upcoming, { status: 'open' }).change).toEqual({ closed: false });
    expect(planChange(upcoming, { status: 'closed' }).change).toEqual({ closed: true });
    expect(planChange(upcoming, { deadlineMs: NOW + 1 }).change).toEqual({ deadlineMs: NOW + 1 });
  });

  it('lets the seconds of an upcoming poll wait for its opening', () => {
    const prepared: Results = { ...OPEN, status: 'upcoming', closesInMs: 30_000 };
    expect(planChange(prepared, { closesInMs: 30_000 })).toEqual({ change: undefined });
    expect(planChange(prepared, { closesInMs: 60_000 }).change).toEqual({ closesInMs: 60_000 });
    expect(planChange(prepared, { status: 'open' }).change).toEqual({ closed: false });
    expect(planChange(prepared, { status: 'open', closesInMs: 5_000 }).change).toEqual({
      closed: false,
      closesInMs: 5_000,
    });
    expect(planChange(prepared, { deadlineMs: null }).change).toEqual({ deadlineMs: null });
    expect(planChange(prepared, { resultsVisibility: 'after_deadline' }).change).toEqual({
      resultsVisibility: 'after_deadline',
    });
    const sealed: Results = { ...prepared, resultsVisibility: 'after_deadline' };
    expect(planChange(sealed, { status: 'open' }).change).toEqual({ closed: false });
    expect(planChange(sealed, { deadlineMs: null }).change).toEqual({
      deadlineMs: null,
      resultsVisibility: 'hidden',
    });
  });

  it('keeps a poll closed whose deadline goes away, where it is to be closed', () => {
    for (const deadlineMs of [NOW + 1, null])
      expect(planChange(ENDED, { status: 'closed', deadlineMs }).change).toEqual({
        closed: true,
        deadlineMs,
      });
  });

  it('lets results wait only for an end that there is', () => {
    const resultsVisibility = 'after_deadline';
    expect(planChange(OPEN, { resultsVisibility })).toEqual({ fault: 'deadline_missing' });
    expect(planChange(WAITING, { resultsVisibility, deadlineMs: null })).toEqual({
      fault: 'deadline_missing',
    });
    expect(planChange(OPEN, { resultsVisibility, deadlineMs: NOW + 1 }).change).toEqual({
      resultsVisibility,
      deadlineMs: NOW + 1,
    });
  });

  it('hides results whose end is taken away, instead of letting them wait for ever', () => {
    expect(planChange(WAITING, { deadlineMs: null }).change).toEqual({
      deadlineMs: null,
      resultsVisibility: 'hidden',
    });
    expect(planChange(WAITING, { deadlineMs: null, resultsVisibility: 'always' }).change).toEqual({
      deadlineMs: null,
      resultsVisibility: 'always',
    });
  });
});
