import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedEngine, openEmbeddedEngine } from '../../../src/engine/embedded/embedded-engine.ts';
import type { NewPoll } from '../../../src/poll/poll.ts';
import {
  allBallots,
  ballotFor,
  clockPasses,
  eventually,
  newPoll,
  openPoll,
  outcomeOf,
  readResults,
} from '../../contract/engine/engine-subject.ts';
import { keysOnDisk, makeDataDirectory, removeDataDirectory } from './data-directory.ts';

/** Four entries a ballot: a dozen slices. */
const BALLOTS = 3_000;
const GROUP = 300;

describe('a large poll that is removed', () => {
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

  async function openGreatPoll(): Promise<NewPoll> {
    const poll = await openPoll({ engine, other: engine });
    const cast = (ballot = ballotFor(poll)) => eventually(() => outcomeOf(engine, ballot).then(() => {}));
    // Not all at once: a busy machine may refuse so many.
    for (let count = 0; count < BALLOTS; count += GROUP)
      await Promise.all(Array.from({ length: GROUP }, () => cast()));
    return poll;
  }
  const keysOf = async ({ poll }: NewPoll) =>
    (await keysOnDisk(dataDir)).filter(key => key.includes(poll.id) && !key.startsWith('deletion'));

  it('disappears at once, and other polls accept ballots before its last entry is removed', async () => {
    const [poll, busy] = [await openGreatPoll(), await openPoll({ engine, other: engine })];
    expect(await engine.polls.remove(poll.poll.id)).toBe(true);
    expect(await engine.polls.remove(poll.poll.id)).toBe(false);
    expect(await engine.polls.find(poll.poll.id)).toBeUndefined();
    expect(await allBallots(engine, poll.poll.id)).toEqual([]);
    expect(await outcomeOf(engine, ballotFor(poll))).toBe('poll_not_found');
    expect(await outcomeOf(engine, ballotFor(busy))).toBe('accepted');
    await engine.close();
    // What was acknowledged just now did not wait for it.
    expect((await keysOf(poll)).length).toBeGreaterThan(1_000);
    engine = await openEmbeddedEngine({ dataDir });
  });

  it('is removed to the last entry, also after a restart', async () => {
    const poll = await openGreatPoll();
    expect(await engine.polls.remove(poll.poll.id)).toBe(true);
    await engine.close();
    expect((await keysOf(poll)).length).toBeGreaterThan(1_000);
    engine = await openEmbeddedEngine({ dataDir });
    await eventually(() => engine.tidy());
    await engine.close();
    expect(await keysOf(poll)).toEqual([]);
    engine = await openEmbeddedEngine({ dataDir });
  });

  it('leaves no voters to a new poll with its id', async () => {
    const { poll } = await openGreatPoll();
    await engine.polls.remove(poll.id);
    const again = newPoll({ id: poll.id }, await engine.polls.now());
    // Refused for as long as there are too many to wait for.
    await eventually(async () => expect(await engine.polls.create(again)).toBe(true));
    expect(await readResults(engine, poll.id)).toMatchObject({ version: 1, totalVoters: 0 });
    expect(await allBallots(engine, poll.id)).toEqual([]);
  });

  it('is removed in slices when it expires, too', async () => {
    await engine.close();
    engine = await openEmbeddedEngine({ dataDir, retentionDays: 1e-9 });
    const poll = await openGreatPoll();
    // Its day is a fraction of a millisecond away.
    await clockPasses(engine, (await engine.polls.now()) + 2);
    const tidied = engine.tidy();
    await eventually(async () => expect(await engine.polls.find(poll.poll.id)).toBeUndefined());
    const busy = await openPoll({ engine, other: engine }, { deadlineInMs: 600_000 });
    expect(await outcomeOf(engine, ballotFor(busy))).toBe('accepted');
    await tidied;
    await engine.close();
    expect(await keysOf(poll)).toEqual([]);
    engine = await openEmbeddedEngine({ dataDir });
  });
});
