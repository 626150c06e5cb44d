import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { ArchivedEntry, ArchivedPoll, Engine } from '../../../src/engine/engine.ts';
import type { PollId } from '../../../src/poll/poll.ts';
import {
  allBallots,
  ballotFor,
  type EngineSubject,
  eventually,
  expectSound,
  openPoll,
  outcomeOf,
  type PollWishes,
  readPoll,
} from './engine-subject.ts';

interface Read {
  readonly poll: ArchivedPoll;
  readonly entries: readonly ArchivedEntry[];
}

export async function readArchived(engine: Pick<Engine, 'archive'>, id: PollId): Promise<Read> {
  const items: (ArchivedPoll | ArchivedEntry)[] = [];
  for await (const batch of engine.archive.readPoll(id)) items.push(...batch);
  const [poll, ...entries] = items;
  return { poll: poll as ArchivedPoll, entries: entries as ArchivedEntry[] };
}

function digestsOf({ entries }: Read, kind: 'voters' | 'addresses' | 'proofs'): string[] {
  return entries.flatMap(entry => (entry.type === kind ? entry.digests : [])).sort();
}

/** In smaller batches than they were read. */
async function* inParts(entries: readonly ArchivedEntry[]): AsyncIterable<readonly ArchivedEntry[]> {
  for (let start = 0; start < entries.length; start += 7) yield entries.slice(start, start + 7);
}

async function moveAway(engine: Engine, id: PollId): Promise<Read> {
  const read = await readArchived(engine, id);
  expect(await engine.polls.remove(id)).toBe(true);
  return read;
}

/** A poll with ballots of every kind. */
async function votedPoll(subject: EngineSubject, wishes: PollWishes, voters: number) {
  const made = await openPoll(subject, {
    requireName: true,
    allowMultiple: true,
    allowComments: true,
    ...wishes,
  });
  const [one, two] = made.poll.answers.map(({ id }) => id) as [string, string];
  const ballots = Array.from({ length: voters }, (_, index) => ({
    ...ballotFor(made, { answers: index % 3 === 0 ? [one, two] : [two], name: `Käthe ${index}` }),
    ...(index % 2 === 0 && { ballotId: randomUUID() }),
    ...(index % 5 === 0 && { proof: { id: `proof ${randomUUID()}`, expiresAtMs: Date.now() + 600_000 } }),
  }));
  const receipts = await Promise.all(ballots.map(ballot => subject.engine.polls.cast(ballot)));
  expect(receipts.every(({ outcome }) => outcome === 'accepted')).toBe(true);
  const comment = { id: randomUUID(), name: 'Ü', text: 'Two\nlines', writtenAtMs: Date.now() };
  await subject.engine.comments.add(made.poll.id, { ...comment, id: 'older', writtenAtMs: 1 }, 10);
  await subject.engine.comments.add(made.poll.id, comment, 10);
  return { made, ballots, receipts };
}

