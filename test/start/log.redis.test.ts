// @module-tag redis-server
import { describe, expect, it } from 'vitest';
import { LiveClient } from '../support/live-client.ts';
import { redisRig } from '../support/redis-rig.ts';
import { createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { startProgram } from './program.ts';

const rig = redisRig('test');
const REQUESTS = 60;
const CALLER = '203.0.113.77';

describe('the log', () => {
  it('is JSON without a terminal, and shows an outage of Redis', async () => {
    const redis = await rig.start();
    const proxy = await rig.proxyTo(redis);
    const program = await startProgram({ REDIS_URL: proxy.url, TRUST_PROXY: '127.0.0.1' });
    await program.running();
    const { id, view_key } = await createPoll(program.url);
    const live = await LiveClient.open(`${program.url.replace('http', 'ws')}/api/poll/${id}/live`);
    await live.results(0);
    const logs = (msg: string) => until(() => program.lines.some(line => line.msg.startsWith(msg)), msg);

    proxy.refuse(true);
    proxy.cut();
    await logs('engine unavailable');
    const headers = { 'x-request-id': 'proxy-4711', 'x-forwarded-for': CALLER, cookie: 'secret=1' };
    const asked = Array.from({ length: REQUESTS }, () =>
      fetch(`${program.url}/api/poll/${id}?key=${view_key}`, { headers }),
    );
    const replies = await Promise.all(asked);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([503]));
    expect(replies[0]?.headers.get('x-request-id')).toBe('proxy-4711');
    proxy.refuse(false);
    await logs('engine available');
    program.child.kill('SIGTERM');
    expect(await program.ended()).toBe(0);

    const { lines } = program;
    const count = (msg: string) => lines.filter(line => line.msg.startsWith(msg)).length;
    const once = [
      'server listening',
      'shutting down',
      'closing live connections',
      'live connections closed',
      'shut down',
    ];
    expect(once.map(count)).toEqual(once.map(() => 1));
    // A machine that stands still for seconds has more than one outage.
    expect(count('engine unavailable') - count('engine available')).toBeOneOf([0, 1]);
    const find = (msg: string) => lines.find(line => line.msg.startsWith(msg));
    expect(find('engine available')?.['lostForMs']).toBeGreaterThan(0);
    expect(find('shutting down')?.['signal']).toBe('SIGTERM');
    expect(find('live connections closed')).toMatchObject({ connections: 1, terminated: 0 });
    expect(find('request rejected, engine unavailable')).toMatchObject({
      requestId: 'proxy-4711',
      cause: expect.stringMatching(/primary|ECONNREFUSED|closed/),
    });
    const refused = lines
      .filter(line => line.msg === 'rejections')
      .map(
        line => (line['rejected'] as Record<string, number> | undefined)?.['rest engine_unavailable'] ?? 0,
      );
    expect(refused.reduce((sum, more) => sum + more, 0)).toBe(REQUESTS);
    // One line in 10 s for each cause.
    const logged = lines.filter(({ msg }) => msg === 'request rejected, engine unavailable');
    const causes = new Set(logged.map(line => line['cause']));
    expect(causes.size).toBeLessThan(4);
    for (const cause of causes) {
      const times = logged.filter(line => line['cause'] === cause).map(({ time }) => Date.parse(time));
      for (const [at, time] of times.slice(1).entries()) expect(time - times[at]!).toBeGreaterThan(9_900);
    }
    expect(lines.length - logged.length).toBeLessThan(30);
    for (const { level, time, role } of lines) {
      expect(['info', 'warn', 'error']).toContain(level);
      expect(new Date(time).toISOString()).toBe(time);
      expect(role).toBe('all');
    }
    for (const secret of ['"stack"', CALLER, view_key, 'secret=1', 'Create a poll'])
      expect(program.log).not.toContain(secret);
  });

  it('has a line for each request at debug, with its route pattern', async () => {
    const program = await startProgram({ LOG_LEVEL: 'debug' });
    await program.running();
    const { id } = await createPoll(program.url);
    await fetch(`${program.url}/api/poll/${id}?key=secret-key`);
    await fetch(`${program.voteUrl}/${id}`);
    await LiveClient.open(`${program.url.replace('http', 'ws')}/api/poll/${id}/live`);
    const find = (route: string) => program.lines.find(line => line['route'] === route);
    const routes = ['/api/poll', '/api/poll/:id', '/:id(^[0-9A-Za-z]{12}$)', '/api/poll/:id/live'];
    await until(() => routes.every(route => find(route)), 'a line of each request');
    expect(find('/api/poll')).toMatchObject({ level: 'debug', method: 'POST', status: 201 });
    expect(find('/api/poll/:id')).toMatchObject({ method: 'GET', msg: 'request' });
    expect(find('/:id(^[0-9A-Za-z]{12}$)')).toMatchObject({ status: 200 });
    for (const secret of [id, 'secret-key', '127.0.0.1"'])
      expect(JSON.stringify(program.lines.filter(({ level }) => level === 'debug'))).not.toContain(secret);
  });

  it('is text on a terminal, with a welcome', async () => {
    const shell = `echo process $$; exec ${process.execPath} dist/start/main.js`;
    const command = ['script', '-qfec', shell, '/dev/null'];
    const program = await startProgram({ VOTE_PUBLIC_URL: 'https://vote.example' }, { command });
    await program.running();
    await until(() => program.log.includes('Create a poll'), 'the welcome');
    expect(program.log).toMatch(/warning.*: creation open to the public url=https:\/\/vote\.example/);
    expect(program.log).not.toContain('"level"');
    // Not `script`, whose end would close the terminal.
    process.kill(Number(/process (\d+)/.exec(program.log)?.[1]), 'SIGTERM');
    expect(await program.ended()).toBe(0);
  });

  it('replaces a request id that could inject into the log', async () => {
    const redis = await rig.start();
    const proxy = await rig.proxyTo(redis);
    const program = await startProgram({ REDIS_URL: proxy.url, ROLE: 'relay' });
    await program.running();
    proxy.refuse(true);
    proxy.cut();
    const ask = () =>
      fetch(`${program.url}/api/poll/abcdefabcdef`, { headers: { 'x-request-id': '"forged"' } });
    await until(async () => (await ask()).status === 503, 'the loss');
    const id = (await ask()).headers.get('x-request-id');
    expect(id).toMatch(/^[0-9a-f]{12}$/);
    expect(program.log).not.toContain('forged');
  });
});
