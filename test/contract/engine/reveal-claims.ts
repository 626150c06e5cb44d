import { expect, it } from 'vitest';
import type { NewPoll } from '../../../src/poll/poll.ts';
import type { PollChange } from '../../../src/poll/poll-change.ts';
import { nextReveal } from '../../../src/poll/reveal-steps.ts';
import { readArchived } from './archive-claims.ts';
import {
  ballotFor,
  clockPasses,
  countHints,
  type EngineSubject,
  eventually,
  openPoll,
  type PollWishes,
  readPoll,
  readResults,
  soonMs,
} from './engine-subject.ts';

/** How a closed poll with hidden results is revealed place by place. */
export function revealClaims(subject: EngineSubject): void {
  /** Closed, hidden, with that many votes for each answer. */
  async function hiddenPoll(votes: readonly number[] = [3, 1, 2]): Promise<NewPoll> {
    const { engine } = subject;
    const made = await openPoll(subject, {
      resultsVisibility: 'hidden',
      sharedAddress: true,
      answers: votes.length,
    });
    const ballots = made.poll.answers.flatMap(({ id }, index) =>
      Array.from({ length: votes[index]! }, () => ballotFor(made, { answers: [id] })),
    );
    await Promise.all(ballots.map(ballot => engine.polls.cast(ballot)));
    expect(await engine.polls.change(made.poll.id, { closed: true })).toBe(true);
    return made;
  }

  it('stores each step with its hint, for every process, until the last shows everything', async () => {
    const { engine, other } = subject;
    const { id } = (await hiddenPoll()).poll;
    const hints = await countHints(other, id);
    for (const [step, revealedFrom] of [3, 2, undefined].entries()) {
      const results = await readResults(engine, id);
      const change = { ...nextReveal(results, { finalTwo: false }), expected: results };
      expect(await engine.polls.change(id, change)).toBe(true);
      const after = await readResults(other, id);
      expect(after).toMatchObject({ version: results.version + 1, votes: [3, 1, 2] });
      expect(after.revealedFrom).toBe(revealedFrom);
      expect(after.resultsVisibility).toBe(revealedFrom === undefined ? 'always' : 'hidden');
      const [revision] = await other.polls.findRevisions([id]);
      expect(revision?.revealedFrom).toBe(revealedFrom);
      await eventually(() => expect(hints.count).toBe(step + 1));
    }
    hints.unfollow();
  });

  it('reveals one place for two presses that were made from the same picture', async () => {
    const { engine, other } = subject;
    const { id } = (await hiddenPoll()).poll;
    const expected = await readResults(engine, id);
    const press = { ...nextReveal(expected, { finalTwo: false }), expected };
    const presses = await Promise.all([engine, other].map(({ polls }) => polls.change(id, press)));
    expect(presses.sort()).toEqual([false, true]);
    expect((await readResults(other, id)).revealedFrom).toBe(3);
  });

  it('hides all places again with null, any change of visibility, and the opening', async () => {
    const { engine, other } = subject;
    const { id } = (await hiddenPoll()).poll;
    const ends: PollChange[] = [
      { revealedFrom: null },
      { resultsVisibility: 'hidden' },
      { resultsVisibility: 'always' },
      { closed: false },
    ];
    for (const end of ends) {
      expect(
        await engine.polls.change(id, { closed: true, resultsVisibility: 'hidden', revealedFrom: 2 }),
      ).toBe(true);
      expect((await readResults(other, id)).revealedFrom).toBe(2);
      expect(await engine.polls.change(id, end)).toBe(true);
      expect((await readResults(other, id)).revealedFrom).toBeUndefined();
    }
  });

  it('hides all places again when a deadline moves into the future, and keeps them in any other change', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject, {
      deadlineInMs: await soonMs(subject),
      resultsVisibility: 'hidden',
    });
    const { id } = made.poll;
    await clockPasses(engine, made.deadlineMs!);
    expect(await engine.polls.change(id, { revealedFrom: 2 })).toBe(true);
    expect(await engine.polls.change(id, { viewKeyHash: 'c'.repeat(64) })).toBe(true);
    expect((await readResults(other, id)).revealedFrom).toBe(2);
    expect(await engine.polls.change(id, { deadlineMs: (await engine.polls.now()) + 600_000 })).toBe(true);
    expect(await readResults(other, id)).toMatchObject({ status: 'open', resultsVisibility: 'hidden' });
    expect((await readResults(other, id)).revealedFrom).toBeUndefined();
  });

  it('rejects a step of a poll that is open, upcoming or not hidden, and changes nothing', async () => {
    const { engine, other } = subject;
    const wishes: PollWishes[] = [
      { resultsVisibility: 'hidden' },
      { resultsVisibility: 'hidden', upcoming: true },
      { resultsVisibility: 'after_deadline', deadlineInMs: 600_000 },
      {},
    ];
    for (const wish of wishes) {
      const { id } = (await openPoll(subject, wish)).poll;
      const isOpen = wish.resultsVisibility === 'hidden';
      if (!isOpen) expect(await engine.polls.change(id, { closed: true })).toBe(true);
      const before = await readResults(other, id);
      expect(await engine.polls.change(id, { revealedFrom: 2, viewKeyHash: 'c'.repeat(64) })).toBe(false);
      expect(await readResults(other, id)).toEqual({ ...before, readAtMs: expect.any(Number) });
    }
  });

  it('keeps the step in an archive', async () => {
    const { engine, other } = subject;
    const { id } = (await hiddenPoll()).poll;
    expect(await engine.polls.change(id, { revealedFrom: 2 })).toBe(true);
    const before = await readPoll(engine, id);
    const { poll, entries } = await readArchived(engine, id);
    expect(poll.revealedFrom).toBe(2);
    expect(await engine.polls.remove(id)).toBe(true);
    const parts = async function* () {
      yield entries;
    };
    expect(await other.archive.addPoll(poll, parts())).toBe(true);
    const { results } = await readPoll(engine, id);
    expect(results).toEqual({ ...before.results, readAtMs: expect.any(Number) });
  });
}
