import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RedisEngine } from '../../../src/engine/redis/redis-engine.ts';
import type { NewPoll } from '../../../src/poll/create-poll.ts';
import {
  allBallots,
  ballotFor,
  expectSound,
  openPoll,
  readResults,
} from '../../contract/engine/engine-subject.ts';
import { type RedisServer, startRedisServer } from '../../support/redis-server.ts';
import { openEngineAt } from './redis-subject.ts';

/** The script by itself, as a front end in another language calls it: by its header alone. */

const FILE = new URL('../../../src/engine/redis/commands/cast-ballots-6.lua', import.meta.url);
const KEYS = ['tally', 'ballots', 'ledger', 'proofs', 'definition', 'comments'];

let server: RedisServer;
let engine: RedisEngine;
let client: Redis;
let sha: string;

beforeAll(async () => {
  server = await startRedisServer();
  engine = await openEngineAt(server.url);
  client = new Redis(server.url);
  sha = (await client.script('LOAD', readFileSync(FILE, 'utf8'))) as string;
});
afterAll(async () => {
  client.disconnect();
  await engine.close();
  await server.stop();
});

interface RawBallot {
  readonly id: string;
  readonly voter: string;
  readonly name?: string;
  readonly proof?: readonly [id: string, expiry: string];
  readonly retention?: string;
  readonly answers: readonly string[];
  /** Of the answers, unless it is wrong. */
  readonly count?: number | string;
}

function cast({ poll }: NewPoll, ...ballots: RawBallot[]): Promise<unknown> {
  const stem = `tallycast:{${poll.id}}:`;
  const args = ['PUBLISH', `${stem}hints`, '0', ballots[0]?.retention ?? '0'];
  for (const { id, voter, name = '', proof = ['', ''], answers, count = answers.length } of ballots)
    args.push(id, voter, `${voter}-address`, name, ...proof, `${count}`, ...answers);
  return client.evalsha(sha, KEYS.length, ...KEYS.map(key => stem + key), ...args);
}

test('counts a ballot that comes by the script alone', async () => {
  const poll = await openPoll({ engine, other: engine }, { ma: true, enter_name: true });
  const ballot = { id: 'b"1', voter: 'v1', name: 'Zoë "Z"', answers: ['version', 'closed'] };
  expect(await cast(poll, ballot)).toEqual(['accepted', 2]);
  expect(await cast(poll, ballot)).toEqual(['repeated', 2]);
  expect(await cast(poll, { ...ballot, id: 'b2' })).toEqual(['duplicate_voter', 0]);
  expect(await readResults(engine, poll.poll.id)).toMatchObject({ votes: [1, 0, 1], totalVoters: 1 });
  expect(await allBallots(engine, poll.poll.id)).toMatchObject([{ ballotId: 'b"1', name: 'Zoë "Z"' }]);
});

test('writes nothing at all where the arguments are not as documented', async () => {
  const poll = await openPoll({ engine, other: engine });
  const keys = await client.keys(`*${poll.poll.id}*`);
  const ballot = { id: 'b', voter: 'v', answers: ['version'] };
  await expect(cast(poll, { ...ballot, proof: ['p', ''] })).rejects.toThrow('as documented');
  await expect(cast(poll, { ...ballot, proof: ['p', 'tomorrow'] })).rejects.toThrow('as documented');
  await expect(cast(poll, { ...ballot, retention: '' })).rejects.toThrow('as documented');
  for (const count of [2, -1, 0.5, '', 'one', 'nan', 'inf'])
    await expect(cast(poll, ballot, { ...ballot, count })).rejects.toThrow('as documented');
  await expect(cast(poll, ballot, { ...ballot, proof: ['p', 'nan'] })).rejects.toThrow('as documented');
  await expect(cast(poll)).rejects.toThrow('as documented');
  await expect(cast(poll, ...Array.from({ length: 101 }, () => ballot))).rejects.toThrow('as documented');
  await expect(
    client.evalsha(sha, 6, ...KEYS.map(key => `tallycast:{${poll.poll.id}}:${key}`)),
  ).rejects.toThrow();
  expect((await client.keys(`*${poll.poll.id}*`)).sort()).toEqual(keys.sort());
  expect(await cast(poll, ballot)).toEqual(['accepted', 2]);
  await expectSound(engine, poll.poll.id);
});

