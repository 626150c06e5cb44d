import { expect, it } from 'vitest';
import type { LoggedBallot } from '../../../src/poll/ballot.ts';
import type { NewPoll } from '../../../src/poll/poll.ts';
import { restoreBallots, voidBallots } from '../../support/void-ballots.ts';
import { readArchived } from './archive-claims.ts';
import {
  ballotFor,
  type EngineSubject,
  eventually,
  openPoll,
  outcomeOf,
  readResults,
} from './engine-subject.ts';

const UNKNOWN = '000000000000';

/** The ballots of verifiable polls by their sequence, and what is stored of their logs. */
export function logClaims(subject: EngineSubject): void {
  /** Casts ballots together, so that some share a transaction or a call. @returns their ids */
  async function castTogether(made: NewPoll, count: number, network?: string): Promise<string[]> {
    const ballots = Array.from({ length: count }, () => ballotFor(made, { network }));
    await Promise.all(
      ballots.map(async ballot => expect(await outcomeOf(subject.engine, ballot)).toBe('accepted')),
    );
    return ballots.map(({ ballotId }) => ballotId);
  }

  async function sequenceOf({ poll }: NewPoll, first: number, count: number): Promise<LoggedBallot[]> {
    const found = await subject.other.polls.readSequence(poll.id, first, count);
    expect(found).toHaveLength(count);
    return found.flatMap(ballot => ballot ?? []);
  }

  it('number accepted ballots from 1 on, without a gap, each once', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject, { isVerifiable: true });
    const { id } = made.poll;
    const cast = await castTogether(made, 130);
    await engine.polls.change(id, { closed: true });
    await engine.polls.change(id, { closed: false });
    await engine.polls.change(id, { resultsVisibility: 'hidden' });
    cast.push(...(await castTogether(made, 450)));
    expect(await other.polls.findLog(id)).toEqual({ ballots: 580, state: '' });
    const ballots = [...(await sequenceOf(made, 1, 512)), ...(await sequenceOf(made, 513, 68))];
    expect(ballots.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 580 }, (_, at) => at + 1));
    expect(new Set(ballots.map(({ ballotId }) => ballotId))).toEqual(new Set(cast));
    for (const ballot of [ballots[0]!, ballots[129]!, ballots[130]!, ballots[579]!])
      expect(await other.polls.findBallot(id, ballot.ballotId)).toEqual(ballot);
  });

  it('give no number to rejected and repeated ballots', async () => {
    const { engine } = subject;
    const made = await openPoll(subject, { isVerifiable: true });
    const ballot = ballotFor(made);
    const outcomes = await Promise.all(
      [
        ballot,
        ballot,
        ballotFor(made, { answers: ['unknown'] }),
        { ...ballotFor(made), voter: ballot.voter },
      ].map(one => outcomeOf(engine, one)),
    );
    expect(outcomes).toEqual(['accepted', 'repeated', 'invalid_answers', 'duplicate_voter']);
    const [next] = await castTogether(made, 1);
    expect((await engine.polls.findLog(made.poll.id))?.ballots).toBe(2);
    expect((await sequenceOf(made, 1, 5)).map(({ ballotId }) => ballotId)).toEqual([ballot.ballotId, next]);
  });

  it('keep their number, and are marked while they are voided', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject, { isVerifiable: true });
    const { id } = made.poll;
    await castTogether(made, 3, 'one');
    await castTogether(made, 2, 'other');
    const before = await sequenceOf(made, 1, 5);
    await voidBallots(engine.polls, id, { network: 'one', toMs: Number.MAX_SAFE_INTEGER });
    const after = await sequenceOf(made, 1, 5);
    expect(after).toEqual(
      before.map(ballot => (ballot.sequence <= 3 ? { ...ballot, voided: true } : ballot)),
    );
    expect((await other.polls.findLog(id))?.ballots).toBe(5);
    await restoreBallots(engine.polls, id, 'one');
    expect(await sequenceOf(made, 1, 5)).toEqual(before);
  });

  it('are not there for other polls', async () => {
    const { engine } = subject;
    const made = await openPoll(subject);
    const [cast] = await castTogether(made, 2);
    const { polls } = engine;
    for (const id of [made.poll.id, UNKNOWN]) {
      expect(await polls.findLog(id)).toBeUndefined();
      expect(await polls.findBallot(id, cast!)).toBeUndefined();
      expect(await polls.readSequence(id, 1, 2)).toEqual([undefined, undefined]);
      expect(await polls.replaceLog(id, '', 'state')).toBe(false);
    }
  });

  it('store a log by compare and set, without a change that readers see', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject, { isVerifiable: true });
    const { id } = made.poll;
    await castTogether(made, 1);
    const before = await readResults(engine, id);
    const long = 'x'.repeat(12_000);
    const stored = await Promise.all(
      [engine, other, engine].map((each, index) =>
        each.polls.replaceLog(id, '', `state ${index}`, { name: `1-${index}`, text: `${index} ${long}` }),
      ),
    );
    const winner = stored.indexOf(true);
    expect(stored.filter(Boolean)).toHaveLength(1);
    expect(await other.polls.findLog(id)).toEqual({ ballots: 1, state: `state ${winner}` });
    const parts = [0, 1, 2].map(index => (index === winner ? `${index} ${long}` : undefined));
    expect(await other.polls.findLogParts(id, ['1-0', '1-1', '1-2'])).toEqual(parts);
    expect(await other.polls.replaceLog(id, `state ${winner}`, 'next')).toBe(true);
    expect(await engine.polls.findLogParts(id, ['1-0', '1-1', '1-2'])).toEqual(parts);
    const { readAtMs: _, ...after } = await readResults(other, id);
    expect(after).toEqual({ ...before, readAtMs: undefined });
  });

  it('are removed with the poll, and archived with their numbers and the state of the log', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject, { isVerifiable: true });
    const { id } = made.poll;
    await castTogether(made, 5);
    await engine.polls.replaceLog(id, '', 'state', { name: '1-0', text: 'part' });
    const ballots = await sequenceOf(made, 1, 5);
    const { poll, entries } = await readArchived(engine, id);
    expect(poll.log).toBe('state');
    await engine.polls.remove(id);
    expect(await other.polls.findLog(id)).toBeUndefined();
    async function* inOneBatch() {
      yield entries;
    }
    await eventually(async () => expect(await engine.archive.addPoll(poll, inOneBatch())).toBe(true));
    expect(await other.polls.findLog(id)).toEqual({ ballots: 5, state: 'state' });
    expect(await other.polls.findLogParts(id, ['1-0'])).toEqual([undefined]);
    expect(await sequenceOf(made, 1, 5)).toEqual(ballots);
    await castTogether(made, 1);
    expect((await sequenceOf(made, 1, 6)).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6]);
  });
}
