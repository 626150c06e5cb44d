import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Ballot, BallotOutcome } from '../../../src/poll/ballot.ts';
import { planCorrection, type WantedWording } from '../../../src/poll/correct-poll.ts';
import type { Answer, NewPoll, Poll } from '../../../src/poll/poll.ts';
import { voidBallots } from '../../support/void-ballots.ts';
import {
  ballotFor,
  countHints,
  type EngineSubject,
  eventually,
  expectSound,
  openPoll,
  outcomeOf,
  type PollWishes,
  readPoll,
  readResults,
} from './engine-subject.ts';

let fresh = 0;

/** How the texts of a poll are corrected, and its answers before the first ballot. */
export function correctionClaims(subject: EngineSubject): void {
  /** Plans a correction by a read of now. */
  async function plan(id: string, wanted: WantedWording) {
    const next = () => (fresh += 1);
    const edition = `edition-${next()}`;
    const createAnswerId = () => `fresh-${next()}`;
    const { correction } = planCorrection(await readPoll(subject.engine, id), wanted, {
      edition,
      createAnswerId,
    });
    if (!correction) throw new Error('nothing to correct');
    return correction;
  }

  /** A poll that both engines have read. */
  async function knownPoll(wishes: PollWishes = {}) {
    const made = await openPoll(subject, wishes);
    for (const engine of [subject.engine, subject.other]) await readPoll(engine, made.poll.id);
    return made;
  }

  it('returns new texts with the same votes at once, in every process that has read the old ones', async () => {
    const { engine, other } = subject;
    const made = await knownPoll();
    const { id, answers } = made.poll;
    for (const answer of answers.slice(0, 2))
      await engine.polls.cast(ballotFor(made, { answers: [answer.id] }));
    for (const title of ['One', 'Two']) {
      const before = await readPoll(other, id);
      const hints = await countHints(other, id);
      const texts = answers.map(answer => ({ id: answer.id, text: `${title} ${answer.id}` }));
      const correction = await plan(id, { title, answers: texts });
      expect(await engine.polls.change(id, { correction })).toBe(true);
      await eventually(() => expect(hints.count).toBe(1));
      hints.unfollow();
      for (const reader of [other, engine]) {
        const { poll, results } = await readPoll(reader, id);
        expect(poll).toEqual(correction.after);
        expect(poll).toMatchObject({ title, answers: texts });
        expect(results).toMatchObject({
          version: before.results.version + 1,
          votes: [1, 1, 0],
          totalVoters: 2,
          edition: correction.after.edition,
        });
        const { readAtMs: _, ...revision } = results;
        expect((await reader.polls.findRevisions([id]))[0]).toMatchObject(revision);
      }
    }
    const { earlier } = (await readPoll(other, id)).poll;
    expect(earlier?.map(({ title }) => title)).toEqual([made.poll.title, 'One']);
    await expectSound(other, id);
  });

  it('adds, removes and reorders answers before the first ballot, in one step with other changes', async () => {
    const { engine, other } = subject;
    const made = await knownPoll({ upcoming: true });
    const { id } = made.poll;
    const [first, second, third] = made.poll.answers as readonly [Answer, Answer, Answer];
    const correction = await plan(id, { answers: [third, { text: 'New' }, first] });
    expect(correction.isUnvoted).toBe(true);
    expect(await engine.polls.change(id, { correction, closed: false })).toBe(true);
    const { poll, results } = await readPoll(other, id);
    const added = correction.after.answers[1]!;
    expect(poll.answers).toEqual([third, { id: added.id, text: 'New' }, first]);
    expect(poll.earlier).toBeUndefined();
    expect(results).toMatchObject({ version: 2, votes: [0, 0, 0], status: 'open' });
    expect(await outcomeOf(other, ballotFor(made, { answers: [second.id] }))).toBe('invalid_answers');
    for (const [engine, answer] of [
      [other, added],
      [subject.engine, first],
    ] as const)
      expect(await outcomeOf(engine, ballotFor(made, { answers: [answer.id] }))).toBe('accepted');
    expect((await readResults(engine, id)).votes).toEqual([0, 1, 1]);
    await expectSound(engine, id);
  });

  it('brings an answer back that was removed', async () => {
    const { engine, other } = subject;
    const made = await knownPoll();
    const { id, answers } = made.poll;
    const fewer = await plan(id, { answers: answers.slice(0, 2) });
    expect(await engine.polls.change(id, { correction: fewer })).toBe(true);
    expect((await readResults(other, id)).votes).toEqual([0, 0]);
    const before = await readPoll(engine, id);
    const back = { before: before.poll, after: { ...made.poll, edition: 'all again' }, isUnvoted: true };
    expect(await engine.polls.change(id, { correction: back })).toBe(true);
    expect(await outcomeOf(other, ballotFor(made, { answers: [answers[2]!.id] }))).toBe('accepted');
    expect((await readResults(other, id)).votes).toEqual([0, 0, 1]);
  });

  it('changes whether several ballots of one address count, before the first ballot', async () => {
    const { engine, other } = subject;
    const made = await knownPoll();
    const { id } = made.poll;
    for (const sharedAddress of [true, false]) {
      expect(await engine.polls.change(id, { correction: await plan(id, { sharedAddress }) })).toBe(true);
      expect((await readPoll(other, id)).poll.settings.sharedAddress).toBe(sharedAddress);
    }
    const hall = await knownPoll();
    const correction = await plan(hall.poll.id, { sharedAddress: true });
    expect(await engine.polls.change(hall.poll.id, { correction })).toBe(true);
    for (const [poll, second] of [
      [made, 'duplicate_address'],
      [hall, 'accepted'],
    ] as const) {
      expect(await outcomeOf(other, ballotFor(poll, { address: 'one address' }))).toBe('accepted');
      expect(await outcomeOf(engine, ballotFor(poll, { address: 'one address' }))).toBe(second);
    }
  });

  it.each<
    [rule: string, wanted: WantedWording, ballot: Partial<Ballot> & { several?: true }, BallotOutcome[]]
  >([
    ['several answers', { allowMultiple: true }, { several: true }, ['invalid_answers', 'accepted']],
    ['a minimum', { allowMultiple: true, minChoices: 2 }, {}, ['accepted', 'invalid_answers']],
    ['a name', { requireName: true }, {}, ['accepted', 'name_required']],
    ['a sign-in', { requireSignIn: true }, {}, ['accepted', 'sign_in_required']],
    ['a VPN', { allowVpn: true }, { behindVpn: true }, ['vpn_rejected', 'accepted']],
  ])('decides ballots by %s as soon as it is a rule, and no longer', async (_, wanted, ballot, [off, on]) => {
    const { engine, other } = subject;
    const { several, ...facts } = ballot;
    const cast = (made: NewPoll) => {
      const answers = made.poll.answers.slice(0, several ? 2 : 1).map(answer => answer.id);
      return outcomeOf(other, ballotFor(made, { answers, ...facts }));
    };
    const changed = await knownPoll();
    const restored = await knownPoll();
    for (const { poll } of [changed, restored]) {
      expect(await engine.polls.change(poll.id, { correction: await plan(poll.id, wanted) })).toBe(true);
    }
    const { poll: before } = await readPoll(engine, restored.poll.id);
    const back = { before, after: { ...restored.poll, edition: 'as before' }, isUnvoted: true };
    expect(await engine.polls.change(before.id, { correction: back })).toBe(true);
    expect([await cast(restored), await cast(changed)]).toEqual([off, on]);
    for (const { poll } of [changed, restored]) await expectSound(engine, poll.id);
  });

  it('keeps a log from the first ballot on where a correction asks for one', async () => {
    const { engine, other } = subject;
    const made = await knownPoll();
    const { id } = made.poll;
    expect(await engine.polls.findLog(id)).toBeUndefined();
    for (const isVerifiable of [true, false, true]) {
      expect(await engine.polls.change(id, { correction: await plan(id, { isVerifiable }) })).toBe(true);
      expect((await other.polls.findLog(id)) !== undefined).toBe(isVerifiable);
    }
    expect(await outcomeOf(other, ballotFor(made))).toBe('accepted');
    expect(await engine.polls.findLog(id)).toMatchObject({ ballots: 1 });
  });

  it('lists a poll as long as it is public', async () => {
    const { engine, other } = subject;
    const { id } = (await knownPoll({ isPrivate: true })).poll;
    for (const isPrivate of [false, true, false]) {
      expect(await engine.polls.change(id, { correction: await plan(id, { isPrivate }) })).toBe(true);
      expect((await other.polls.listPublic(1_000)).includes(id)).toBe(!isPrivate);
    }
  });

  it.each<[what: string, wanted: (poll: Poll) => WantedWording, met: BallotOutcome]>([
    ['a sign-in', () => ({ requireSignIn: true }), 'sign_in_required'],
    ['fewer answers', ({ answers }) => ({ answers: answers.slice(1) }), 'invalid_answers'],
    ['a log', () => ({ isVerifiable: true }), 'accepted'],
  ])('brings %s and the first ballot into one order, however close they are', async (_, wanted, met) => {
    const { engine, other } = subject;
    for (let delayMs = 0; delayMs <= 5; delayMs += 0.5) {
      const made = await knownPoll();
      const { id } = made.poll;
      const correction = await plan(id, wanted(made.poll));
      const [outcome, isChanged] = await Promise.all([
        setTimeout(delayMs).then(() => outcomeOf(other, ballotFor(made))),
        setTimeout(5 - delayMs).then(() => engine.polls.change(id, { correction })),
      ]);
      expect(outcome).toBe(isChanged ? met : 'accepted');
      const { poll, results } = await readPoll(engine, id);
      expect(poll).toEqual(isChanged ? correction.after : made.poll);
      expect(results.totalVoters).toBe(outcome === 'accepted' ? 1 : 0);
      const isLogged = isChanged && poll.settings.isVerifiable;
      expect((await engine.polls.findLog(id))?.ballots).toBe(isLogged ? 1 : undefined);
      await expectSound(other, id);
    }
  });

  it('rejects a correction that assumes no ballot after the first, also if that is voided', async () => {
    const { engine, other } = subject;
    const made = await knownPoll();
    const { id, answers } = made.poll;
    const correction = await plan(id, { answers: answers.slice(1) });
    await other.polls.cast(ballotFor(made));
    const before = await readPoll(engine, id);
    for (const voided of [false, true]) {
      if (voided) await voidBallots(engine.polls, id, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
      expect(await engine.polls.change(id, { correction, closed: true })).toBe(false);
      expect(await readPoll(engine, id)).toMatchObject({ poll: before.poll, results: { status: 'open' } });
    }
    await expectSound(engine, id);
  });

  it('applies one of several corrections of the same edition', async () => {
    const { engine, other } = subject;
    const { id } = (await knownPoll()).poll;
    const corrections = await Promise.all(['A', 'B', 'C', 'D'].map(title => plan(id, { title })));
    const applied = await Promise.all(
      corrections.map((correction, index) => (index % 2 ? engine : other).polls.change(id, { correction })),
    );
    expect(applied.filter(Boolean)).toHaveLength(1);
    const { after } = corrections[applied.indexOf(true)]!;
    for (const reader of [engine, other])
      expect(await readPoll(reader, id)).toMatchObject({
        poll: { title: after.title },
        results: { version: 2 },
      });
  });

  it('reads the texts and votes of one edition while answers change and ballots are cast', async () => {
    const { engine, other } = subject;
    const made = await knownPoll();
    const { id } = made.poll;
    let isDone = false;
    const change = async () => {
      for (let round = 0; round < 40; round += 1) {
        const { poll } = await readPoll(engine, id);
        const answers = [...poll.answers].reverse().slice(0, 1 + (round % 3));
        const rest = answers.length < 2 ? [{ text: `x${round}` }, { text: `y${round}` }] : [];
        const correction = await plan(id, { answers: [...answers, ...rest.slice(0, 1)] }).catch(
          () => undefined,
        );
        if (correction) await engine.polls.change(id, { correction });
      }
      isDone = true;
    };
    const read = async () => {
      while (!isDone) {
        await new Promise(setImmediate);
        const { poll, results } = await readPoll(other, id);
        expect(results.edition).toBe(poll.edition);
        expect(results.votes).toEqual(poll.answers.map(() => 0));
      }
    };
    await Promise.all([change(), read()]);
    const { poll } = await readPoll(other, id);
    const answer = poll.answers.at(-1)!;
    // Either the ballot or the correction comes first; the other is rejected.
    const correction = await plan(id, { answers: [{ text: 'p' }, { text: 'q' }] });
    const [outcome, isChanged] = await Promise.all([
      outcomeOf(other, ballotFor(made, { answers: [answer.id] })),
      engine.polls.change(id, { correction }),
    ]);
    expect([outcome, isChanged]).toEqual(isChanged ? ['invalid_answers', true] : ['accepted', false]);
    await expectSound(other, id);
  });
}
