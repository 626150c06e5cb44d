import { expect, it } from 'vitest';
import {
  addVoidRule,
  readVoidRules,
  removeVoidRule,
  settleBallots,
} from '../../../src/engine/void-ballots.ts';
import type { NewPoll } from '../../../src/poll/poll.ts';
import type { VoidRule } from '../../../src/poll/void-rule.ts';
import { restoreBallots, voidBallots } from '../../support/void-ballots.ts';
import { readArchived } from './archive-claims.ts';
import {
  allBallots,
  ballotFor,
  countHints,
  type EngineSubject,
  eventually,
  expectSound,
  openPoll,
  outcomeOf,
  readResults,
} from './engine-subject.ts';

const LATER_MS = Number.MAX_SAFE_INTEGER;
const ofNetwork = (network: string): VoidRule => ({ network, toMs: LATER_MS });

/** How ballots are taken out of the counts and put back. */
export function voidClaims(subject: EngineSubject): void {
  /** Casts ballots of one network, for the answers in turn. */
  async function castFrom(made: NewPoll, network: string, count: number): Promise<void> {
    const { answers } = made.poll;
    const receipts = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        subject.engine.polls.cast(
          ballotFor(made, { network, name: 'A  name', answers: [answers[index % answers.length]!.id] }),
        ),
      ),
    );
    expect(receipts.every(({ outcome }) => outcome === 'accepted')).toBe(true);
  }

  it('takes the ballots of a network out of the counts, and puts them back exactly', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject, { requireName: true });
    const { id } = made.poll;
    await castFrom(made, 'many', 600);
    await castFrom(made, 'few', 6);
    const [before, stored] = [await readResults(engine, id), await allBallots(engine, id)];
    const hints = await countHints(other, id);

    expect(await voidBallots(other.polls, id, ofNetwork('many'))).toEqual([ofNetwork('many')]);
    const voided = await readResults(engine, id);
    expect(voided).toMatchObject({ votes: [2, 2, 2], totalVoters: 6, voidedVotes: 600 });
    expect(voided.version).toBeGreaterThan(before.version);
    await eventually(() => expect(hints.count).toBeGreaterThan(0));
    hints.unfollow();
    await expectSound(engine, id);

    expect(await restoreBallots(engine.polls, id, 'many')).toEqual([]);
    const { votes, totalVoters, voidedVotes } = await readResults(other, id);
    expect({ votes, totalVoters, voidedVotes }).toEqual({
      votes: before.votes,
      totalVoters: 606,
      voidedVotes: undefined,
    });
    expect(await allBallots(engine, id)).toEqual(stored);
    expect(await engine.polls.findVoidRules(id)).toBe('');
  });

  it('counts ballots by the chat they came from, and takes out and puts back those of one chat', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject, { isVerifiable: true });
    const { id } = made.poll;
    const sources = ['twitch', undefined, 'kick', 'twitch', 'youtube', undefined, 'twitch'] as const;
    const ballots = sources.map(source => ballotFor(made, { source, network: 'net' }));
    // Together, and again: repeated ballots count once.
    for (let tries = 0; tries < 2; tries += 1)
      await Promise.all(ballots.map(ballot => engine.polls.cast(ballot)));
    const all = { twitch: 3, youtube: 1, kick: 1 };
    expect(await readResults(other, id)).toMatchObject({ totalVoters: 7, chatVoters: all });
    await expectSound(engine, id);
    expect((await other.polls.findRevisions([id]))[0]).toMatchObject({ chatVoters: all });

    const logged = await other.polls.readSequence(id, 1, 7);
    const sourceOf = new Map(ballots.map(({ ballotId, source }) => [ballotId, source]));
    expect(logged.map(ballot => ballot?.source)).toEqual(
      logged.map(ballot => sourceOf.get(ballot!.ballotId)),
    );
    expect(await other.polls.findBallot(id, ballots[0]!.ballotId)).toMatchObject({ source: 'twitch' });
    const stored = await allBallots(engine, id);
    expect(stored.filter(({ source, network }) => (source ? network : network !== 'net'))).toEqual([]);

    const rule: VoidRule = { source: 'twitch', toMs: LATER_MS };
    await voidBallots(engine.polls, id, rule);
    await voidBallots(engine.polls, id, ofNetwork('net'));
    expect(await readResults(other, id)).toMatchObject({
      totalVoters: 2,
      voidedVotes: 5,
      chatVoters: { youtube: 1, kick: 1 },
    });
    await expectSound(other, id);
    const archived = await readArchived(engine, id);
    expect(archived.poll).toMatchObject({ chatVoters: { youtube: 1, kick: 1 } });
    expect(await engine.polls.remove(id)).toBe(true);
    await engine.archive.addPoll(
      archived.poll,
      (async function* () {
        yield archived.entries;
      })(),
    );
    await expectSound(other, id);
    for (const ruleId of ['chat-twitch', 'net']) await restoreBallots(other.polls, id, ruleId);
    expect(await readResults(engine, id)).toMatchObject({ totalVoters: 7, chatVoters: all });
    await expectSound(engine, id);
    expect(await allBallots(engine, id)).toEqual(stored);
  });

  it('leaves no number of a chat whose ballots are all taken out', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject);
    const { id } = made.poll;
    await engine.polls.cast(ballotFor(made, { source: 'kick' }));
    await engine.polls.cast(ballotFor(made));
    await voidBallots(engine.polls, id, { source: 'kick', toMs: LATER_MS });
    const results = await readResults(other, id);
    expect(results.chatVoters).toBeUndefined();
    expect(results.totalVoters).toBe(1);
  });

  it('counts every vote once in every reading while ballots are voided, restored and cast', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject, { allowMultiple: true });
    const { id, answers } = made.poll;
    const both = answers.slice(0, 2).map(answer => answer.id);
    let accepted = 0;
    const castOne = async (network: string) => {
      expect(await outcomeOf(engine, ballotFor(made, { network, answers: both }))).toBe('accepted');
      accepted += 1;
    };
    await Promise.all(Array.from({ length: 700 }, (_, index) => castOne(index % 2 ? 'odd' : 'even')));
    let isDone = false;
    const readAll = async () => {
      while (!isDone) {
        // The embedded engine reads without leaving this turn.
        await new Promise(setImmediate);
        const least = accepted;
        const { votes, totalVoters, voidedVotes = 0 } = await readResults(other, id);
        expect(votes).toEqual([totalVoters, totalVoters, 0]);
        expect(voidedVotes % 2).toBe(0);
        expect(totalVoters + voidedVotes / 2).toBeGreaterThanOrEqual(least);
        expect(totalVoters + voidedVotes / 2).toBeLessThanOrEqual(accepted + 1);
      }
    };
    const castOn = async () => {
      while (!isDone) await castOne('new');
    };
    const reading = Promise.all([readAll(), castOn()]);
    await voidBallots(engine.polls, id, ofNetwork('odd'));
    await Promise.all([
      voidBallots(engine.polls, id, ofNetwork('even')),
      restoreBallots(other.polls, id, 'odd'),
    ]);
    isDone = true;
    await reading;
    expect(await readResults(engine, id)).toMatchObject({ totalVoters: accepted - 350, voidedVotes: 700 });
    await expectSound(engine, id);
  });

  it.each([
    ['voided', 61],
    ['counted', 60],
  ])(
    'leaves ballots %s after as many opposing decisions, made while others move them',
    async (_, decisions) => {
      const { engine, other } = subject;
      const made = await openPoll(subject);
      const { id } = made.poll;
      await castFrom(made, 'net', 700);
      const settling: Promise<void>[] = [];
      for (let index = 0; index < decisions; index += 1) {
        const { polls } = index % 3 === 0 ? other : engine;
        if (index % 2 === 0) await addVoidRule(polls, id, ofNetwork('net'));
        else await removeVoidRule(polls, id, 'net');
        settling.push(settleBallots(polls, id));
      }
      await Promise.all(settling);
      const isVoided = decisions % 2 === 1;
      expect((await readResults(engine, id)).totalVoters).toBe(isVoided ? 0 : 700);
      await expectSound(engine, id);
      const { version } = await readResults(engine, id);
      await Promise.all([settleBallots(engine.polls, id), settleBallots(other.polls, id)]);
      expect(await readResults(other, id)).toMatchObject({ version });
      expect(await readVoidRules(other.polls, id)).toEqual(isVoided ? [ofNetwork('net')] : []);
    },
  );

  it('settles again when equal rules were decided again while a slow process moved ballots', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject);
    const { id } = made.poll;
    await castFrom(made, 'net', 300);
    let isFirst = true;
    const slow = {
      findVoidRules: engine.polls.findVoidRules.bind(engine.polls),
      replaceVoidRules: engine.polls.replaceVoidRules.bind(engine.polls),
      setVoided: engine.polls.setVoided.bind(engine.polls),
      async *readBallots(...args: Parameters<typeof engine.polls.readBallots>) {
        const ballots = [];
        for await (const batch of engine.polls.readBallots(...args)) ballots.push(batch);
        if (isFirst) {
          isFirst = false;
          await restoreBallots(other.polls, id, 'net');
          await addVoidRule(other.polls, id, ofNetwork('net'));
        }
        yield* ballots;
      },
    };
    await voidBallots(engine.polls, id, ofNetwork('net'));
    await addVoidRule(engine.polls, id, ofNetwork('net'));
    await settleBallots(slow, id);
    expect(await readResults(engine, id)).toMatchObject({ totalVoters: 0, voidedVotes: 300 });
    await expectSound(engine, id);
  });

  it('keeps a ballot voided until no rule matches it', async () => {
    const { engine } = subject;
    const made = await openPoll(subject);
    const { id } = made.poll;
    await castFrom(made, 'net', 3);
    const [first] = await allBallots(engine, id);
    const period = { fromMs: 0, toMs: LATER_MS };
    await voidBallots(engine.polls, id, ofNetwork('net'));
    await voidBallots(engine.polls, id, period);
    await restoreBallots(engine.polls, id, 'net');
    expect(await readResults(engine, id)).toMatchObject({ totalVoters: 0, voidedVotes: 3 });
    await restoreBallots(engine.polls, id, `0-${LATER_MS}`);
    expect(await readResults(engine, id)).toMatchObject({ totalVoters: 3 });
    await voidBallots(engine.polls, id, { network: 'net', toMs: first!.castAtMs - 1 });
    expect(await readResults(engine, id)).toMatchObject({ totalVoters: 3 });
    await expectSound(engine, id);
  });

  it('keeps voters and addresses of voided ballots used, and recognizes a retry', async () => {
    const { engine } = subject;
    const made = await openPoll(subject);
    const ballot = ballotFor(made, { network: 'net' });
    await engine.polls.cast(ballot);
    await voidBallots(engine.polls, made.poll.id, ofNetwork('net'));
    expect(await engine.polls.cast(ballot)).toEqual({ outcome: 'repeated', version: 2 });
    expect(await outcomeOf(engine, { ...ballot, ballotId: 'other' })).toBe('duplicate_voter');
    const sameAddress = ballotFor(made, { address: ballot.address });
    expect(await outcomeOf(engine, sameAddress)).toBe('duplicate_address');
    await expectSound(engine, made.poll.id);
  });

  it('moves a ballot once when the step is repeated, and none under other rules', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject);
    const { id } = made.poll;
    await castFrom(made, '', 3);
    const ids = (await allBallots(engine, id)).map(({ ballotId }) => ballotId);
    expect(await engine.polls.setVoided(id, ids, true, 'other rules')).toBe(false);
    expect(await engine.polls.replaceVoidRules(id, 'not stored', 'rules')).toBe(false);
    expect(await engine.polls.replaceVoidRules(id, '', 'rules')).toBe(true);
    expect((await readResults(engine, id)).version).toBe(4);
    for (const each of [engine, other, engine])
      expect(await each.polls.setVoided(id, [ids[0]!, ids[0]!, 'unknown'], true, 'rules')).toBe(true);
    expect(await readResults(engine, id)).toMatchObject({ version: 5, totalVoters: 2, voidedVotes: 1 });
    await expectSound(engine, id);
  });

  it('finishes what an ended process has left', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject);
    const { id } = made.poll;
    await castFrom(made, 'net', 300);
    let steps = 0;
    const ended = {
      findVoidRules: engine.polls.findVoidRules.bind(engine.polls),
      replaceVoidRules: engine.polls.replaceVoidRules.bind(engine.polls),
      readBallots: engine.polls.readBallots.bind(engine.polls),
      setVoided: async (...args: Parameters<typeof engine.polls.setVoided>) => {
        steps += 1;
        if (steps > 1) throw new Error('killed');
        return engine.polls.setVoided(...args);
      },
    };
    await expect(voidBallots(ended, id, ofNetwork('net'))).rejects.toThrow('killed');
    expect((await readResults(engine, id)).totalVoters).toBe(50);
    await expectSound(engine, id);
    expect(await readVoidRules(other.polls, id)).toEqual([ofNetwork('net')]);
    expect(await readResults(engine, id)).toMatchObject({ totalVoters: 0, voidedVotes: 300 });
  });

  it('exports and imports voided ballots', async () => {
    const { engine } = subject;
    const made = await openPoll(subject);
    const { id } = made.poll;
    await castFrom(made, 'net', 4);
    await castFrom(made, '', 2);
    await voidBallots(engine.polls, id, ofNetwork('net'));
    const [before, stored] = [await readResults(engine, id), await allBallots(engine, id)];
    const { poll, entries } = await readArchived(engine, id);
    await engine.polls.remove(id);
    async function* inOneBatch() {
      yield entries;
    }
    await eventually(async () => expect(await engine.archive.addPoll(poll, inOneBatch())).toBe(true));
    expect(await readResults(engine, id)).toEqual({ ...before, readAtMs: expect.any(Number) });
    expect(await allBallots(engine, id)).toEqual(stored);
    await restoreBallots(engine.polls, id, 'net');
    expect(await readResults(engine, id)).toMatchObject({ totalVoters: 6 });
    await expectSound(engine, id);
  });

  it('answers for a poll that does not exist', async () => {
    const { polls } = subject.engine;
    expect(await polls.findVoidRules('000000000000')).toBeUndefined();
    expect(await polls.replaceVoidRules('000000000000', '', 'rules')).toBe(false);
    expect(await polls.setVoided('000000000000', ['one'], true, '')).toBe(false);
    expect(await voidBallots(polls, '000000000000', ofNetwork('net'))).toBeUndefined();
    expect(await readVoidRules(polls, '000000000000')).toBeUndefined();
  });
}