/** Backups, and moves from one engine to another. */
export function archiveClaims(subject: EngineSubject): void {
  it.each([
    ['small', 3, { sharedAddress: false, minChoices: 1, maxChoices: 2 }],
    ['large', 700, { sharedAddress: false }],
    ['large, of voters who share addresses', 130, { sharedAddress: true }],
  ] as const)('exports and imports a whole poll: %s', async (_, voters, wishes) => {
    const { engine, other } = subject;
    const { made, ballots, receipts } = await votedPoll(subject, wishes, voters);
    const { id } = made.poll;
    const [before, stored] = [await readPoll(engine, id), await allBallots(engine, id)];
    const comments = await engine.comments.list(id);
    const archived = await moveAway(engine, id);
    expect(digestsOf(archived, 'voters')).toHaveLength(voters);
    expect(digestsOf(archived, 'addresses')).toHaveLength(wishes.sharedAddress ? 0 : voters);
    expect(digestsOf(archived, 'proofs')).toHaveLength(Math.ceil(voters / 5));

    await eventually(async () =>
      expect(await engine.archive.addPoll(archived.poll, inParts(archived.entries))).toBe(true),
    );
    const after = await readPoll(other, id);
    expect(after.results).toMatchObject({
      ...before.results,
      readAtMs: expect.any(Number),
    });
    expect([after.poll, after.keys]).toEqual([before.poll, before.keys]);
    expect(await allBallots(engine, id)).toEqual(stored);
    expect(await other.comments.list(id)).toEqual(comments);

    const again = await readArchived(engine, id);
    for (const kind of ['voters', 'addresses', 'proofs'] as const)
      expect(digestsOf(again, kind)).toEqual(digestsOf(archived, kind));
    expect(again.poll).toEqual(archived.poll);
    expect(await engine.archive.addPoll(archived.poll, inParts(archived.entries))).toBe(false);

    for (const [index, ballot] of ballots.entries()) {
      const fresh = ballotFor(made, { name: 'Ann' });
      expect(await engine.polls.cast(ballot)).toEqual({
        outcome: 'repeated',
        version: receipts[index]!.version,
      });
      expect(await outcomeOf(engine, { ...fresh, voter: ballot.voter })).toBe('duplicate_voter');
      if (!wishes.sharedAddress)
        expect(await outcomeOf(engine, { ...fresh, address: ballot.address })).toBe('duplicate_address');
      if (ballot.proof) expect(await outcomeOf(engine, { ...fresh, proof: ballot.proof })).toBe('proof_used');
    }
    const all = ballotFor(made, { name: 'All', answers: made.poll.answers.map(answer => answer.id) });
    expect(await outcomeOf(engine, all)).toBe(made.poll.maxChoices ? 'invalid_answers' : 'accepted');
    for (let more = 0; more < 40; more += 1)
      expect(await outcomeOf(other, ballotFor(made, { name: 'New' }))).toBe('accepted');
    for (const ballot of ballots)
      expect(await outcomeOf(engine, { ...ballot, ballotId: randomUUID() })).toBe('duplicate_voter');
    await expectSound(engine, id);
  });

  it('exports one moment of a poll while ballots are cast', async () => {
    const { engine } = subject;
    const made = await openPoll(subject, {});
    let cast = 0;
    let isOver = false;
    const castAll = async () => {
      while (!isOver) {
        await Promise.all(Array.from({ length: 20 }, () => outcomeOf(engine, ballotFor(made))));
        cast += 20;
      }
    };
    const exportAll = async () => {
      for (let times = 0; times < 8; times += 1) {
        await eventually(() => expect(cast).toBeGreaterThan(times * 100));
        const read = await readArchived(subject.other, made.poll.id);
        const ballots = read.entries.filter(entry => entry.type === 'ballot');
        expect(ballots).toHaveLength(read.poll.voters);
        expect(read.poll.votes[0]).toBe(read.poll.voters);
        expect(digestsOf(read, 'voters')).toHaveLength(read.poll.voters);
        expect(digestsOf(read, 'addresses')).toHaveLength(read.poll.voters);
        expect(ballots.at(-1)?.version ?? 1).toBe(read.poll.version);
      }
    };
    await Promise.all([castAll(), exportAll().finally(() => (isOver = true))]);
  });

  it.each([
    ['upcoming', { upcoming: true }, 'poll_not_open'],
    ['prepared to close by itself', { upcoming: true, closesInMs: 60_000 }, 'poll_not_open'],
    ['closed by hand', {}, 'poll_closed'],
    ['with a deadline to come', { deadlineInMs: 3_600_000, resultsVisibility: 'after_deadline' }, 'accepted'],
    ['private and hidden', { isPrivate: true, resultsVisibility: 'hidden' }, 'accepted'],
  ] as const)('keeps the state of a poll that is %s', async (state, wishes, outcome) => {
    const { engine } = subject;
    const made = await openPoll(subject, wishes);
    const { id } = made.poll;
    if (state === 'closed by hand')
      await engine.polls.change(id, { closed: true, adminKeyHash: 'c'.repeat(64) });
    const before = await readPoll(engine, id);
    const { poll, entries } = await moveAway(engine, id);
    expect(poll.expiresAtMs).toBeGreaterThan(Date.now());
    await eventually(async () => expect(await engine.archive.addPoll(poll, inParts(entries))).toBe(true));
    const { readAtMs: _, ...results } = before.results;
    expect((await readPoll(engine, id)).results).toMatchObject(results);
    expect((await readPoll(engine, id)).keys).toEqual(before.keys);
    expect(await outcomeOf(engine, ballotFor(made))).toBe(outcome);
    expect((await engine.polls.listPublic(1_000)).includes(id)).toBe(!made.poll.settings.isPrivate);
  });

  it('lists every poll, record and missing ballot', async () => {
    const { engine, other } = subject;
    const made = await openPoll(subject);
    const ballot = ballotFor(made);
    await outcomeOf(engine, ballot);
    const ids: string[] = [];
    for await (const id of other.archive.listPolls()) ids.push(id);
    expect(ids.filter(id => id === made.poll.id)).toHaveLength(1);
    expect(await other.archive.findMissing(made.poll, ['unknown', ballot.ballotId])).toEqual(['unknown']);
    const name = `show:${randomUUID()} {*}` as const;
    await engine.records.put(name, 'for ever');
    await engine.records.put(`${name} 2`, 'for a while', 3_600_000);
    await engine.records.put('trial', 'of the moment');
    const records = new Map<string, readonly [string, number | null]>();
    for await (const record of other.archive.readRecords(wanted => wanted !== 'trial'))
      records.set(record.name, [record.text, record.expiresAtMs]);
    expect(records.get(name)).toEqual(['for ever', null]);
    expect(records.get(`${name} 2`)?.[1]).toBeGreaterThan(Date.now() + 3_000_000);
    expect(records.has('trial')).toBe(false);
    expect(await readArchived(engine, 'nobodys-poll')).toEqual({ poll: undefined, entries: [] });
  });
}
