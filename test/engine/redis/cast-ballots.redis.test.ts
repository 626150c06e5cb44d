// @module-tag redis-server
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { beforeAll, expect, it } from 'vitest';
import type { RedisEngine } from '../../../src/engine/redis/redis-engine.ts';
import { type NewPoll, toStoredPoll } from '../../../src/poll/poll.ts';
import {
  allBallots,
  ballotFor,
  expectSound,
  openPoll,
  outcomeOf,
  readResults,
} from '../../contract/engine/engine-subject.ts';
import { redisEngineRig } from './redis-subject.ts';

/** The script called by its header alone, as by a front end in another language. */

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
  readonly facts?: string;
  readonly answers: readonly string[];
}

function cast(poll: NewPoll, ...ballots: RawBallot[]): Promise<unknown> {
  return castTexts(poll, ...ballots.flatMap(textsOf));
}

function textsOf({ id, voter, name = '', proof, facts = '', answers }: RawBallot): string[] {
  return [id, voter, `${voter}-address`, proof ?? '', answers.join(','), 'network', name, facts];
}

function castTexts({ poll }: NewPoll, ...texts: string[]): Promise<unknown> {
  const stem = `tallycast:{${poll.id}}:`;
  return client.evalsha(sha, 1, `${stem}poll-3`, 'PUBLISH', `${stem}hints`, '0', ...texts);
}

it('writes nothing if the arguments are not as documented', async () => {
  const poll = await openPoll({ engine, other: engine });
  const key = `tallycast:{${poll.poll.id}}:poll-3`;
  const before = await client.hgetall(key);
  const ballot = { id: 'b', voter: 'v', answers: ['version'] };
  const texts = textsOf(ballot);
  const unsound = [
    [],
    texts.slice(1),
    [...texts, ...texts.slice(0, 7)],
    texts.with(7, 'registered'),
    texts.with(0, ''),
    texts.with(1, ''),
    texts.with(2, ''),
    [...textsOf({ ...ballot, id: 'c', voter: 'w' }), ...texts.with(5, 'two words')],
    Array.from({ length: 101 }, () => texts).flat(),
  ];
  for (const each of unsound) await expect(castTexts(poll, ...each)).rejects.toThrow('as documented');
  expect(await client.hgetall(key)).toEqual(before);
  expect(await cast(poll, ballot)).toEqual([2]);
  await expectSound(engine, poll.poll.id);
});

it('requires a sign-in for a poll from before the field, whatever its texts say', async () => {
  const [member, open] = [
    await openPoll({ engine, other: engine }, { requireSignIn: true }),
    await openPoll({ engine, other: engine }),
  ];
  const definition = { ...toStoredPoll(open.poll), title: '"only_reg":true,' };
  await client.hset(`tallycast:{${open.poll.id}}:poll-3`, 'definition', JSON.stringify(definition));
  for (const { poll } of [member, open])
    await client.hdel(`tallycast:{${poll.id}}:poll-3`, 'only_reg', 'vpn');
  const ballot = { id: 'b', voter: 'v', answers: ['version'] };
  expect(await cast(member, ballot)).toEqual(['sign_in_required']);
  expect(await cast(member, { ...ballot, facts: 'signed_in' })).toEqual([2]);
  expect(await cast(open, { ...ballot, facts: 'signed_in,vpn' })).toEqual(['vpn_rejected']);
  expect(await cast(open, ballot)).toEqual([2]);
});

it('checks each ballot of a call as if it were alone, after those before it', async () => {
  const poll = await openPoll({ engine, other: engine }, { requireName: true });
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
  expect(replies).toEqual([
    2,
    'repeated 2',
    'duplicate_voter',
    'proof_used',
    3,
    'invalid_answers',
    'name_required',
    4,
    'repeated 3',
  ]);
  expect(await readResults(engine, poll.poll.id)).toMatchObject({ votes: [2, 0, 1], version: 4 });
  expect((await allBallots(engine, poll.poll.id)).map(({ ballotId }) => ballotId)).toEqual([
    'b1',
    'b2',
    'b3',
  ]);
  await expectSound(engine, poll.poll.id);
});

it('accepts the maximum of ballots and answers in a call', async () => {
  const poll = await openPoll({ engine, other: engine }, { allowMultiple: true, answers: 100 });
  const answers = poll.poll.answers.map(({ id }) => id);
  const ballots = Array.from({ length: 100 }, (_, index) => ({
    id: `b${index}`,
    voter: `v${index}`,
    proof: `p${index}`,
    answers,
  }));
  expect(await cast(poll, ...ballots)).toEqual(ballots.map((_, index) => index + 2));
  expect(await readResults(engine, poll.poll.id)).toMatchObject({ votes: answers.map(() => 100) });
  await expectSound(engine, poll.poll.id);
});

it('isolates a malformed ballot from those cast with it', async () => {
  const poll = await openPoll({ engine, other: engine }, { allowMultiple: true });
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

it('does not see a poll of another format', async () => {
  const poll = await openPoll({ engine, other: engine });
  const { id } = poll.poll;
  const stem = `tallycast:{${id}}:`;
  await client.rename(`${stem}poll-3`, `${stem}poll-2`);
  expect(await engine.polls.find(id)).toBeUndefined();
  expect(await outcomeOf(engine, ballotFor(poll))).toBe('poll_not_found');
  expect(await engine.polls.change(id, { closed: true })).toBe(false);
  expect(await allBallots(engine, id)).toEqual([]);
});
