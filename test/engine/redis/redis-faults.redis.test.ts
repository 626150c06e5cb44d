// @module-tag redis-server
import { beforeEach, describe, expect, it } from 'vitest';
import type { RedisEngine } from '../../../src/engine/redis/redis-engine.ts';
import {
  ballotFor,
  clockPasses,
  countHints,
  eventually,
  expectSound,
  expectUnavailable,
  openPoll,
  outcomeOf,
  readResults,
} from '../../contract/engine/engine-subject.ts';
import type { RedisServer } from '../../support/redis-server.ts';
import type { TcpProxy } from '../../support/tcp-proxy.ts';
import { availabilityOf, followedChannels, redisEngineRig } from './redis-subject.ts';

const { start, proxyTo, openAt, clientOf } = redisEngineRig();
let server: RedisServer;
let proxy: TcpProxy;
let engine: RedisEngine;

beforeEach(async () => {
  server = await start();
  const link = await proxyTo(server);
  proxy = link;
  engine = await openAt(link.url);
});

const subject = () => ({ engine, other: engine });

describe('a connection that dies silently', () => {
  it('rejects every call in time, and recovers', async () => {
    const poll = await openPoll(subject());
    const { id } = poll.poll;
    // A rejected command may still arrive when the link passes again.
    const changed = (await openPoll(subject())).poll.id;
    const events = availabilityOf(engine);
    proxy.setMode('blackhole');
    await Promise.all([
      expectUnavailable(engine.castBallot({ ...ballotFor(poll), pollId: changed })),
      expectUnavailable(engine.polls.find(id)),
      expectUnavailable(engine.polls.findRevisions([id])),
      expectUnavailable(engine.polls.create({ ...poll, poll: { ...poll.poll, id: 'AAAAAAAAAAAA' } })),
      expectUnavailable(engine.polls.listPublic(5)),
      expectUnavailable(engine.polls.change(changed, { closed: true })),
      expectUnavailable(engine.polls.remove(changed)),
      expectUnavailable(engine.polls.now()),
      expectUnavailable(engine.hints.publish(id)),
      expectUnavailable(engine.polls.readBallots(id)[Symbol.asyncIterator]().next()),
      expectUnavailable(engine.records.find('limits:name')),
      expectUnavailable(engine.records.putIfAbsent('limits:name', 'text')),
      expectUnavailable(engine.records.put('limits:name', 'text')),
      expectUnavailable(engine.records.remove('limits:name')),
      expectUnavailable(engine.comments.list(id)),
      expectUnavailable(engine.comments.add(id, { id: 'c', name: '', text: '', writtenAtMs: 0 }, 5)),
      expectUnavailable(engine.comments.remove(id, 'c')),
    ]);
    await eventually(() => expect(events).toEqual([false]));
    proxy.setMode('pass');
    await eventually(() => expect(events).toEqual([false, true]));
    expect(await readResults(engine, id)).toMatchObject({ version: 1, status: 'open' });
  });
});

