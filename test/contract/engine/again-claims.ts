import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { VoidQueue } from '../../../src/chat/void-queue.ts';
import type { ArchivedEntry, ArchivedPoll, Engine } from '../../../src/engine/engine.ts';
import { addVoidRule, resumeVoids } from '../../../src/engine/void-ballots.ts';
import { createEdition } from '../../../src/poll/create-poll.ts';
import { idOfRound, type NextRound, type PollId, type Reading } from '../../../src/poll/poll.ts';
import { type PollChange, stateOf } from '../../../src/poll/poll-change.ts';
import { voidBallots } from '../../support/void-ballots.ts';
import {
  allBallots,
  ballotFor,
  countHints,
  type EngineSubject,
  eventually,
  expectSound,
  openPoll,
  outcomeOf,
  readPoll,
  readResults,
} from './engine-subject.ts';

const SILENT = { warn() {} } as never;

/** The next round of a poll, prepared as this one is. */
export function nextRound(reading: Reading, members: Partial<NextRound> = {}): NextRound {
  return {
    before: stateOf(reading),
    poll: { ...reading.poll, edition: createEdition() },
    deadlineMs: null,
    resultsVisibility: 'always',
    ...members,
  };
}

/** Rounds of a poll under one id. */
export function againClaims(subject: EngineSubject): void {
  const begin = async (id: PollId, members: Partial<NextRound> = {}) =>
    subject.engine.polls.again(id, nextRound(await readPoll(subject.engine, id), members));

  it('begins at zero, keeps the keys, and leaves the earlier round as it was, closed', async () => {
    const poll = await openPoll(subject, { requireName: true });
    const { id } = poll.poll;
    const first = ballotFor(poll, { name: 'Ann' });
    await subject.engine.polls.cast(first);
    await subject.engine.polls.cast(ballotFor(poll, { name: 'Ben' }));
    const viewKeyHash = 'c'.repeat(64);
    await subject.engine.polls.change(id, { viewKeyHash });
    const hints = await countHints(subject.other, id);

    expect(await begin(id)).toBe(true);
    const now = await readPoll(subject.other, id);
    expect(now.results).toMatchObject({ votes: [0, 0, 0], totalVoters: 0, status: 'open', version: 5 });
    expect(now.poll).toMatchObject({ id, round: 2, roundFrom: 5 });
    expect(now.keys).toMatchObject({ viewKeyHash, adminKeyHash: poll.keys.adminKeyHash });
    expect(await allBallots(subject.other, id)).toEqual([]);
    await eventually(() => expect(hints.count).toBeGreaterThan(0));
    hints.unfollow();

    const earlier = await readPoll(subject.other, idOfRound(id, 1));
    expect(earlier.results).toMatchObject({ votes: [2, 0, 0], totalVoters: 2, status: 'closed', version: 5 });
    expect(earlier.poll.id).toBe(id);
    expect(earlier.poll.round).toBeUndefined();
    expect((await allBallots(subject.other, idOfRound(id, 1))).map(({ name }) => name)).toEqual([
      'Ann',
      'Ben',
    ]);
    await expectSound(subject.engine, idOfRound(id, 1));
  });

  it('counts a ballot in its own round only, and lets all vote again', async () => {
    const poll = await openPoll(subject);
    const { id } = poll.poll;
    const first = ballotFor(poll);
    expect(await outcomeOf(subject.engine, first)).toBe('accepted');
    await begin(id);
    const late = ballotFor(poll);
    expect(await outcomeOf(subject.engine, late)).toBe('round_over');
    expect(await outcomeOf(subject.other, first)).toBe('round_over');
    expect(await outcomeOf(subject.engine, { ...late, round: 3 })).toBe('round_over');
    expect(await outcomeOf(subject.engine, { ...first, round: 2 })).toBe('accepted');
    expect(await outcomeOf(subject.engine, { ...first, round: 2 })).toBe('repeated');
    expect(await outcomeOf(subject.engine, ballotFor(poll, { round: 2, voter: first.voter }))).toBe(
      'duplicate_voter',
    );
    expect(await subject.engine.polls.hasVoted(id, late.voter)).toBe(false);
    expect(await subject.engine.polls.hasVoted(id, first.voter)).toBe(true);
    expect(await outcomeOf(subject.engine, { ...first, pollId: idOfRound(id, 1) })).not.toBe('accepted');
    await begin(id);
    expect(await subject.engine.polls.hasVoted(id, first.voter)).toBe(false);
    expect((await readResults(subject.engine, idOfRound(id, 2))).totalVoters).toBe(1);
    expect(await outcomeOf(subject.engine, { ...late, round: 3 })).toBe('accepted');
    await expectSound(subject.engine, id);
  });

  it('takes the beginning of a round back until it has a ballot, and the round before is as it was', async () => {
    const poll = await openPoll(subject, { requireName: true });
    const { id } = poll.poll;
    const first = ballotFor(poll, { name: 'Ann' });
    await subject.engine.polls.cast(first);
    await subject.engine.polls.change(id, { closed: true, resultsVisibility: 'hidden' });
    await subject.engine.polls.change(id, { revealedFrom: 1 });
    const before = await readPoll(subject.engine, id);
    expect(await begin(id)).toBe(true);
    const viewKeyHash = 'd'.repeat(64);
    await subject.engine.polls.change(id, { viewKeyHash });
    const second = await readPoll(subject.engine, id);
    const hints = await countHints(subject.other, id);
    expect(await subject.engine.polls.takeBackRound(id, stateOf(before))).toBe(true);
    expect(await subject.other.polls.takeBackRound(id, stateOf(before))).toBe(false);
    await eventually(() => expect(hints.count).toBeGreaterThan(0));
    hints.unfollow();

    const now = await readPoll(subject.other, id);
    const { version, readAtMs: _, ...results } = now.results;
    expect(before.results).toMatchObject(results);
    expect(version).toBeGreaterThan(second.results.version);
    expect([now.poll.round, now.poll.edition]).toEqual([undefined, before.poll.edition]);
    expect(now.keys.viewKeyHash).toBe(viewKeyHash);
    expect((await allBallots(subject.other, id)).map(({ name }) => name)).toEqual(['Ann']);
    expect(await subject.engine.polls.find(idOfRound(id, 1))).toBeUndefined();
    await subject.engine.polls.change(id, { closed: false });
    expect(await outcomeOf(subject.engine, ballotFor(poll, { voter: first.voter, name: 'Ann' }))).toBe(
      'duplicate_voter',
    );
    await expectSound(subject.engine, id);

    // The second round begins anew, and has a ballot.
    const open = await readPoll(subject.engine, id);
    expect(await begin(id)).toBe(true);
    expect(await outcomeOf(subject.engine, ballotFor(poll, { round: 2, name: 'Ben' }))).toBe('accepted');
    expect(await subject.engine.polls.takeBackRound(id, stateOf(open))).toBe(false);
    expect((await readResults(subject.engine, id)).totalVoters).toBe(1);
    expect((await readResults(subject.engine, idOfRound(id, 1))).totalVoters).toBe(1);
  });

  it('returns to an open round as an open one, and to an upcoming one as upcoming', async () => {
    for (const change of [{ closed: false }, { upcoming: true }] as const) {
      const { poll } = await openPoll(subject);
      await subject.engine.polls.change(poll.id, change);
      const before = await readPoll(subject.engine, poll.id);
      await begin(poll.id);
      expect(await subject.engine.polls.takeBackRound(poll.id, stateOf(before))).toBe(true);
      expect((await readPoll(subject.other, poll.id)).results.status).toBe(before.results.status);
    }
  });

  it('counts each of many ballots in one round, while rounds begin', async () => {
    const poll = await openPoll(subject);
    const { id } = poll.poll;
    const engines = [subject.engine, subject.other];
    const accepted = [0, 0, 0, 0, 0];
    let round = 1;
    const vote = async (index: number) => {
      const ballot = ballotFor(poll, { round });
      if ((await outcomeOf(engines[index % 2]!, ballot)) === 'accepted') accepted[ballot.round!]! += 1;
    };
    for (; round <= 4; round += 1) {
      const votes = Array.from({ length: 60 }, (_, index) => vote(index));
      if (round < 4) await begin(id);
      await Promise.all(votes);
    }
    const counted = [1, 2, 3].map(
      async number => (await readResults(subject.engine, idOfRound(id, number))).totalVoters,
    );
    expect([...(await Promise.all(counted)), (await readResults(subject.engine, id)).totalVoters]).toEqual(
      accepted.slice(1),
    );
    expect(accepted[4]).toBe(60);
  });

  it('begins one of two rounds that are planned at the same time', async () => {
    const { poll } = await openPoll(subject);
    const first = await readPoll(subject.engine, poll.id);
    const begun = await Promise.all(
      [subject.engine, subject.other].map(engine => engine.polls.again(poll.id, nextRound(first))),
    );
    expect(begun.filter(Boolean)).toHaveLength(1);
    expect((await readPoll(subject.engine, poll.id)).poll.round).toBe(2);
    const corrected = { ...poll, title: 'Reworded', edition: createEdition() };
    const second = await readPoll(subject.engine, poll.id);
    const now = second.poll;
    await subject.engine.polls.change(poll.id, {
      correction: {
        before: now,
        after: { ...now, title: corrected.title, edition: corrected.edition },
        isUnvoted: false,
      },
    });
    expect(await subject.engine.polls.again(poll.id, nextRound(second))).toBe(false);
    expect(await subject.engine.polls.again('AAAAAAAAAAAA', nextRound(first))).toBe(false);
    expect(await subject.engine.polls.again(idOfRound(poll.id, 1), nextRound(first))).toBe(false);
  });

  it('begins no round from a state that the poll no longer has', async () => {
    const nowMs = await subject.engine.polls.now();
    const changes: PollChange[] = [
      { resultsVisibility: 'hidden' },
      { deadlineMs: nowMs + 60_000 },
      { closed: true },
      { revealedFrom: 2 },
      { upcoming: true },
      { closesInMs: 60_000 },
    ];
    const { poll } = await openPoll(subject);
    for (const change of changes) {
      const seen = await readPoll(subject.other, poll.id);
      expect(await subject.engine.polls.change(poll.id, change)).toBe(true);
      expect(await subject.other.polls.again(poll.id, nextRound(seen))).toBe(false);
      const { results } = await readPoll(subject.other, poll.id);
      expect(results).toMatchObject({ version: seen.results.version + 1, resultsVisibility: 'hidden' });
    }
    const now = await readPoll(subject.engine, poll.id);
    expect(await subject.engine.polls.again(poll.id, nextRound(now))).toBe(true);
  });

  it('never begins a visible round beside a change that hides the results', async () => {
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const { poll } = await openPoll(subject);
      const seen = await readPoll(subject.engine, poll.id);
      const hide = () => subject.other.polls.change(poll.id, { resultsVisibility: 'hidden' });
      const [begun, hidden] = await Promise.all(
        attempt % 2 === 0
          ? [subject.engine.polls.again(poll.id, nextRound(seen)), hide()]
          : [hide(), subject.engine.polls.again(poll.id, nextRound(seen))].reverse(),
      );
      expect(hidden).toBe(true);
      const now = await readPoll(subject.engine, poll.id);
      expect(now.results.resultsVisibility).toBe('hidden');
      expect(now.poll.round).toBe(begun ? 2 : undefined);
    }
  });

  it('prepares an upcoming round with other settings, answers and pictures', async () => {
    const images = [{ file: `${'a'.repeat(32)}.png`, data: Buffer.from('one').toString('base64') }];
    const made = await openPoll(subject);
    const { id } = made.poll;
    const answers = made.poll.answers.map((answer, index) =>
      index === 0 ? { ...answer, image: images[0]!.file } : answer,
    );
    await subject.engine.polls.change(id, {
      correction: {
        before: made.poll,
        after: { ...made.poll, answers, edition: 'pictured' },
        isUnvoted: false,
        image: images[0],
      },
    });
    const { poll } = await readPoll(subject.engine, id);
    const kept = [poll.answers[0]!, { id: 'another', text: 'Another' }];
    await begin(id, {
      poll: { ...poll, answers: kept, edition: 'two', settings: { ...poll.settings, allowMultiple: true } },
      upcoming: true,
      closesInMs: 60_000,
      resultsVisibility: 'hidden',
    });
    const { results } = await readPoll(subject.other, id);
    expect(results).toMatchObject({
      status: 'upcoming',
      closesInMs: 60_000,
      resultsVisibility: 'hidden',
      votes: [0, 0],
    });
    const ballot = ballotFor(made, { answers: kept.map(answer => answer.id), round: 2 });
    expect(await outcomeOf(subject.engine, ballot)).toBe('poll_not_open');
    await subject.engine.polls.change(id, { closed: false });
    expect(await outcomeOf(subject.engine, ballot)).toBe('accepted');
    expect(await subject.engine.polls.findImage(id, images[0]!.file)).toBe(images[0]!.data);
    expect(await subject.engine.polls.findImage(idOfRound(id, 1), images[0]!.file)).toBe(images[0]!.data);
    await expectSound(subject.engine, id);
  });

  it('changes, withdraws and voids ballots of a round in that round', async () => {
    const poll = await openPoll(subject, { allowChange: true });
    const { id } = poll.poll;
    const voter = 'one and the same';
    const first = ballotFor(poll, { voter, network: 'north' });
    await subject.engine.polls.cast(first);
    await begin(id);
    expect(await outcomeOf(subject.engine, ballotFor(poll, { voter, round: 1, change: {} }))).toBe(
      'round_over',
    );
    expect(await outcomeOf(subject.engine, ballotFor(poll, { voter, round: 2, change: {} }))).toBe(
      'change_not_allowed',
    );
    expect(await outcomeOf(subject.engine, ballotFor(poll, { voter, round: 2, network: 'north' }))).toBe(
      'accepted',
    );
    const other = [poll.poll.answers[1]!.id];
    expect(
      await outcomeOf(subject.other, ballotFor(poll, { voter, round: 2, answers: other, change: {} })),
    ).toBe('accepted');
    expect((await readResults(subject.engine, id)).votes).toEqual([0, 1, 0]);
    await voidBallots(subject.engine.polls, id, {
      network: 'north',
      toMs: await subject.engine.polls.now(),
    });
    expect(await readResults(subject.engine, id)).toMatchObject({ votes: [0, 0, 0], voidedVotes: 1 });
    expect(await readResults(subject.engine, idOfRound(id, 1))).toMatchObject({ votes: [1, 0, 0] });
    await expectSound(subject.engine, idOfRound(id, 1));
  });

  it('removes all rounds with the poll, for one that is made under the same id too', async () => {
    const made = await openPoll(subject, { sharedAddress: true });
    const { id } = made.poll;
    const ballots = [1, 2, 3].map(round => ballotFor(made, { round }));
    for (const ballot of ballots) {
      expect(await outcomeOf(subject.engine, ballot)).toBe('accepted');
      await begin(id);
    }
    expect(await subject.engine.polls.remove(id)).toBe(true);
    for (const round of [1, 2, 3, 4])
      expect(await subject.engine.polls.find(idOfRound(id, round))).toBeUndefined();
    expect(await subject.other.polls.find(id)).toBeUndefined();
    await eventually(async () => expect(await subject.engine.polls.create(made)).toBe(true));
    for (const ballot of ballots) {
      await eventually(async () => expect(await outcomeOf(subject.engine, ballot)).toBe('accepted'));
      await eventually(async () => expect(await begin(id)).toBe(true));
    }
  });

  it('archives all rounds, oldest first, and adds them again', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject, { allowChange: true, allowComments: true });
    const { id } = made.poll;
    const first = ballotFor(made);
    await engine.polls.cast(first);
    await engine.comments.add(id, { id: randomUUID(), name: 'Ü', text: 'Well', writtenAtMs: 1 }, 10);
    await begin(id);
    await begin(id);
    const ballot = ballotFor(made, { round: 3, answers: [made.poll.answers[2]!.id] });
    await engine.polls.cast(ballot);
    const listed: PollId[] = [];
    for await (const one of engine.archive.listPolls()) if (one.startsWith(id)) listed.push(one);
    expect(listed).toEqual([id]);

    const before = await readRounds(engine, id);
    expect(before.map(({ round }) => [round.type, round.poll.round, round.voters])).toEqual([
      ['round', undefined, 1],
      ['round', 2, 0],
      ['poll', 3, 1],
    ]);
    expect(new Set(before.map(({ round }) => round.expiresAtMs)).size).toBe(1);
    expect(before.map(({ entries }) => entries.filter(({ type }) => type === 'comment').length)).toEqual([
      0, 0, 1,
    ]);
    const ids = [idOfRound(id, 1), idOfRound(id, 2), id];
    const results = await Promise.all(ids.map(one => readResults(engine, one)));
    await engine.polls.remove(id);
    // An earlier try died after the first round.
    for (const { round, entries } of [before[0]!, ...before]) {
      expect(await other.polls.find(id)).toBeUndefined();
      await eventually(async () =>
        expect(await engine.archive.addPoll(round, inOnePart(entries))).toBe(true),
      );
    }
    for (const { round, entries } of before)
      expect(await engine.archive.addPoll(round, inOnePart(entries))).toBe(false);

    expect(await readRounds(other, id)).toEqual(before);
    for (const [index, { readAtMs: _, ...earlier }] of results.entries())
      expect(await readResults(other, ids[index]!)).toMatchObject(earlier);
    expect(await outcomeOf(engine, ballot)).toBe('repeated');
    expect(await outcomeOf(engine, ballotFor(made, { round: 3, voter: ballot.voter }))).toBe(
      'duplicate_voter',
    );
    expect(await outcomeOf(engine, ballotFor(made))).toBe('round_over');
    const both = [first.ballotId, ballot.ballotId];
    expect(await engine.archive.findMissing({ id }, both)).toEqual([ballot.ballotId]);
    expect(await engine.archive.findMissing({ id, round: 3 }, both)).toEqual([first.ballotId]);
    expect(await begin(id)).toBe(true);
    expect(await engine.archive.findMissing({ id, round: 3 }, both)).toEqual([first.ballotId]);
    for (const round of [1, 3]) await expectSound(engine, idOfRound(id, round));
    await engine.polls.remove(id);
    for (const round of [1, 2, 3]) expect(await other.polls.find(idOfRound(id, round))).toBeUndefined();
  });

  it('goes on with a void of the round before, which the next one has interrupted', async () => {
    const { engine } = subject;
    const made = await openPoll(subject);
    const { id } = made.poll;
    for (let n = 0; n < 3; n += 1) await outcomeOf(engine, ballotFor(made, { network: 'one' }));
    await addVoidRule(engine.polls, id, { network: 'one', toMs: await engine.polls.now() });
    await begin(id);
    expect(await resumeVoids(engine.polls, { id, round: 2 })).toBe(true);
    await eventually(async () => expect((await readResults(engine, idOfRound(id, 1))).voidedVotes).toBe(3));
    await eventually(async () => expect(await resumeVoids(engine.polls, { id, round: 2 })).toBe(false));
    await expectSound(engine, idOfRound(id, 1));
  });

  it('voids a vote from chat in the round in which it was cast, also if the next one has begun', async () => {
    const { engine } = subject;
    const made = await openPoll(subject);
    const { id } = made.poll;
    const vote = ballotFor(made, { source: 'twitch' });
    expect(await outcomeOf(engine, vote)).toBe('accepted');
    await begin(id);
    // A user has the same ballot id in each round.
    expect(await outcomeOf(engine, { ...vote, round: 2 })).toBe('accepted');
    const voids = new VoidQueue(engine, SILENT);
    voids.add({ id, round: undefined, platform: 'twitch', ballotId: vote.ballotId });
    await eventually(async () => expect((await readResults(engine, idOfRound(id, 1))).voidedVotes).toBe(1));
    expect(await readResults(engine, id)).toMatchObject({ totalVoters: 1, votes: [1, 0, 0] });
    voids.add({ id, round: 2, platform: 'twitch', ballotId: vote.ballotId });
    await eventually(async () => expect((await readResults(engine, id)).voidedVotes).toBe(1));
    for (const one of [id, idOfRound(id, 1)]) await expectSound(engine, one);
    voids.close();
  });
}

interface Round {
  readonly round: ArchivedPoll;
  readonly entries: ArchivedEntry[];
}

async function readRounds({ archive }: Engine, id: PollId): Promise<Round[]> {
  const rounds: Round[] = [];
  for await (const batch of archive.readPoll(id))
    for (const item of batch)
      if ('poll' in item) rounds.push({ round: item, entries: [] });
      else rounds.at(-1)!.entries.push(item);
  return rounds;
}

async function* inOnePart(entries: readonly ArchivedEntry[]): AsyncIterable<readonly ArchivedEntry[]> {
  yield entries;
}
