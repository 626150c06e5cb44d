import { expect, it } from 'vitest';
import { createPollId } from '../../../src/poll/create-poll.ts';
import {
  allBallots,
  ballotFor,
  countHints,
  type EngineSubject,
  eventually,
  newPoll,
  openPoll,
  outcomeOf,
  readPoll,
  readResults,
} from './engine-subject.ts';

/** How polls are stored, listed, changed and removed. */
export function pollClaims(subject: EngineSubject): void {
  it('changes a poll only as long as its state is the expected one, whatever is cast meanwhile', async () => {
    const { polls } = subject.engine;
    const made = await openPoll(subject, { deadlineInMs: 600_000 });
    const { id } = made.poll;
    const seen = await readResults(subject.engine, id);
    await polls.cast(ballotFor(made));
    const changes = ['hidden', 'after_deadline'] as const;
    const both = await Promise.all(
      changes.map(resultsVisibility => polls.change(id, { resultsVisibility, expected: seen })),
    );
    expect(both.filter(Boolean)).toHaveLength(1);
    const hidden = await readResults(subject.engine, id);
    expect(await polls.change(id, { closed: true, expected: { ...hidden, edition: 'other' } })).toBe(false);
    expect(await polls.change(id, { closed: true, expected: hidden })).toBe(true);
    expect(await polls.change(id, { closed: false, expected: hidden })).toBe(false);
    expect(await readResults(subject.engine, id)).toMatchObject({ status: 'closed', totalVoters: 1 });
  });

  it('returns a poll as it was created', async () => {
    const { poll, keys } = await openPoll(subject, {
      allowMultiple: true,
      isPrivate: true,
      resultsVisibility: 'hidden',
    });
    for (const engine of [subject.engine, subject.other, subject.engine]) {
      const reading = await readPoll(engine, poll.id);
      expect(reading.poll).toEqual(poll);
      expect(reading.keys).toEqual(keys);
      const { readAtMs, ...rest } = reading.results;
      expect(rest).toEqual({
        version: 1,
        votes: [0, 0, 0],
        totalVoters: 0,
        status: 'open',
        deadlineMs: null,
        resultsVisibility: 'hidden',
      });
      expect(Math.abs(readAtMs - (await engine.polls.now()))).toBeLessThan(5_000);
    }
  });

  it('creates one of many polls with one id, and never changes it', async () => {
    const id = createPollId();
    const twins = Array.from({ length: 10 }, (_, index) => newPoll({ id, answers: index + 2 }, Date.now()));
    const created = await Promise.all(twins.map(twin => subject.engine.polls.create(twin)));
    expect(created.filter(Boolean)).toHaveLength(1);
    const winner = twins[created.indexOf(true)]!;
    await subject.engine.polls.cast(ballotFor(winner));
    expect(await subject.other.polls.create(newPoll({ id }, Date.now()))).toBe(false);
    expect(await readPoll(subject.other, id)).toMatchObject({ poll: winner.poll, results: { version: 2 } });
  });

  it('contains every ballot acknowledged before the read, at any engine', async () => {
    const poll = await openPoll(subject);
    for (let count = 1; count <= 30; count += 1) {
      await subject.engine.polls.cast(ballotFor(poll));
      expect((await readResults(subject.other, poll.poll.id)).totalVoters).toBe(count);
    }
  });

  it('reads one consistent moment while ballots are being counted', async () => {
    const poll = await openPoll(subject, { allowMultiple: true });
    const answers = poll.poll.answers.map(answer => answer.id);
    const casting = Promise.all(
      Array.from({ length: 300 }, () => subject.engine.polls.cast(ballotFor(poll, { answers }))),
    );
    for (let reads = 0; reads < 20; reads += 1) {
      const { votes, totalVoters, version } = await readResults(subject.other, poll.poll.id);
      expect(votes).toEqual([totalVoters, totalVoters, totalVoters]);
      expect(version).toBe(totalVoters + 1);
    }
    await casting;
  });

  it('finds nothing for an unknown or an invalid poll id', async () => {
    for (const id of [createPollId(), '', '{}', 'a:b', 'AAAAAAAAAAA}', '../../etc/passwd']) {
      expect(await subject.engine.polls.find(id)).toBeUndefined();
      expect(await subject.engine.polls.change(id, { closed: true })).toBe(false);
      expect(await subject.engine.polls.remove(id)).toBe(false);
      expect(await subject.engine.polls.findRevisions([id])).toEqual([undefined]);
    }
  });

  it('returns the revision of each poll, in order, by the clock of the engine', async () => {
    const plain = await openPoll(subject);
    const timed = await openPoll(subject, { deadlineInMs: 60_000 });
    await subject.engine.polls.cast(ballotFor(timed));
    const unknown = createPollId();
    const revisions = await subject.engine.polls.findRevisions([timed.poll.id, unknown, plain.poll.id]);
    expect(revisions).toMatchObject([
      { version: 2, deadlineMs: timed.deadlineMs },
      undefined,
      { version: 1, deadlineMs: null },
    ]);
    const { readAtMs: _, ...results } = await readResults(subject.engine, timed.poll.id);
    expect((await subject.engine.polls.findRevisions([timed.poll.id]))[0]).toMatchObject(results);
    expect(Math.abs(revisions[0]!.readAtMs - (await subject.engine.polls.now()))).toBeLessThan(5_000);
    expect(await subject.engine.polls.findRevisions([])).toEqual([]);
  });

  it('lists public polls, newest first, and never private ones', async () => {
    const created = Date.now();
    const ids = Array.from({ length: 4 }, createPollId);
    for (const [index, id] of ids.entries())
      await subject.engine.polls.create(newPoll({ id, isPrivate: index === 2 }, created + index));
    const listed = await subject.other.polls.listPublic(1_000);
    expect(listed.filter(id => ids.includes(id))).toEqual([ids[3], ids[1], ids[0]]);
    expect(await subject.engine.polls.listPublic(2)).toHaveLength(2);
    expect(await subject.engine.polls.listPublic(0)).toEqual([]);
  });

  it('lists no removed poll, even if its id is private now', async () => {
    const { poll } = await openPoll(subject);
    await subject.engine.polls.remove(poll.id);
    expect(await subject.engine.polls.listPublic(1_000)).not.toContain(poll.id);
    await openPoll(subject, { id: poll.id, isPrivate: true });
    expect(await subject.engine.polls.listPublic(1_000)).not.toContain(poll.id);
  });

  it('closes and reopens a poll', async () => {
    const poll = await openPoll(subject);
    const { id } = poll.poll;
    expect(await subject.engine.polls.change(id, { closed: true })).toBe(true);
    expect(await readResults(subject.other, id)).toMatchObject({ status: 'closed', version: 2 });
    expect(await subject.engine.polls.cast(ballotFor(poll))).toEqual({ outcome: 'poll_closed', version: 0 });
    expect(await subject.engine.polls.change(id, { closed: false })).toBe(true);
    expect(await readResults(subject.engine, id)).toMatchObject({ status: 'open', version: 3 });
    expect(await outcomeOf(subject.engine, ballotFor(poll))).toBe('accepted');
  });

  it('rejects ballots of an upcoming poll without a trace until it is opened', async () => {
    const poll = await openPoll(subject, { upcoming: true });
    const { id } = poll.poll;
    const early = ballotFor(poll, { proof: { id: 'proof', expiresAtMs: Date.now() + 60_000 } });
    for (const engine of [subject.engine, subject.other]) {
      expect(await readResults(engine, id)).toMatchObject({ status: 'upcoming', version: 1 });
      expect(await engine.polls.cast(early)).toEqual({ outcome: 'poll_not_open', version: 0 });
      expect(await outcomeOf(engine, ballotFor(poll, { answers: [] }))).toBe('poll_not_open');
    }
    expect(await allBallots(subject.engine, id)).toEqual([]);
    await subject.engine.polls.change(id, { resultsVisibility: 'hidden' });
    expect(await readResults(subject.other, id)).toMatchObject({ status: 'upcoming', version: 2 });

    const hints = await countHints(subject.other, id);
    expect(await subject.engine.polls.change(id, { closed: false })).toBe(true);
    await eventually(() => expect(hints.count).toBe(1));
    hints.unfollow();
    expect(await readResults(subject.other, id)).toMatchObject({ status: 'open', version: 3 });
    expect(await subject.engine.polls.cast(early)).toEqual({ outcome: 'accepted', version: 4 });
  });

  it('closes an upcoming poll, and opens it', async () => {
    const poll = await openPoll(subject, { upcoming: true });
    const { id } = poll.poll;
    await subject.engine.polls.change(id, { closed: true });
    expect(await readResults(subject.other, id)).toMatchObject({ status: 'closed', version: 2 });
    expect(await outcomeOf(subject.engine, ballotFor(poll))).toBe('poll_closed');
    await subject.engine.polls.change(id, { closed: false });
    expect(await readResults(subject.other, id)).toMatchObject({ status: 'open', version: 3 });
  });

  it('takes an opening back to upcoming, and closes the poll instead once a ballot was accepted', async () => {
    const poll = await openPoll(subject, { upcoming: true, closesInMs: 60_000 });
    const { id } = poll.poll;
    const { engine } = subject;
    await engine.polls.change(id, { closed: false });
    await engine.polls.change(id, { upcoming: true, closesInMs: 60_000 });
    const upcoming = { status: 'upcoming', deadlineMs: null, closesInMs: 60_000, version: 3 };
    expect(await readResults(subject.other, id)).toMatchObject(upcoming);
    expect(await outcomeOf(engine, ballotFor(poll))).toBe('poll_not_open');
    await engine.polls.change(id, { closed: false });
    expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted');
    await engine.polls.change(id, { upcoming: true, closesInMs: 60_000 });
    expect(await readResults(subject.other, id)).toMatchObject({ status: 'closed', totalVoters: 1 });
    expect(await outcomeOf(engine, ballotFor(poll))).toBe('poll_closed');
    await engine.polls.change(id, { closed: false });
    expect(await readResults(subject.other, id)).toMatchObject({ status: 'open', closesInMs: undefined });
  });

  it('changes only the given members', async () => {
    const { poll } = await openPoll(subject);
    const { engine } = subject;
    const deadlineMs = (await engine.polls.now()) + 60_000;
    await engine.polls.change(poll.id, { deadlineMs });
    await engine.polls.change(poll.id, { resultsVisibility: 'after_deadline' });
    await engine.polls.change(poll.id, { viewKeyHash: 'c'.repeat(64) });
    const reading = await readPoll(subject.other, poll.id);
    expect(reading.keys).toEqual({ adminKeyHash: 'a'.repeat(64), viewKeyHash: 'c'.repeat(64) });
    expect(reading.results).toMatchObject({
      version: 4,
      status: 'open',
      deadlineMs,
      resultsVisibility: 'after_deadline',
    });
    await engine.polls.change(poll.id, { deadlineMs: null });
    expect(await readResults(engine, poll.id)).toMatchObject({
      version: 5,
      deadlineMs: null,
      status: 'open',
    });
  });

  it('returns a new admin key at once, in every process that has read the old one', async () => {
    const { poll } = await openPoll(subject);
    for (const engine of [subject.engine, subject.other]) await readPoll(engine, poll.id);
    for (const [index, adminKeyHash] of ['c', 'd'].map(digit => digit.repeat(64)).entries()) {
      await subject.engine.polls.change(poll.id, { adminKeyHash });
      for (const engine of [subject.other, subject.engine])
        expect(await readPoll(engine, poll.id)).toMatchObject({
          keys: { adminKeyHash, viewKeyHash: 'b'.repeat(64) },
          results: { version: 2 + index },
        });
    }
  });

  it('removes a poll with everything in it', async () => {
    const poll = await openPoll(subject, { allowComments: true });
    const { id } = poll.poll;
    const ballot = ballotFor(poll, { proof: { id: 'proof', expiresAtMs: Date.now() + 60_000 } });
    await subject.engine.polls.cast(ballot);
    await subject.engine.comments.add(id, { id: 'c', name: 'n', text: 't', writtenAtMs: 1 }, 10);
    expect(await subject.other.polls.remove(id)).toBe(true);
    expect(await subject.engine.polls.remove(id)).toBe(false);
    expect(await subject.engine.polls.find(id)).toBeUndefined();
    expect(await allBallots(subject.engine, id)).toEqual([]);
    expect(await subject.engine.comments.list(id)).toEqual([]);
    expect(await outcomeOf(subject.engine, ballot)).toBe('poll_not_found');

    const again = await openPoll(subject, { id });
    expect(await readResults(subject.engine, id)).toMatchObject({
      version: 1,
      votes: [0, 0, 0],
      totalVoters: 0,
    });
    expect(await outcomeOf(subject.engine, { ...ballot, answers: [again.poll.answers[1]!.id] })).toBe(
      'accepted',
    );
  });
}
