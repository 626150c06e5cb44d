import { expect, it } from 'vitest';
import type { Ballot, BallotOutcome } from '../../../src/poll/ballot.ts';
import { createPollId } from '../../../src/poll/create-poll.ts';
import { voidBallots } from '../../support/void-ballots.ts';
import {
  allBallots,
  ballotFor,
  type EngineSubject,
  expectSound,
  openPoll,
  outcomeOf,
  type PollWishes,
  readResults,
} from './engine-subject.ts';

const FAR_OFF_MS = 600_000;

/** How ballots are checked, counted and remembered. */
export function ballotClaims(subject: EngineSubject): void {
  it('counts a ballot, its voter and a version in one step', async () => {
    const poll = await openPoll(subject);
    const [first, second] = poll.poll.answers;
    expect(await subject.engine.polls.cast(ballotFor(poll))).toEqual({ outcome: 'accepted', version: 2 });
    expect(await subject.engine.polls.cast(ballotFor(poll, { answers: [second!.id] }))).toEqual({
      outcome: 'accepted',
      version: 3,
    });
    expect(await subject.engine.polls.cast(ballotFor(poll, { answers: [first!.id] }))).toMatchObject({
      version: 4,
    });
    const results = await readResults(subject.engine, poll.poll.id);
    expect(results).toMatchObject({ version: 4, votes: [2, 1, 0], totalVoters: 3, status: 'open' });
  });

  it('counts a ballot exactly once with many simultaneous retries', async () => {
    const poll = await openPoll(subject);
    const ballot = ballotFor(poll);
    const engines = [subject.engine, subject.other];
    const receipts = await Promise.all(
      Array.from({ length: 50 }, (_, index) => engines[index % 2]!.polls.cast(ballot)),
    );
    expect(receipts.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1);
    expect(receipts.filter(({ outcome }) => outcome === 'repeated')).toHaveLength(49);
    expect(new Set(receipts.map(({ version }) => version))).toEqual(new Set([2]));
    await expectSound(subject.engine, poll.poll.id);
  });

  it('answers a retry with the version of the first acceptance', async () => {
    const poll = await openPoll(subject);
    const ballot = ballotFor(poll);
    await subject.engine.polls.cast(ballot);
    await subject.engine.polls.cast(ballotFor(poll));
    expect(await subject.engine.polls.cast(ballot)).toEqual({ outcome: 'repeated', version: 2 });
    await subject.engine.polls.change(poll.poll.id, { closed: true });
    expect(await subject.engine.polls.cast(ballot)).toEqual({ outcome: 'repeated', version: 2 });
  });

  it('accepts one of many simultaneous ballots of a voter', async () => {
    const poll = await openPoll(subject);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () =>
        outcomeOf(subject.engine, ballotFor(poll, { voter: 'one and the same' })),
      ),
    );
    expect(outcomes.filter(outcome => outcome === 'accepted')).toHaveLength(1);
    expect(outcomes.filter(outcome => outcome === 'duplicate_voter')).toHaveLength(19);
    await expectSound(subject.engine, poll.poll.id);
  });

  it('accepts one ballot of an address, and several if the poll has mip', async () => {
    for (const [mip, second] of [
      [false, 'duplicate_address'],
      [true, 'accepted'],
    ] as const) {
      const poll = await openPoll(subject, { sharedAddress: mip });
      expect(await outcomeOf(subject.engine, ballotFor(poll, { address: 'shared' }))).toBe('accepted');
      expect(await outcomeOf(subject.engine, ballotFor(poll, { address: 'shared' }))).toBe(second);
      await expectSound(subject.engine, poll.poll.id);
    }
  });

  it('accepts one of many ballots of an address that arrive together', async () => {
    const poll = await openPoll(subject);
    const ballots = Array.from({ length: 20 }, () => ballotFor(poll, { address: 'shared' }));
    const outcomes = await Promise.all(ballots.map(ballot => outcomeOf(subject.engine, ballot)));
    expect(outcomes.filter(outcome => outcome === 'accepted')).toHaveLength(1);
    expect(outcomes.filter(outcome => outcome === 'duplicate_address')).toHaveLength(19);
    await expectSound(subject.engine, poll.poll.id);
  });

  it('separates voters and addresses of different polls', async () => {
    const ballot = { voter: 'wanderer', address: 'somewhere', ballotId: 'same-ballot' };
    for (const poll of [await openPoll(subject), await openPoll(subject)])
      expect(await outcomeOf(subject.engine, ballotFor(poll, ballot))).toBe('accepted');
  });

  it('leaves no trace of a rejected ballot', async () => {
    const poll = await openPoll(subject);
    const first = ballotFor(poll, { proof: { id: 'p1', expiresAtMs: Date.now() + FAR_OFF_MS } });
    await subject.engine.polls.cast(first);
    const retried = ballotFor(poll, { proof: { id: 'p2', expiresAtMs: Date.now() + FAR_OFF_MS } });
    expect(await outcomeOf(subject.engine, { ...retried, voter: first.voter })).toBe('duplicate_voter');
    expect(await outcomeOf(subject.engine, { ...retried, address: first.address })).toBe('duplicate_address');
    expect(await outcomeOf(subject.engine, { ...retried, proof: first.proof })).toBe('proof_used');
    expect(await outcomeOf(subject.engine, { ...retried, answers: [] })).toBe('invalid_answers');
    expect(await readResults(subject.engine, poll.poll.id)).toMatchObject({ version: 2, totalVoters: 1 });
    expect(await outcomeOf(subject.engine, retried)).toBe('accepted');
    await expectSound(subject.engine, poll.poll.id);
  });

  it('accepts several answers only if the poll has ma, and none twice', async () => {
    const [a, b] = ['version', 'deadline'];
    const several = await openPoll(subject, { allowMultiple: true });
    expect(await outcomeOf(subject.engine, ballotFor(several, { answers: [a!, b!] }))).toBe('accepted');
    expect(await outcomeOf(subject.engine, ballotFor(several, { answers: [a!, a!] }))).toBe(
      'invalid_answers',
    );
    expect(await readResults(subject.engine, several.poll.id)).toMatchObject({
      votes: [1, 1, 0],
      totalVoters: 1,
    });
    const single = await openPoll(subject);
    expect(await outcomeOf(subject.engine, ballotFor(single, { answers: [a!, b!] }))).toBe('invalid_answers');
  });

  it('knows who has voted in which poll, also of a voided ballot', async () => {
    const { engine, other } = subject;
    const [one, another] = [await openPoll(subject), await openPoll(subject)];
    const { voter, ballotId } = ballotFor(one);
    const knows = () =>
      Promise.all(
        [one, another].map(({ poll }) =>
          Promise.all([engine.polls.hasVoted(poll.id, voter), other.polls.hasVoted(poll.id, 'somebody')]),
        ),
      );
    expect(await knows()).toEqual([
      [false, false],
      [false, false],
    ]);
    await engine.polls.cast({ ...ballotFor(one), answers: [], voter });
    expect(await knows()).toEqual([
      [false, false],
      [false, false],
    ]);
    await engine.polls.cast({ ...ballotFor(one), voter, ballotId });
    expect(await knows()).toEqual([
      [true, false],
      [false, false],
    ]);
    await voidBallots(engine.polls, one.poll.id, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
    expect(await knows()).toEqual([
      [true, false],
      [false, false],
    ]);
    expect(await engine.polls.hasVoted(createPollId(), voter)).toBe(false);
    await engine.polls.remove(one.poll.id);
    expect(await engine.polls.hasVoted(one.poll.id, voter)).toBe(false);
  });

  it.each<[limits: PollWishes, accepted: number[]]>([
    [{ minChoices: 2 }, [2, 3]],
    [{ maxChoices: 2 }, [1, 2]],
    [{ minChoices: 2, maxChoices: 2 }, [2]],
    [{ maxChoices: 1 }, [1]],
  ])('with %j accepts ballots of %j answers of three', async (limits, accepted) => {
    const poll = await openPoll(subject, { allowMultiple: true, ...limits });
    const ids = poll.poll.answers.map(({ id }) => id);
    for (const count of [0, 1, 2, 3]) {
      const outcome = await outcomeOf(subject.engine, ballotFor(poll, { answers: ids.slice(0, count) }));
      expect([count, outcome]).toEqual([count, accepted.includes(count) ? 'accepted' : 'invalid_answers']);
    }
    expect((await readResults(subject.engine, poll.poll.id)).totalVoters).toBe(accepted.length);
    await expectSound(subject.engine, poll.poll.id);
  });

  it('accepts every answer of the largest poll in one ballot', async () => {
    const poll = await openPoll(subject, { allowMultiple: true, answers: 100 });
    const answers = poll.poll.answers.map(answer => answer.id);
    expect(await outcomeOf(subject.engine, ballotFor(poll, { answers }))).toBe('accepted');
    expect((await readResults(subject.engine, poll.poll.id)).votes).toEqual(answers.map(() => 1));
    for (const tooMany of [
      [...answers, answers[0]!],
      Array.from({ length: 20_000 }, (_, index) => `${index}`),
    ])
      expect(await outcomeOf(subject.engine, ballotFor(poll, { answers: tooMany }))).toBe('invalid_answers');
  });

  it.each([[], ['unknown'], ['voters'], ['votes:version'], [''], ['answer-0\u0000']])(
    'rejects the answers %j as invalid',
    async (...answers) => {
      const poll = await openPoll(subject);
      expect(await subject.engine.polls.cast(ballotFor(poll, { answers }))).toEqual({
        outcome: 'invalid_answers',
        version: 0,
      });
    },
  );

  it('counts only what the front end vouches for: a sign-in with only_reg, and no known VPN without vpn', async () => {
    const members = await openPoll(subject, { requireSignIn: true, allowVpn: true });
    const anyone = await openPoll(subject);
    const cases = [
      [members, {}, 'sign_in_required'],
      [members, { signedIn: false }, 'sign_in_required'],
      [members, { signedIn: true, behindVpn: true }, 'accepted'],
      [anyone, { signedIn: true, behindVpn: true }, 'vpn_rejected'],
      [anyone, { behindVpn: false }, 'accepted'],
    ] as const;
    for (const [poll, facts, outcome] of cases)
      expect(await outcomeOf(subject.engine, ballotFor(poll, facts))).toBe(outcome);
    for (const { poll } of [members, anyone])
      expect(await readResults(subject.engine, poll.id)).toMatchObject({ totalVoters: 1 });
  });

  it('requires a name if the poll has enter_name, and otherwise does not store it', async () => {
    const named = await openPoll(subject, { requireName: true });
    for (const name of [undefined, '', '   '])
      expect(await outcomeOf(subject.engine, ballotFor(named, { name }))).toBe('name_required');
    expect(await outcomeOf(subject.engine, ballotFor(named, { name: 'Zoë "Z" \\ O’Hara 🗳' }))).toBe(
      'accepted',
    );
    expect((await allBallots(subject.engine, named.poll.id))[0]?.name).toBe('Zoë "Z" \\ O’Hara 🗳');
    const nameless = await openPoll(subject);
    await subject.engine.polls.cast(ballotFor(nameless, { name: 'Nosy' }));
    expect((await allBallots(subject.engine, nameless.poll.id))[0]?.name).toBeNull();
  });

  it('accepts a proof once in many simultaneous ballots', async () => {
    const poll = await openPoll(subject);
    const proof = { id: 'solved', expiresAtMs: (await subject.engine.polls.now()) + FAR_OFF_MS };
    const ballots = Array.from({ length: 20 }, () => ballotFor(poll, { proof }));
    const outcomes = await Promise.all(ballots.map(ballot => outcomeOf(subject.engine, ballot)));
    expect(outcomes.filter(outcome => outcome === 'accepted')).toHaveLength(1);
    expect(outcomes.filter(outcome => outcome === 'proof_used')).toHaveLength(19);
    const retry = ballots[outcomes.indexOf('accepted')]!;
    expect(await outcomeOf(subject.engine, retry)).toBe('repeated');
    await expectSound(subject.engine, poll.poll.id);
  });

  it('reports the first fault in the order of the port', async () => {
    const poll = await openPoll(subject, { requireName: true });
    const proof = { id: 'spent', expiresAtMs: Date.now() + FAR_OFF_MS };
    const first = ballotFor(poll, { name: 'First', proof });
    await subject.engine.polls.cast(first);
    const wrong: Ballot = { ...first, ballotId: 'another', answers: [], name: '' };
    const cures: [Partial<Ballot>, BallotOutcome][] = [
      [{}, 'invalid_answers'],
      [{ answers: first.answers }, 'name_required'],
      [{ name: 'Second' }, 'duplicate_voter'],
      [{ voter: 'another voter' }, 'duplicate_address'],
      [{ address: 'elsewhere' }, 'proof_used'],
    ];
    let ballot = wrong;
    for (const [cure, outcome] of cures) {
      ballot = { ...ballot, ...cure };
      expect(await outcomeOf(subject.engine, ballot)).toBe(outcome);
    }
    await subject.engine.polls.change(poll.poll.id, { closed: true });
    expect(await outcomeOf(subject.engine, wrong)).toBe('poll_closed');
    expect(await outcomeOf(subject.engine, { ...wrong, ballotId: first.ballotId })).toBe('repeated');
    expect(await outcomeOf(subject.engine, { ...wrong, pollId: createPollId() })).toBe('poll_not_found');
    expect(await outcomeOf(subject.engine, { ...first, name: undefined, proof: undefined })).toBe('repeated');
  });

  it('returns every ballot once, in the order of acceptance', async () => {
    const poll = await openPoll(subject);
    const before = await subject.engine.polls.now();
    const cast: string[] = [];
    for (let batch = 0; batch < 12; batch += 1) {
      const ballots = Array.from({ length: 100 }, () => ballotFor(poll));
      const receipts = await Promise.all(ballots.map(ballot => subject.engine.polls.cast(ballot)));
      const order = ballots.map((ballot, index) => ({
        id: ballot.ballotId,
        version: receipts[index]!.version,
      }));
      cast.push(...order.sort((a, b) => a.version - b.version).map(({ id }) => id));
    }
    const stored = await allBallots(subject.engine, poll.poll.id);
    expect(stored.map(ballot => ballot.ballotId)).toEqual(cast);
    const after = await subject.engine.polls.now();
    for (const { castAtMs } of stored) expect(castAtMs >= before && castAtMs <= after).toBe(true);
    expect(Object.keys(stored[0]!).sort()).toEqual(['answers', 'ballotId', 'castAtMs', 'name']);
  });

  it('returns no ballots of an unknown poll', async () => {
    expect(await allBallots(subject.engine, createPollId())).toEqual([]);
  });

  const notBallots: [string, unknown, RegExp][] = [
    ['of undefined', undefined, /^TypeError: A ballot must be an object/],
    ['without a voter', { voter: undefined }, /^TypeError: .*voter.* not undefined/],
    ['without an address', { address: undefined }, /^TypeError: .*address/],
    ['without an id', { ballotId: undefined }, /^TypeError: .*ballotId/],
    ['with a number for a voter', { voter: 7 }, /^TypeError: .*voter.* not number/],
    ['with an empty id', { ballotId: '' }, /^RangeError: .*ballotId/],
    ['with an id of 200 characters', { ballotId: 'x'.repeat(200) }, /^RangeError: .*ballotId.* 200/],
    ['with answers that are not a list', { answers: 'version' }, /^TypeError: .*answers/],
    ['with an answer that is not a text', { answers: [['version']] }, /^TypeError: .*answers/],
    ['with a name that is not a text', { name: {} }, /^TypeError: .*name/],
    ['with a text for a sign-in', { signedIn: 'false' }, /^TypeError: .*signedIn/],
    ['with half a proof', { proof: { id: 'p' } }, /^TypeError: .*proof/],
    ['with an empty receipt of a change', { change: { receipt: '' } }, /^RangeError: .*change\.receipt/],
  ];
  it.each(notBallots)('rejects a ballot %s, and counts nothing', async (_what, wrong, message) => {
    const poll = await openPoll(subject);
    const handed = wrong && { ...ballotFor(poll), ...(wrong as object) };
    const refusal = await subject.engine.castBallot(handed as Ballot).catch(String);
    expect(refusal).toMatch(message);
    expect(await readResults(subject.engine, poll.poll.id)).toMatchObject({ version: 1, totalVoters: 0 });
  });
}
