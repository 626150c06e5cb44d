// @module-tag redis-server
import { networkInterfaces } from 'node:os';
import { Redis } from 'ioredis';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import type { RedisEngine } from '../../../src/engine/redis/redis-engine.ts';
import {
  ballotFor,
  expectSound,
  expectUnavailable,
  openPoll,
  readResults,
} from '../../contract/engine/engine-subject.ts';
import { findFreePort } from '../../support/free-port.ts';
import { redisRig } from '../../support/redis-rig.ts';
import type { RedisServer } from '../../support/redis-server.ts';
import { until } from '../../support/until.ts';
import { openEngineAt } from './redis-subject.ts';

const PASSWORD = 'not-for-any-log';

const { start, proxyTo } = redisRig('file');
let server: RedisServer;

beforeAll(async () => {
  server = await start(['--requirepass', PASSWORD]);
});

async function refusalOf(opening: Promise<RedisEngine>): Promise<string> {
  const error = await opening.then(
    () => expect.unreachable('It opened.'),
    (refusal: unknown) => refusal as Error,
  );
  const whole = `${error.message}${error.stack}${(error.cause as Error | undefined)?.stack}`;
  expect(whole).not.toContain(PASSWORD);
  expect(error.message).not.toContain('\n');
  return error.message;
}

it('names the address and the reason if nothing listens', async () => {
  const port = await findFreePort();
  const refusal = await refusalOf(openEngineAt(`redis://user:${PASSWORD}@127.0.0.1:${port}`));
  expect(refusal).toContain(`127.0.0.1:${port}`);
  expect(refusal).toContain('ECONNREFUSED');
});

it('names the address and the reason if the password is missing or wrong', async () => {
  const address = `127.0.0.1:${server.port}`;
  expect(await refusalOf(openEngineAt(`redis://${address}`))).toMatch(new RegExp(`${address}.*NOAUTH`));
  expect(await refusalOf(openEngineAt(`redis://:wrong@${address}`))).toMatch(
    new RegExp(`${address}.*WRONGPASS`),
  );
});

const ADDRESS = Object.values(networkInterfaces())
  .flat()
  .find(address => address?.family === 'IPv4' && !address.internal)?.address;

it.skipIf(ADDRESS === undefined)('reports protected mode, and nothing else', async () => {
  const guarded = await start(['--protected-mode', 'yes']);
  const client = new Redis(guarded.url);
  await client.config('SET', 'bind', '*');
  client.disconnect();
  const words = vi.spyOn(console, 'warn');
  onTestFinished(() => words.mockRestore());
  const onError = (error: Error) => words(error.message);
  for (const scheme of ['redis', 'redis+cluster'])
    for (let times = 0; times < 10; times += 1)
      expect(await refusalOf(openEngineAt(`${scheme}://${ADDRESS}:${guarded.port}`, { onError }))).toMatch(
        /^Redis at \S+ cannot be used: it is in protected mode/,
      );
  expect(words).not.toHaveBeenCalled();
});

it('reports that Redis has its maximum of clients', async () => {
  const full = await start(['--maxclients', '1']);
  const holder = new Redis(full.url);
  onTestFinished(() => holder.disconnect());
  await holder.ping();
  expect(await refusalOf(openEngineAt(full.url))).toMatch(/maxclients/);
});

it('gives up on a server that accepts connections and never answers', async () => {
  const proxy = await proxyTo(server);
  proxy.setMode('blackhole');
  expect(await refusalOf(openEngineAt(`redis://:${PASSWORD}@127.0.0.1:${proxy.port}`))).toContain(
    `:${proxy.port}`,
  );
});

it('rejects a Redis that is older than 7', async () => {
  const proxy = await proxyTo(server);
  // As many characters as there are, because the reply says their number.
  proxy.rewriteReplies(reply =>
    reply.replace(/(?<=redis_version:)[\d.]+/, version => '6.'.padEnd(version.length, '0')),
  );
  const refusal = await refusalOf(openEngineAt(`redis://:${PASSWORD}@127.0.0.1:${proxy.port}`));
  expect(refusal).toMatch(/is version 6\..*needs Redis 7/);
});

