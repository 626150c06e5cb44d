import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { beforeAll, expect, it } from 'vitest';
import type { RedisEngine } from '../../../src/engine/redis/redis-engine.ts';
import type { NewPoll } from '../../../src/poll/create-poll.ts';
import {
  allBallots,
  ballotFor,
  expectSound,
  openPoll,
  readResults,
} from '../../contract/engine/engine-subject.ts';
import { redisEngineRig } from './redis-subject.ts';

/** The script by itself, as a front end in another language calls it: by its header alone. */

const FILE = new URL('../../../src/engine/redis/commands/cast-ballots-1.lua', import.meta.url);

const { start, openAt, clientOf } = redisEngineRig('file');
let engine: RedisEngine;
let client: Redis;
let sha: string;

beforeAll(async () => {
  const server = await start();
  engine = await openAt(server.url);
  client = clientOf(server);
  sha = (await client.script('LOAD', readFileSync(FILE, 'utf8'))) as string;
});

interface RawBallot {
  readonly id: string;
  readonly voter: string;
  readonly name?: string;
  readonly proof?: string;
  readonly answers: readonly string[];
}

function cast(poll: NewPoll, ...ballots: RawBallot[]): Promise<unknown> {
  return castJson(poll, JSON.stringify(ballots.map(listed)));
}

function listed({ id, voter, name = '', proof = '', answers }: RawBallot): unknown[] {
  return [id, voter, `${voter}-address`, name, proof, answers];
}

function castJson({ poll }: NewPoll, ...json: string[]): Promise<unknown> {
  const stem = `tallycast:{${poll.id}}:`;
  return client.evalsha(sha, 1, `${stem}poll`, 'PUBLISH', `${stem}hints`, '0', ...json);
}

it('counts a ballot that comes by the script alone', async () => {
  const poll = await openPoll({ engine, other: engine }, { ma: true, enter_name: true });
  const ballot = { id: 'b"1', voter: 'v1', name: 'Zoë "Z"', answers: ['version', 'closed'] };
  expect(await cast(poll, ballot)).toEqual(['accepted', 2]);
  expect(await cast(poll, ballot)).toEqual(['repeated', 2]);
  expect(await cast(poll, { ...ballot, id: 'b2' })).toEqual(['duplicate_voter', 0]);
  expect(await readResults(engine, poll.poll.id)).toMatchObject({ votes: [1, 0, 1], totalVoters: 1 });
  expect(await allBallots(engine, poll.poll.id)).toMatchObject([{ ballotId: 'b"1', name: 'Zoë "Z"' }]);
});

it('writes nothing at all where the arguments are not as documented', async () => {
  const poll = await openPoll({ engine, other: engine });
  const before = await client.hgetall(`tallycast:{${poll.poll.id}}:poll`);
  const ballot = { id: 'b', voter: 'v', answers: ['version'] };
  const sound = listed(ballot);
  const unsound: unknown[] = [
    'ballot',
    1,
    null,
    {},
    [],
    ballot,
    sound.slice(0, 5),
    [...sound, ''],
    ...sound.map((_, place) => sound.with(place, null)),
    ...sound.map((_, place) => sound.with(place, true)),
    sound.with(5, 'version'),
    sound.with(5, ['version', true]),
    sound.with(5, [['version']]),
  ];
  for (const other of unsound)
    await expect(castJson(poll, JSON.stringify([sound, other]))).rejects.toThrow('as documented');
  for (const json of ['[]', '{}', '7', 'null', '"ballots"'])
    await expect(castJson(poll, json)).rejects.toThrow('as documented');
  await expect(cast(poll, ...Array.from({ length: 101 }, () => ballot))).rejects.toThrow('as documented');
  for (const json of ['', '[', '["\\ud800"]', 'nil']) await expect(castJson(poll, json)).rejects.toThrow();
  await expect(castJson(poll)).rejects.toThrow();
  expect(await client.hgetall(`tallycast:{${poll.poll.id}}:poll`)).toEqual(before);
  expect(await cast(poll, ballot)).toEqual(['accepted', 2]);
  await expectSound(engine, poll.poll.id);
});

it('judges each ballot of a call as if it were alone, after those before it', async () => {
  const poll = await openPoll({ engine, other: engine }, { enter_name: true });
  const proof = 'solved';
  const first = { id: 'b1', voter: 'v1', name: 'Zoë', proof, answers: ['version'] };
  const replies = await cast(
    poll,
    first,
    first,
    { ...first, id: 'b2' },
    { ...first, id: 'b2', voter: 'v2' },
    { ...first, id: 'b2', voter: 'v2', proof: 'another', answers: ['closed'] },
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

it('takes as many ballots of as many answers as a call may carry', async () => {
  const poll = await openPoll({ engine, other: engine }, { ma: true, answers: 100 });
  const answers = poll.poll.answers.map(({ id }) => id);
  const ballots = Array.from({ length: 100 }, (_, index) => ({
    id: `b${index}`,
    voter: `v${index}`,
    proof: `p${index}`,
    answers,
  }));
  expect(await cast(poll, ...ballots)).toEqual(ballots.flatMap((_, index) => ['accepted', index + 2]));
  expect(await readResults(engine, poll.poll.id)).toMatchObject({ votes: answers.map(() => 100) });
  await expectSound(engine, poll.poll.id);
});

it('keeps a ballot that is none from those that are cast together with it', async () => {
  const poll = await openPoll({ engine, other: engine }, { ma: true });
  const forged = ['0', 'forged', 'voter', 'address', '', '', '', '1', 'version'] as unknown as string;
  const sound = [ballotFor(poll), ballotFor(poll, { voter: 'half of \ud83d' }), ballotFor(poll)];
  const casts = await Promise.allSettled([
    engine.polls.cast(sound[0]!),
    engine.polls.cast(ballotFor(poll, { answers: [forged] })),
    engine.polls.cast(sound[1]!),
    engine.polls.cast(ballotFor(poll, { answers: undefined as unknown as string[] })),
    engine.polls.cast(sound[2]!),
  ]);
  expect(casts.map(cast => (cast.status === 'fulfilled' ? cast.value.outcome : 'rejected'))).toEqual([
    'accepted',
    'invalid_answers',
    'accepted',
    'rejected',
    'accepted',
  ]);
  expect((await allBallots(engine, poll.poll.id)).map(({ ballotId }) => ballotId)).toEqual(
    sound.map(({ ballotId }) => ballotId),
  );
});
