import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedEngine, openEmbeddedEngine } from '../../../src/engine/embedded/embedded-engine.ts';
import type { Tally } from '../../../src/engine/embedded/embedded-tables.ts';
import { statusOf } from '../../../src/engine/embedded/tally.ts';
import { ballotFor, expectSound, openPoll, readResults } from '../../contract/engine/engine-subject.ts';
import { keysOnDisk, makeDataDirectory, removeDataDirectory } from './data-directory.ts';

describe('ballots and changes requested in one turn', () => {
  let dataDir: string;
  let engine: EmbeddedEngine;
  beforeEach(async () => {
    dataDir = await makeDataDirectory();
    engine = await openEmbeddedEngine({ dataDir });
  });
  afterEach(async () => {
    await engine.close();
    await removeDataDirectory(dataDir);
  });

  it('run in the order of the requests, each on the result of the one before', async () => {
    const subject = { engine, other: engine };
    const [kept, gone] = [await openPoll(subject), await openPoll(subject)];
    const { id } = kept.poll;
    const { polls } = engine;
    const first = ballotFor(kept);
    const receipts = await Promise.all([
      polls.cast(first),
      polls.cast(ballotFor(kept)),
      polls.cast(ballotFor(gone)),
      polls.change(id, { resultsVisibility: 'hidden' }),
      polls.cast(ballotFor(kept)),
      polls.cast({ ...first, ballotId: 'another' }),
      polls.cast(first),
      polls.remove(gone.poll.id),
      polls.cast(ballotFor(gone)),
      polls.cast(ballotFor(kept)),
      polls.change(id, { closed: true }),
      polls.cast(ballotFor(kept)),
    ]);
    expect(receipts).toEqual([
      { outcome: 'accepted', version: 2 },
      { outcome: 'accepted', version: 3 },
      { outcome: 'accepted', version: 2 },
      true,
      { outcome: 'accepted', version: 5 },
      { outcome: 'duplicate_voter', version: 0 },
      { outcome: 'repeated', version: 2 },
      true,
      { outcome: 'poll_not_found', version: 0 },
      { outcome: 'accepted', version: 6 },
      true,
      { outcome: 'poll_closed', version: 0 },
    ]);
    const results = { version: 7, totalVoters: 4, status: 'closed', resultsVisibility: 'hidden' };
    expect(await readResults(engine, id)).toMatchObject(results);
    expect((await polls.findRevisions([gone.poll.id]))[0]).toBeUndefined();

    await engine.close();
    expect((await keysOnDisk(dataDir)).filter(key => key === `tallies "${gone.poll.id}"`)).toEqual([]);
    engine = await openEmbeddedEngine({ dataDir });
    expect(await readResults(engine, id)).toMatchObject(results);
    await expectSound(engine, id);
  });

  it('leave no trace of a ballot that cannot be stored', async () => {
    const poll = await openPoll({ engine, other: engine });
    const outcomes = await Promise.allSettled([
      engine.polls.cast(ballotFor(poll)),
      engine.polls.cast(ballotFor(poll, { voter: 'v'.repeat(5_000) })),
      engine.polls.cast(ballotFor(poll)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await readResults(engine, poll.poll.id)).toMatchObject({ version: 3, totalVoters: 2 });
    await expectSound(engine, poll.poll.id);
  });
});

it('closes a poll in the millisecond of its deadline', () => {
  const tally = { closedByHand: false, upcoming: false, deadlineMs: 5_000 } as Tally;
  expect(statusOf(tally, 4_999)).toBe('open');
  expect(statusOf(tally, 5_000)).toBe('closed');
});