it('warns of a Redis that may evict voters', async () => {
  const evicting = await start(['--maxmemory', '1gb', '--maxmemory-policy', 'volatile-lru']);
  const warnings: string[] = [];
  const engine = await openEngineAt(evicting.url, { onError: ({ message }) => warnings.push(message) });
  expect(warnings).toEqual([expect.stringContaining('volatile-lru')]);
  await engine.close();
});

it('does not repeat an invalid URL', async () => {
  expect(await refusalOf(openEngineAt(`//user:${PASSWORD}@host`))).toContain('redis://');
});

it('leaves no connection open, after closing or a failed opening', async () => {
  const proxy = await proxyTo(server);
  const url = `redis://:${PASSWORD}@127.0.0.1:${proxy.port}`;
  const engine = await openEngineAt(url, { durability: 'replicated' });
  expect(proxy.links).toBe(3);
  await engine.close();
  await engine.close();
  await expectUnavailable(engine.polls.now());
  await refusalOf(openEngineAt(`redis://:wrong@127.0.0.1:${proxy.port}`));
  await until(() => proxy.links === 0, 'the end of every link');
});

it('closes right after a ballot without errors, and moves the expiry of its poll first', async () => {
  const url = `redis://:${PASSWORD}@127.0.0.1:${server.port}`;
  const complaints: Error[] = [];
  for (let round = 0; round < 5; round += 1) {
    const engine = await openEngineAt(url, { retentionDays: 7, onError: error => complaints.push(error) });
    const poll = await openPoll({ engine, other: engine });
    const other = await openEngineAt(url, { onError: error => complaints.push(error) });
    const client = new Redis(url);
    await client.persist(`tallycast:{${poll.poll.id}}:poll-3`);
    await other.castBallot(ballotFor(poll));
    await other.close();
    expect(await client.pttl(`tallycast:{${poll.poll.id}}:poll-3`)).toBeGreaterThan(0);
    client.disconnect();
    await engine.close();
  }
  expect(complaints).toEqual([]);
});

it('finishes commands in progress before it closes', async () => {
  const url = `redis://:${PASSWORD}@127.0.0.1:${server.port}`;
  const engine = await openEngineAt(url);
  const poll = await openPoll({ engine, other: engine });
  const casting = Promise.all(Array.from({ length: 200 }, () => engine.castBallot(ballotFor(poll))));
  await engine.close();
  await casting;
  const witness = await openEngineAt(url);
  expect((await readResults(witness, poll.poll.id)).totalVoters).toBe(200);
  await expectSound(witness, poll.poll.id);
  await witness.close();
});

it('keeps every key of a poll under one hash tag, and every key under the prefix', async () => {
  const url = `redis://:${PASSWORD}@127.0.0.1:${server.port}`;
  const engine = await openEngineAt(url, { redisPrefix: 'elsewhere:' });
  const client = new Redis(url);
  await client.flushall();
  const poll = await openPoll({ engine, other: engine }, { allowComments: true });
  const { id } = poll.poll;
  const proof = { id: 'proof', expiresAtMs: (await engine.polls.now()) + 60_000 };
  await engine.castBallot(ballotFor(poll, { proof }));
  await engine.comments.add(id, { id: 'c', name: 'n', text: 't', writtenAtMs: 1 }, 10);
  await engine.records.put('limits:record', 'text');
  const expected = ['comments', 'poll-3'].map(name => `elsewhere:{${id}}:${name}`);
  const keysOfPolls = async () => (await client.keys('*')).filter(key => key !== 'elsewhere:{events}:due');
  expect((await keysOfPolls()).sort()).toEqual(
    [...expected, 'elsewhere:public-polls', 'elsewhere:record:limits:record', 'elsewhere:retention'].sort(),
  );
  await engine.polls.remove(id);
  await engine.records.remove('limits:record');
  expect(await keysOfPolls()).toEqual([`elsewhere:{${id}}:deleted`]);
  client.disconnect();
  await engine.close();
});