test('judges each ballot of a call as if it were alone, after those before it', async () => {
  const poll = await openPoll({ engine, other: engine }, { enter_name: true });
  const proof = ['solved', '9000000000000'] as const;
  const first = { id: 'b1', voter: 'v1', name: 'Zoë', proof, answers: ['version'] };
  const replies = await cast(
    poll,
    first,
    first,
    { ...first, id: 'b2' },
    { ...first, id: 'b2', voter: 'v2' },
    { ...first, id: 'b2', voter: 'v2', proof: ['another', '9000000000000'], answers: ['closed'] },
    { ...first, id: 'b3', voter: 'v3', answers: [] },
    { ...first, id: 'b3', voter: 'v3', name: ' ' },
    { id: 'b3', voter: 'v3', name: 'Ada', answers: ['version'] },
    { id: 'b2', voter: 'v2', answers: [] },
  );
  expect(replies).toEqual(
    [
      ['accepted', 2],
      ['repeated', 2],
      ['duplicate_voter', 0],
      ['proof_used', 0],
      ['accepted', 3],
      ['invalid_answers', 0],
      ['name_required', 0],
      ['accepted', 4],
      ['repeated', 3],
    ].flat(),
  );
  expect(await readResults(engine, poll.poll.id)).toMatchObject({ votes: [2, 0, 1], version: 4 });
  expect((await allBallots(engine, poll.poll.id)).map(({ ballotId }) => ballotId)).toEqual([
    'b1',
    'b2',
    'b3',
  ]);
  await expectSound(engine, poll.poll.id);
});

test('takes as many ballots of as many answers as a call may carry', async () => {
  const poll = await openPoll({ engine, other: engine }, { ma: true, answers: 100 });
  const answers = poll.poll.answers.map(({ id }) => id);
  const ballots = Array.from({ length: 100 }, (_, index) => ({
    id: `b${index}`,
    voter: `v${index}`,
    proof: [`p${index}`, '9000000000000'] as const,
    answers,
  }));
  expect(await cast(poll, ...ballots)).toEqual(ballots.flatMap((_, index) => ['accepted', index + 2]));
  expect(await readResults(engine, poll.poll.id)).toMatchObject({ votes: answers.map(() => 100) });
  await expectSound(engine, poll.poll.id);
});

test('keeps a ballot that is none from those that are cast together with it', async () => {
  const poll = await openPoll({ engine, other: engine }, { ma: true });
  const forged = ['0', 'forged', 'voter', 'address', '', '', '', '1', 'version'] as unknown as string;
  const sound = [ballotFor(poll), ballotFor(poll)];
  const casts = await Promise.allSettled([
    engine.castBallot(sound[0]!),
    engine.castBallot(ballotFor(poll, { answers: [forged] })),
    engine.castBallot(ballotFor(poll, { proof: { id: 'p', expiresAtMs: Number.NaN } })),
    engine.castBallot(ballotFor(poll, { answers: undefined as unknown as string[] })),
    engine.castBallot(sound[1]!),
  ]);
  expect(casts.map(cast => (cast.status === 'fulfilled' ? cast.value.outcome : 'rejected'))).toEqual([
    'accepted',
    'invalid_answers',
    'rejected',
    'rejected',
    'accepted',
  ]);
  expect((await allBallots(engine, poll.poll.id)).map(({ ballotId }) => ballotId)).toEqual(
    sound.map(({ ballotId }) => ballotId),
  );
});