describe('Redis itself', () => {
  it('is announced as lost when it dies, and as available once every topic is subscribed', async () => {
    const topics = Array.from({ length: 2_500 }, (_, index) => `show:${index}`);
    await Promise.all(topics.map(topic => countHints(engine, topic)));
    const events = availabilityOf(engine);
    await server.kill9();
    await eventually(() => expect(events).toEqual([false]));
    const late = await countHints(engine, 'show:late');
    await server.restart();
    await eventually(() => expect(events).toEqual([false, true]));
    const client = clientOf(server);
    expect(await followedChannels(client)).toHaveLength(topics.length + 1);
    await engine.hints.publish('show:late');
    await eventually(() => expect(late.count).toBeGreaterThan(0));
  });

  it('may forget its scripts during a rush', async () => {
    const poll = await openPoll(subject());
    const client = clientOf(server);
    const outcomes = Array.from({ length: 300 }, (_, index) => {
      if (index % 50 === 0) void client.script('FLUSH', 'SYNC');
      return new Promise(setImmediate).then(() => outcomeOf(engine, ballotFor(poll)));
    });
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['accepted']));
    await client.script('FLUSH', 'SYNC');
    await expectSound(engine, poll.poll.id);
    expect(await readResults(engine, poll.poll.id)).toMatchObject({ totalVoters: 300 });
  });

  it('rejects ballots and answers reads without memory', async () => {
    const poll = await openPoll(subject());
    await engine.castBallot(ballotFor(poll));
    const client = clientOf(server);
    await client.config('SET', 'maxmemory', '1');
    await expectUnavailable(engine.castBallot(ballotFor(poll)));
    expect(await readResults(engine, poll.poll.id)).toMatchObject({ votes: [1, 0, 0], totalVoters: 1 });
    expect(await engine.polls.change(poll.poll.id, { closed: true })).toBe(true);
    expect(await engine.polls.remove(poll.poll.id)).toBe(true);
  });

  it('publishes nothing about a poll except that it has changed', async () => {
    const poll = await openPoll(subject(), { resultsVisibility: 'hidden' });
    const client = clientOf(server);
    const heard: string[] = [];
    client.on('pmessage', (_pattern, channel, message) => heard.push(`${channel} ${message}`));
    await client.psubscribe('*');
    await engine.castBallot(ballotFor(poll));
    await engine.polls.change(poll.poll.id, { closed: true });
    await eventually(() => expect(heard).toHaveLength(2));
    expect(new Set(heard)).toEqual(new Set([`tallycast:{${poll.poll.id}}:hints `]));
  });
});

describe('a deadline that passes while Redis rejects writes', () => {
  const SOON_MS = 400;
  type Operator = ReturnType<typeof clientOf>;
  const refusals: [string, (operator: Operator) => unknown, (operator: Operator) => unknown][] = [
    [
      'out of memory',
      operator => operator.config('SET', 'maxmemory', '1'),
      operator => operator.config('SET', 'maxmemory', '0'),
    ],
    [
      'without the replicas that it must have',
      operator => operator.config('SET', 'min-replicas-to-write', '1'),
      operator => operator.config('SET', 'min-replicas-to-write', '0'),
    ],
    [
      'unable to write its disk',
      async operator => {
        await operator.config('SET', 'dir', '/proc');
        await operator.bgsave();
        await eventually(async () =>
          expect(await operator.info('persistence')).toContain('bgsave_status:err'),
        );
      },
      operator => operator.config('SET', 'stop-writes-on-bgsave-error', 'no'),
    ],
  ];

  it.each(refusals)('closes its poll readably and as one change: %s', async (_name, refuse, allow) => {
    const settings = ['--enable-protected-configs', 'yes', '--save', '3600 1'];
    const disturbed = await start(settings);
    const witness = await openAt(disturbed.url);
    const operator = clientOf(disturbed);
    const poll = await openPoll({ engine: witness, other: witness }, { deadlineInMs: SOON_MS });
    const { id } = poll.poll;
    await refuse(operator);
    await expectUnavailable(witness.records.put('limits:name', 'text'));
    const hints = await countHints(witness, id);
    await clockPasses(witness, poll.deadlineMs!);
    const closed = { status: 'closed', version: 2 };
    for (let read = 0; read < 3; read += 1) expect(await readResults(witness, id)).toMatchObject(closed);
    expect(await witness.polls.findRevisions([id])).toMatchObject([closed]);
    expect(hints.count).toBe(0);
    await allow(operator);
    expect(await readResults(witness, id)).toMatchObject(closed);
    await eventually(() => expect(hints.count).toBe(1));
    expect(await witness.polls.change(id, { resultsVisibility: 'hidden' })).toBe(true);
    expect(await readResults(witness, id)).toMatchObject({ ...closed, version: 3 });
  });
});
