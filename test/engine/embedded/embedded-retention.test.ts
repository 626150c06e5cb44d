import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EmbeddedEngine, openEmbeddedEngine } from '../../../src/engine/embedded/embedded-engine.ts';
import { openTables } from '../../../src/engine/embedded/embedded-tables.ts';
import { createPollId } from '../../../src/poll/create-poll.ts';
import type { NewPoll } from '../../../src/poll/poll.ts';
import { ballotFor, eventually, newPoll } from '../../contract/engine/engine-subject.ts';
import { retentionClaims } from '../../contract/engine/retention-claims.ts';
import { keysOnDisk, makeDataDirectory, removeDataDirectory } from './data-directory.ts';

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 30;

describe('the retention of the embedded engine', () => {
  let dataDir: string;
  let engine: EmbeddedEngine;
  beforeEach(async () => {
    vi.useFakeTimers({ now: Date.now(), toFake: ['Date'] });
    dataDir = await makeDataDirectory();
    engine = await openEmbeddedEngine({ dataDir, retentionDays: RETENTION_DAYS });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await engine.close().catch(() => {});
    await removeDataDirectory(dataDir);
  });

  const pass = (days: number) => vi.setSystemTime(Date.now() + days * DAY_MS);
  const open = async (wishes: Parameters<typeof newPoll>[0] = {}): Promise<NewPoll> => {
    const poll = newPoll(wishes, Date.now());
    expect(await engine.polls.create(poll)).toBe(true);
    return poll;
  };
  const isThere = async ({ poll }: NewPoll) => (await engine.polls.find(poll.id)) !== undefined;

  it('keeps a poll without a deadline for its retention after the last ballot', async () => {
    const [voted, ignored] = [await open(), await open()];
    pass(RETENTION_DAYS - 1);
    await engine.castBallot(ballotFor(voted));
    pass(2);
    await engine.tidy();
    expect([await isThere(voted), await isThere(ignored)]).toEqual([true, false]);
    pass(RETENTION_DAYS);
    await engine.tidy();
    expect(await isThere(voted)).toBe(false);
  });

  it('tidies when it is opened', async () => {
    const poll = await open();
    await engine.close();
    pass(RETENTION_DAYS + 1);
    engine = await openEmbeddedEngine({ dataDir, retentionDays: RETENTION_DAYS });
    await eventually(async () => expect(await isThere(poll)).toBe(false));
  });

  it('forgets records and proofs that have expired', async () => {
    const poll = await open({ sharedAddress: true });
    await engine.records.put('limits:short', 'text', DAY_MS);
    await engine.records.put('limits:long', 'text');
    const proof = { id: 'proof', expiresAtMs: Date.now() + DAY_MS };
    await engine.castBallot({ ...ballotFor(poll), proof });
    pass(2);
    await engine.tidy();
    await engine.close();
    const keys = await keysOnDisk(dataDir);
    expect(keys.filter(key => key.startsWith('records') || key.startsWith('proofs'))).toEqual([
      'records "limits:long"',
    ]);
  });

  it('removes everything of a poll with any voter keys, and nothing of other polls', async () => {
    const names = ['', '😀', '\uffff\uffff', '\u0000', 'a'.repeat(200), '\u{10ffff}'];
    const polls = [
      await open({ sharedAddress: false, allowComments: true }),
      await open({ sharedAddress: false, allowComments: true }),
    ] as const;
    for (const poll of polls)
      for (const [index, name] of names.entries()) {
        const key = `${name}${index}`;
        const proof = { id: key, expiresAtMs: Date.now() + DAY_MS };
        const ballot = ballotFor(poll, { voter: key, address: key, ballotId: key, proof });
        expect((await engine.polls.cast(ballot)).outcome).toBe('accepted');
        await engine.comments.add(poll.poll.id, { id: key, name, text: 'x', writtenAtMs: index }, 100);
      }
    expect(await engine.polls.remove(polls[0].poll.id)).toBe(true);
    await engine.close();
    const keys = (await keysOnDisk(dataDir)).filter(key => !key.startsWith('deletion'));
    expect(keys.filter(key => key.includes(polls[0].poll.id))).toEqual([]);
    const [, kept] = polls;
    // The definition, the tally and the listing; then five entries and a comment for each voter.
    expect(keys.filter(key => key.includes(kept.poll.id))).toHaveLength(3 + 6 * names.length);
  });

  it('does not confuse polls whose ids have the same beginning', async () => {
    const id = createPollId();
    const longer = await open({ id: `${id}x` });
    await engine.castBallot(ballotFor(longer));
    const shorter = await open({ id });
    await engine.castBallot(ballotFor(shorter));
    await engine.polls.remove(id);
    const ballots = [];
    for await (const batch of engine.polls.readBallots(`${id}x`)) ballots.push(...batch);
    expect(ballots).toHaveLength(1);
  });
});

describe('the expiry of a poll in the embedded engine', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await makeDataDirectory();
  });
  afterAll(() => removeDataDirectory(dataDir));

  retentionClaims({
    async withEngine(retentionDays, action) {
      const engine = await openEmbeddedEngine({ dataDir, retentionDays });
      return action(engine).finally(() => engine.close());
    },
    tidy: engine => (engine as EmbeddedEngine).tidy(),
    async goesAtMs(id) {
      const tables = openTables(dataDir);
      const goes = tables.tallies.get(id)?.expiresAtMs;
      await tables.root.close();
      return goes ?? null;
    },
  });
});
