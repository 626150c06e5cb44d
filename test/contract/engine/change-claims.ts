import { expect, it } from 'vitest';
import { HINT_WINDOW_MS } from '../../../src/engine/engine.ts';
import { type Ballot, MAX_CHANGES } from '../../../src/poll/ballot.ts';
import type { NewPoll } from '../../../src/poll/poll.ts';
import { seededRandom } from '../../../src/poll/rehearsal.ts';
import { voidBallots } from '../../support/void-ballots.ts';
import { readArchived } from './archive-claims.ts';
import { apply, changedHistory, ModelOfChanges } from './changed-history.ts';
import {
  allBallots,
  ballotFor,
  clockPasses,
  countHints,
  type EngineSubject,
  eventually,
  openPoll,
  outcomeOf,
  type PollWishes,
  readResults,
} from './engine-subject.ts';

const STEPS = 600;
const KINDS: PollWishes[] = [
  { allowChange: true, sharedAddress: true },
  { allowChange: true, allowMultiple: true, isVerifiable: true },
  { allowMultiple: true, isVerifiable: true, sharedAddress: true },
  { allowMultiple: true },
];

/** How voters change and withdraw their ballots. */
export function changeClaims(subject: EngineSubject): void {
  const change = (of: Ballot, wishes: Partial<Ballot>): Ballot => ({
    ...ballotFor({ poll: { id: of.pollId, answers: [] } } as unknown as NewPoll),
    voter: of.voter,
    change: {},
    ...wishes,
  });

  it('move the votes of a voter, who is counted once, in one step that is hinted', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject, { allowChange: true, allowMultiple: true });
    const { id } = made.poll;
    const [one, two, three] = made.poll.answers.map(answer => answer.id) as [string, string, string];
    const ballot = ballotFor(made, { answers: [one, two] });
    await outcomeOf(engine, ballot);
    await outcomeOf(engine, ballotFor(made, { answers: [one] }));
    await clockPasses(engine, (await engine.polls.now()) + HINT_WINDOW_MS);
    const hints = await countHints(other, id);
    expect(await engine.polls.cast(change(ballot, { answers: [two, three] }))).toEqual({
      outcome: 'accepted',
      version: 4,
    });
    await eventually(() => expect(hints.count).toBe(1));
    hints.unfollow();
    expect(await readResults(other, id)).toMatchObject({ version: 4, votes: [1, 1, 1], totalVoters: 2 });
    await outcomeOf(other, change(ballot, { answers: [] }));
    expect(await readResults(engine, id)).toMatchObject({ votes: [1, 0, 0], totalVoters: 1, withdrawn: 1 });
    await outcomeOf(engine, change(ballot, { answers: [three] }));
    expect(await readResults(other, id)).toMatchObject({ version: 6, votes: [1, 0, 1], totalVoters: 2 });
    const [first] = await allBallots(engine, id);
    expect(first).toMatchObject({ ballotId: ballot.ballotId, answers: [three] });
  });

  it('of a ballot from chat, in any poll: it is withdrawn, and cast anew by the same user', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject, { isVerifiable: true });
    const [one, two] = made.poll.answers.map(answer => answer.id) as [string, string];
    const ballot = ballotFor(made, { answers: [one], source: 'twitch' });
    const page = ballotFor(made, { answers: [one] });
    for (const each of [ballot, page]) await engine.polls.cast(each);
    const again = (of: Ballot, answers: readonly string[]) =>
      outcomeOf(engine, change(of, { answers, change: { receipt: of.ballotId } }));
    expect(await again(ballot, [two])).toBe('change_not_allowed');
    expect(await again(page, [])).toBe('change_not_allowed');
    expect(await again(ballot, [])).toBe('accepted');
    expect(await readResults(other, made.poll.id)).toMatchObject({ votes: [1, 0, 0], withdrawn: 1 });
    expect(await again(ballot, [two])).toBe('accepted');
    expect(await readResults(other, made.poll.id)).toMatchObject({
      votes: [1, 1, 0],
      chatVoters: { twitch: 1 },
    });
    expect(await again(ballot, [one])).toBe('change_not_allowed');
  });

  it('are recognized when they are sent again, also after later ones, and count at most twenty times', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject, { allowChange: true });
    const ballot = ballotFor(made);
    const { version } = await engine.polls.cast(ballot);
    const changes = Array.from({ length: MAX_CHANGES }, (_, index) =>
      change(ballot, { answers: index % 3 === 0 ? [] : [made.poll.answers[index % 3]!.id] }),
    );
    const receipts = [];
    for (const each of changes) receipts.push(await engine.polls.cast(each));
    expect(receipts.map(({ outcome }) => outcome)).toEqual(changes.map(() => 'accepted'));
    expect(await outcomeOf(engine, change(ballot, { answers: [] }))).toBe('too_many_changes');
    const before = await readResults(other, made.poll.id);
    for (const [index, each] of [ballot, ...changes].entries()) {
      const repeated = { outcome: 'repeated', version: index === 0 ? version : receipts[index - 1]!.version };
      expect(await other.polls.cast(each)).toEqual(repeated);
      // The same ballot, whichever way it is sent.
      expect(await other.polls.cast({ ...each, change: undefined })).toEqual(repeated);
    }
    expect(await readResults(other, made.poll.id)).toMatchObject({
      version: before.version,
      votes: before.votes,
    });
  });

  it('of one voter that arrive together are all counted, and the last one stands', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject, { allowChange: true });
    const ballot = ballotFor(made);
    await engine.polls.cast(ballot);
    const changes = made.poll.answers.map(({ id }) => change(ballot, { answers: [id] }));
    const receipts = await Promise.all(
      [...changes, ...changes].map((each, index) => (index % 2 ? engine : other).polls.cast(each)),
    );
    const accepted = receipts.filter(({ outcome }) => outcome === 'accepted');
    expect(accepted).toHaveLength(changes.length);
    const last = receipts.findIndex(({ version }) => version === 2 + changes.length) % changes.length;
    expect(await readResults(other, made.poll.id)).toMatchObject({
      votes: made.poll.answers.map((_, index) => (index === last ? 1 : 0)),
      totalVoters: 1,
    });
  });

  it('are rejected like ballots, and without a ballot, a poll that allows them, or a correction', async () => {
    const { engine } = subject;
    const plain = await openPoll(subject);
    const made = await openPoll(subject, { allowChange: true });
    const [ballot, other] = [ballotFor(made), ballotFor(plain)];
    for (const each of [ballot, other]) expect(await outcomeOf(engine, each)).toBe('accepted');
    const outcome = (wishes: Partial<Ballot>) => outcomeOf(engine, change(ballot, wishes));
    const [answer] = ballot.answers as [string];
    expect(await outcome({ answers: ['unknown'] })).toBe('invalid_answers');
    expect(await outcome({ answers: ['not an id'] })).toBe('invalid_answers');
    expect(await outcome({ answers: [answer, answer] })).toBe('invalid_answers');
    expect(await outcome({ behindVpn: true, answers: [] })).toBe('vpn_rejected');
    expect(await outcome({ voter: 'new', answers: [answer] })).toBe('change_not_allowed');
    const receipt = { receipt: other.ballotId };
    expect(await outcomeOf(engine, change(other, { answers: [], change: receipt }))).toBe(
      'change_not_allowed',
    );
    const proof = { id: `proof ${ballot.voter}`, expiresAtMs: Date.now() + 600_000 };
    expect(await outcome({ answers: [answer], proof })).toBe('accepted');
    expect(await outcome({ answers: [answer], proof })).toBe('proof_used');
    await engine.polls.change(made.poll.id, { closed: true });
    expect(await outcome({ answers: [] })).toBe('poll_closed');
    expect(await outcome({ pollId: '000000000000', answers: [] })).toBe('poll_not_found');
  });

  it('keep a voided ballot voided, also one that is withdrawn when it is voided', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject, { allowChange: true });
    const { id, answers } = made.poll;
    const ballots = [ballotFor(made, { network: 'bad' }), ballotFor(made, { network: 'bad' })] as const;
    for (const ballot of ballots) await engine.polls.cast(ballot);
    await engine.polls.cast(change(ballots[0], { answers: [], network: 'good' }));
    await voidBallots(engine.polls, id, { network: 'bad', toMs: Number.MAX_SAFE_INTEGER });
    for (const ballot of ballots)
      await other.polls.cast(change(ballot, { answers: [answers[1]!.id], network: 'good' }));
    expect(await readResults(engine, id)).toMatchObject({ votes: [0, 0, 0], totalVoters: 0, voidedVotes: 2 });
  });

  it('keep the source of a ballot from chat, whose voters stay exact, and a number of choices', async () => {
    const { engine, other } = subject;
    const wishes = { allowChange: true, allowMultiple: true, isVerifiable: true };
    const made = await openPoll(subject, { ...wishes, minChoices: 2, maxChoices: 2 });
    const { id } = made.poll;
    const [one, two, three] = made.poll.answers.map(answer => answer.id) as [string, string, string];
    const ballots = Array.from({ length: 2 }, () =>
      ballotFor(made, { answers: [one, two], source: 'twitch' }),
    );
    for (const ballot of ballots) await engine.polls.cast(ballot);
    const [first, second] = ballots as [Ballot, Ballot];
    expect(await outcomeOf(engine, change(first, { answers: [three] }))).toBe('invalid_answers');
    // As a chat does: a ballot first, which tells that the user has voted.
    const next = { ...ballotFor(made, { answers: [two, three], source: 'twitch' }), voter: first.voter };
    expect(await outcomeOf(engine, next)).toBe('duplicate_voter');
    expect(await outcomeOf(engine, { ...next, change: {} })).toBe('accepted');
    expect(await outcomeOf(engine, next)).toBe('repeated');
    await engine.polls.cast(change(second, { answers: [] }));
    expect(await readResults(other, id)).toMatchObject({ votes: [0, 1, 1], chatVoters: { twitch: 1 } });
    await voidBallots(engine.polls, id, { source: 'twitch', toMs: Number.MAX_SAFE_INTEGER } as never);
    await engine.polls.cast(change(second, { answers: [one, two] }));
    const results = await readResults(other, id);
    expect(results).toMatchObject({ votes: [0, 0, 0], totalVoters: 0, voidedVotes: 4 });
    expect(results.chatVoters).toBeUndefined();
    expect(await other.polls.readSequence(id, 1, 3)).toMatchObject([
      { sequence: 1, answers: [one, two], source: 'twitch', voided: true },
      { sequence: 2, source: 'twitch', voided: true },
      { sequence: 3, answers: [two, three], replaces: 1 },
    ]);
  });

  it('leave a poll voted on that all have withdrawn from', async () => {
    const { engine } = subject;
    const made = await openPoll(subject, { allowChange: true, upcoming: true });
    const { id } = made.poll;
    await engine.polls.change(id, { closed: false });
    const ballot = ballotFor(made);
    await engine.polls.cast(ballot);
    await engine.polls.cast(change(ballot, { answers: [] }));
    await engine.polls.change(id, { upcoming: true });
    expect(await readResults(engine, id)).toMatchObject({ status: 'closed', totalVoters: 0, withdrawn: 1 });
    expect(await allBallots(engine, id)).toMatchObject([{ ballotId: ballot.ballotId, answers: [] }]);
  });

  it.each(KINDS)('end like a plain object, in any history: %o', async wishes => {
    const { engine, other } = subject;
    const seed = KINDS.indexOf(wishes) + 1;
    const random = seededRandom(seed);
    for (let round = 0; round < STEPS / 150; round += 1) {
      const made = await openPoll(subject, { ...wishes, isPrivate: true });
      const model = new ModelOfChanges(made);
      const answers = made.poll.answers.map(({ id }) => id);
      for (const [index, step] of changedHistory(answers, { ...wishes, steps: 150, random }).entries()) {
        const expected = model.apply(step);
        expect([index, step, await apply(engine, made.poll.id, step)]).toEqual([index, step, expected]);
        if (index % 10 === 0) await model.expectEqual(other);
      }
      await model.expectEqual(other);
      await engine.polls.remove(made.poll.id);
    }
  });

  it('go on after an export and an import', async () => {
    const { engine, other } = subject;
    for (const wishes of KINDS) {
      const random = seededRandom(99);
      const made = await openPoll(subject, wishes);
      const model = new ModelOfChanges(made);
      const answers = made.poll.answers.map(({ id }) => id);
      const steps = changedHistory(answers, { ...wishes, steps: 120, random });
      const run = async (some: typeof steps) => {
        for (const step of some)
          expect([step, await apply(engine, made.poll.id, step)]).toEqual([step, model.apply(step)]);
      };
      await run(steps.slice(0, 70));
      const before = await readArchived(engine, made.poll.id);
      await engine.polls.remove(made.poll.id);
      async function* inParts() {
        for (let at = 0; at < before.entries.length; at += 7) yield before.entries.slice(at, at + 7);
      }
      await eventually(async () => expect(await engine.archive.addPoll(before.poll, inParts())).toBe(true));
      await model.expectEqual(other);
      await run(steps.slice(70));
      await model.expectEqual(other);
    }
  });
}
