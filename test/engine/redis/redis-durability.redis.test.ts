// @module-tag redis-server
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import {
  ballotFor,
  eventually,
  expectSound,
  expectUnavailable,
  openPoll,
  outcomeOf,
  readResults,
} from '../../contract/engine/engine-subject.ts';
import { redisEngineRig } from './redis-subject.ts';

const { start, openAt } = redisEngineRig();

it('acknowledges a replicated ballot only once a replica holds it, a repeated one too', async () => {
  const primary = await start(['--repl-diskless-sync-delay', '0']);
  const told: string[] = [];
  const engine = await openAt(primary.url, {
    durability: 'replicated',
    onError: ({ message }) => told.push(message),
  });
  expect(told).toEqual([expect.stringContaining('has no replica')]);
  const poll = await openPoll({ engine, other: engine });
  const ballots = Array.from({ length: 20 }, () => ballotFor(poll));
  await Promise.all(ballots.map(ballot => expectUnavailable(engine.castBallot(ballot))));
  await expectUnavailable(engine.castBallot(ballots[0]!));
  expect(await outcomeOf(engine, ballotFor(poll, { answers: [] }))).toBe('invalid_answers');

  const replica = await start(['--replicaof', '127.0.0.1', `${primary.port}`]);
  // A busy replica may be slow: a rejected ballot is cast again.
  const confirmed = [...ballots, ballotFor(poll)].map(ballot =>
    eventually(async () => expect(await outcomeOf(engine, ballot)).toMatch(/^(accepted|repeated)$/)),
  );
  await Promise.all(confirmed);
  // Once for each loss and once for each return, however many voters were refused; a busy replica
  // may fall behind again.
  const returns = told.slice(1).map(message => message.includes('confirms ballots again'));
  expect(returns).toEqual(returns.map((_, index) => index % 2 === 1));
  expect(returns.at(-1)).toBe(true);
  expect(returns.length).toBeLessThan(ballots.length);
  await primary.kill9();
  await expectUnavailable(engine.castBallot(ballotFor(poll)));

  const operator = new Redis(replica.url);
  await operator.replicaof('NO', 'ONE');
  operator.disconnect();
  const heir = await openAt(replica.url);
  expect(await readResults(heir, poll.poll.id)).toMatchObject({ totalVoters: 21, version: 22 });
  await expectSound(heir, poll.poll.id);
});

it('waits for the replica for a repeated ballot too', async () => {
  const primary = await start(['--repl-diskless-sync-delay', '0']);
  const replica = await start(['--replicaof', '127.0.0.1', `${primary.port}`]);
  const engine = await openAt(primary.url, { durability: 'replicated' });
  const fast = await openAt(primary.url);
  const poll = await openPoll({ engine, other: engine });
  await eventually(async () => expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted'));
  replica.pause();
  const ballot = ballotFor(poll);
  // Accepted over another connection: this one has written nothing that WAIT would wait for.
  expect(await outcomeOf(fast, ballot)).toBe('accepted');
  await expectUnavailable(engine.castBallot(ballot));
  replica.resume();
  await eventually(async () => expect(await outcomeOf(engine, ballot)).toBe('repeated'));
});

it('waits for the replica even if Redis has forgotten the script', async () => {
  const primary = await start(['--repl-diskless-sync-delay', '0']);
  const replica = await start(['--replicaof', '127.0.0.1', `${primary.port}`]);
  const engine = await openAt(primary.url, { durability: 'replicated' });
  const poll = await openPoll({ engine, other: engine });
  await eventually(async () => expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted'));
  const operator = new Redis(primary.url);
  // Once the replica holds all there is, a WAIT that goes out before the ballot is content at once.
  await eventually(async () => {
    const info = await operator.info('replication');
    const offset = /^master_repl_offset:(\d+)/m.exec(info)?.[1];
    expect(info).toMatch(new RegExp(`^slave0:.*offset=${offset},`, 'm'));
  });
  replica.pause();
  await operator.script('FLUSH', 'SYNC');
  operator.disconnect();
  const ballot = ballotFor(poll);
  await expectUnavailable(engine.castBallot(ballot));
  replica.resume();
  await eventually(async () => expect(await outcomeOf(engine, ballot)).toBe('repeated'));
});
