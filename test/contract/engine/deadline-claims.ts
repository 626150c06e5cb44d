import { expect, it } from 'vitest';
import { areResultsPublic } from '../../../src/poll/poll.ts';
import type { PollChange } from '../../../src/poll/poll-change.ts';
import {
  ballotFor,
  clockPasses,
  countHints,
  type EngineSubject,
  eventually,
  openPoll,
  outcomeOf,
  readResults,
  soonMs,
} from './engine-subject.ts';

/** The deadline. */
export function deadlineClaims(subject: EngineSubject): void {
  it('closes at the deadline, stored once for any number of reads', async () => {
    const poll = await openPoll(subject, { deadlineInMs: await soonMs(subject) });
    const { id } = poll.poll;
    expect(await outcomeOf(subject.engine, ballotFor(poll))).toBe('accepted');
    expect(await readResults(subject.engine, id)).toMatchObject({ status: 'open', version: 2 });
    const hints = await countHints(subject.engine, id);
    await clockPasses(subject.engine, poll.deadlineMs!);

    const engines = [subject.engine, subject.other];
    const looks = Array.from({ length: 20 }, (_, index) => readResults(engines[index % 2]!, id));
    for (const results of await Promise.all(looks))
      expect(results).toMatchObject({ status: 'closed', version: 3, votes: [1, 0, 0] });
    await eventually(() => expect(hints.count).toBe(1));
    expect(await readResults(subject.engine, id)).toMatchObject({ version: 3 });
    expect(hints.count).toBe(1);
    hints.unfollow();
  });

  it('rejects every ballot from the deadline on, without a read', async () => {
    const poll = await openPoll(subject, { deadlineInMs: await soonMs(subject) });
    const early = ballotFor(poll);
    expect(await subject.engine.polls.cast(early)).toEqual({ outcome: 'accepted', version: 2 });
    await clockPasses(subject.engine, poll.deadlineMs!);
    expect(await outcomeOf(subject.engine, ballotFor(poll))).toBe('poll_closed');
    expect(await subject.engine.polls.cast(early)).toEqual({ outcome: 'repeated', version: 2 });
    expect(await readResults(subject.engine, poll.poll.id)).toMatchObject({ version: 3, totalVoters: 1 });
  });

  it('stores the deadline of a closed poll, when hidden results become public', async () => {
    const { poll, deadlineMs } = await openPoll(subject, {
      deadlineInMs: await soonMs(subject),
      resultsVisibility: 'after_deadline',
    });
    await subject.engine.polls.change(poll.id, { closed: true });
    expect(await readResults(subject.engine, poll.id)).toMatchObject({ version: 2, status: 'closed' });
    await clockPasses(subject.engine, deadlineMs!);
    expect(await readResults(subject.engine, poll.id)).toMatchObject({ version: 3, status: 'closed' });
    expect(await readResults(subject.engine, poll.id)).toMatchObject({ version: 3 });
  });

  it('reopens when the deadline moves into the future, and closes again at the new one', async () => {
    const poll = await openPoll(subject, { deadlineInMs: await soonMs(subject) });
    const { id } = poll.poll;
    await clockPasses(subject.engine, poll.deadlineMs!);
    expect(await readResults(subject.engine, id)).toMatchObject({ status: 'closed', version: 2 });
    const ms = await soonMs(subject);
    const deadlineMs = (await subject.engine.polls.now()) + ms;
    await subject.engine.polls.change(id, { deadlineMs });
    expect(await readResults(subject.engine, id)).toMatchObject({ status: 'open', version: 3, deadlineMs });
    expect(await outcomeOf(subject.engine, ballotFor(poll))).toBe('accepted');
    await clockPasses(subject.engine, deadlineMs);
    expect(await readResults(subject.engine, id)).toMatchObject({ status: 'closed', version: 5 });
    expect(await readResults(subject.engine, id)).toMatchObject({ version: 5 });
  });

  it('stays closed by its creator when the deadline moves, and by the deadline when its creator reopens it', async () => {
    const { poll, deadlineMs } = await openPoll(subject, { deadlineInMs: await soonMs(subject) });
    await subject.engine.polls.change(poll.id, { closed: true });
    await clockPasses(subject.engine, deadlineMs!);
    await subject.engine.polls.change(poll.id, { closed: false });
    expect((await readResults(subject.engine, poll.id)).status).toBe('closed');
    await subject.engine.polls.change(poll.id, { closed: true });
    await subject.engine.polls.change(poll.id, { deadlineMs: (await subject.engine.polls.now()) + 60_000 });
    expect((await readResults(subject.engine, poll.id)).status).toBe('closed');
  });

  it('closes an upcoming poll at the deadline, and makes it upcoming again without one', async () => {
    const poll = await openPoll(subject, { deadlineInMs: await soonMs(subject), upcoming: true });
    const { id } = poll.poll;
    await clockPasses(subject.engine, poll.deadlineMs!);
    expect(await readResults(subject.engine, id)).toMatchObject({ status: 'closed', version: 2 });
    expect(await outcomeOf(subject.engine, ballotFor(poll))).toBe('poll_closed');
    await subject.engine.polls.change(id, { deadlineMs: null });
    expect(await readResults(subject.other, id)).toMatchObject({ status: 'upcoming', version: 3 });
    expect(await outcomeOf(subject.engine, ballotFor(poll))).toBe('poll_not_open');
  });

  it('counts the seconds of a prepared poll from its opening, and closes by that deadline', async () => {
    const closesInMs = await soonMs(subject);
    const prepared = { upcoming: true, closesInMs, resultsVisibility: 'after_deadline' } as const;
    const poll = await openPoll(subject, prepared);
    const { id } = poll.poll;
    await clockPasses(subject.engine, poll.poll.createdAtMs + closesInMs);
    const { status, deadlineMs, ...waiting } = await readResults(subject.other, id);
    expect([status, deadlineMs, waiting.closesInMs]).toEqual(['upcoming', null, closesInMs]);
    expect(areResultsPublic(await readResults(subject.other, id))).toBe(false);

    const beforeMs = await subject.engine.polls.now();
    expect(await subject.engine.polls.change(id, { closed: false })).toBe(true);
    const afterMs = await subject.engine.polls.now();
    const opened = await readResults(subject.other, id);
    expect(opened.closesInMs).toBeUndefined();
    expect(opened.deadlineMs).toBeGreaterThanOrEqual(beforeMs + closesInMs);
    expect(opened.deadlineMs).toBeLessThanOrEqual(afterMs + closesInMs);
    expect(areResultsPublic(opened)).toBe(false);
    expect(await outcomeOf(subject.engine, ballotFor(poll))).toBe('accepted');
    await clockPasses(subject.engine, opened.deadlineMs!);
    expect(await outcomeOf(subject.engine, ballotFor(poll))).toBe('poll_closed');
    expect(areResultsPublic(await readResults(subject.other, id))).toBe(true);
  });

  it('replaces the seconds of a prepared poll by others, by a deadline or by neither', async () => {
    const { poll } = await openPoll(subject, { upcoming: true, closesInMs: 60_000 });
    const endAfter = async (change: PollChange) => {
      await subject.engine.polls.change(poll.id, change);
      const { deadlineMs, closesInMs } = await readResults(subject.other, poll.id);
      return [deadlineMs, closesInMs];
    };
    const later = (await subject.engine.polls.now()) + 3_600_000;
    expect(await endAfter({ closesInMs: 30_000 })).toEqual([null, 30_000]);
    expect(await endAfter({ deadlineMs: later })).toEqual([later, undefined]);
    expect(await endAfter({ closesInMs: 90_000 })).toEqual([null, 90_000]);
    expect(await endAfter({ closed: true })).toEqual([null, 90_000]);
    expect(await endAfter({ deadlineMs: null })).toEqual([null, undefined]);
    expect(await endAfter({ closed: false })).toEqual([null, undefined]);
  });

  it('settles at once if the deadline moves into the past', async () => {
    const { poll } = await openPoll(subject);
    const deadlineMs = (await subject.engine.polls.now()) - 1_000;
    await subject.engine.polls.change(poll.id, { deadlineMs });
    const { version, status } = await readResults(subject.engine, poll.id);
    expect(status).toBe('closed');
    expect(await readResults(subject.engine, poll.id)).toMatchObject({ version, deadlineMs });
  });

  it('gives the deadline a version of its own before the next change', async () => {
    const { poll, deadlineMs } = await openPoll(subject, { deadlineInMs: await soonMs(subject) });
    await clockPasses(subject.engine, deadlineMs!);
    expect(await subject.engine.polls.findRevisions([poll.id])).toMatchObject([{ version: 2 }]);
    await subject.engine.polls.change(poll.id, { resultsVisibility: 'hidden' });
    expect(await readResults(subject.engine, poll.id)).toMatchObject({ status: 'closed', version: 3 });
  });
}
