// @module-tag redis-server
import { readdirSync, readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { describe, expect, it, vi } from 'vitest';
import { commandsUsed } from '../../../src/engine/redis/redis-rights.ts';
import type { PollError } from '../../../src/poll/poll-error.ts';
import { ballotFor, openPoll, outcomeOf } from '../../contract/engine/engine-subject.ts';
import { asLeastUser, leastRights, openEngineAt, redisEngineRig } from './redis-subject.ts';

const { start, openAt, clientOf, relayOn } = redisEngineRig();
const folder = new URL('../../../src/engine/redis/', import.meta.url);
const sources = (path: string, ending: string) =>
  readdirSync(new URL(path, folder))
    .filter(name => name.endsWith(ending))
    .map(name => readFileSync(new URL(path + name, folder), 'utf8'))
    .join('\n');

const setUser = (client: Redis, ...rules: string[]) => client.call('ACL', 'SETUSER', 'least', ...rules);

async function startLeast() {
  const server = await start();
  const admin = clientOf(server);
  return { admin, url: await asLeastUser(server.url, [admin]) };
}

describe('the rights of the Redis user', () => {
  it('cover every command of scripts and of the engine', () => {
    const used = new Set([false, true].flatMap(isCluster => commandsUsed(isCluster)).map(([name]) => name));
    const scripts = [...sources('commands/', '.lua').matchAll(/call\('([A-Z]+)'/g)].map(([, name]) => name);
    const sent = [...sources('./', '.ts').matchAll(/\bclient\.([a-z]+)\(/g)].map(([, name]) =>
      name!.toUpperCase(),
    );
    const others = /^(ON|OFF|ONCE|CONNECT|DISCONNECT|QUIT|CALL|CONFIG|ROLE|SELECT|S?(UN)?SUBSCRIBE|WAIT)$/;
    const missing = [...scripts, ...sent.filter(name => !others.test(name))].filter(
      name => !used.has(name as string),
    );
    expect(new Set(missing)).toEqual(new Set());
  });

  it('are in the documents as they are tested', () => {
    const document = readFileSync(new URL('../../start/README.md', folder), 'utf8');
    expect(document).toContain(leastRights('tallycast:', false));
  });

  it.each([
    ['resetchannels', '&tallycast:*'],
    ['-publish', '+publish'],
    ['-subscribe', '+subscribe'],
    ['-eval', '+eval'],
    ['-hset', '+hset'],
    ['-xadd', '+xadd'],
    ['-info', '+info'],
    ['resetkeys', '~tallycast:*'],
  ])('without %s, a start names the rule to add: %s', async (taken, rule) => {
    const { admin, url } = await startLeast();
    await setUser(admin, taken);
    const words = `lacks rights. Allow them with ACL SETUSER least ${rule}`;
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    await expect(openEngineAt(url)).rejects.toThrow(words);
    await setUser(admin, rule);
    await openAt(url);
    for (const [printed] of warn.mock.calls) expect(printed).toContain('INFO');
    // Nothing is left of the check.
    expect((await admin.keys('*')).filter(key => key.includes('rights'))).toEqual([]);
  });

  it('may be taken from the channels: ballots and changes are answered as stored, health tells, screens follow', async () => {
    const { admin, url } = await startLeast();
    const faults: string[] = [];
    const engine = await openAt(url, { onError: ({ message }) => void faults.push(message) });
    const relay = await relayOn(url, { engine });
    const poll = await openPoll({ engine, other: engine });
    const id = poll.poll.id;
    await engine.hints.follow(id, () => {}).ready;
    await setUser(admin, 'resetchannels');
    expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted');
    expect(await engine.comments.add(id, { id: 'c1', name: '', text: 'Hello', writtenAtMs: 1 }, 10)).toBe(
      true,
    );
    expect(await engine.polls.change(id, { closed: true })).toBe(true);
    await expect
      .poll(() => engine.hints.checkDelivery().catch((error: PollError) => error.message))
      .toContain('channels');
    const ready = await fetch(`${relay.url}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('channels')]);
    expect(faults.filter(fault => fault.includes('lost the right'))).toHaveLength(1);
    const { total_votes, status } = await relay.read(id);
    expect([total_votes, status]).toEqual([1, 'closed']);
    await engine.polls.remove(id);
    await setUser(admin, '&tallycast:*');
    await expect.poll(() => engine.hints.checkDelivery()).toBeUndefined();
  });

  it('may be taken from writing: health tells it', async () => {
    const { admin, url } = await startLeast();
    const engine = await openAt(url);
    await setUser(admin, '-setrange', '-hset');
    expect((await engine.checkHealth()).fault).toContain('may not write any more');
  });
});
