// @module-tag redis-server
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { redisRig } from '../support/redis-rig.ts';
import { createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { solveForm } from '../voting/visitor.ts';
import { startProgram } from './program.ts';

const VOTERS = 12;
const rig = redisRig('test');

interface Answer {
  readonly status: number;
  readonly cookies: string[];
  readonly worker: string;
  readonly text: string;
}

/** On a connection of its own, which goes to the worker whose turn it is. */
function ask(
  url: string,
  method: 'GET' | 'POST',
  headers: Record<string, string>,
  body = '',
): Promise<Answer> {
  return new Promise((done, fail) => {
    const sent = request(url, { method, headers, agent: false }, reply => {
      let text = '';
      reply.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      reply.on('end', () =>
        done({
          status: reply.statusCode ?? 0,
          cookies: (reply.headers['set-cookie'] ?? []).map(cookie => cookie.split(';')[0] as string),
          worker: String(reply.headers['x-worker']),
          text,
        }),
      );
    });
    sent.on('error', fail);
    // A request that was passed to a dying worker gets no reply.
    sent.setTimeout(10_000, () => sent.destroy());
    sent.end(body);
  });
}

/** The reply names its worker. */
const preload = `import { ServerResponse } from 'node:http';
  const write = ServerResponse.prototype.writeHead;
  ServerResponse.prototype.writeHead = function (...all) {
    this.setHeader('x-worker', process.pid);
    return write.apply(this, all);
  };`;

describe('voting workers', { timeout: 150_000 }, () => {
  it('share voters: cookies, forms and checks of one are valid at the other, and a ballot counts once', async () => {
    const { url: redisUrl } = await rig.start();
    const program = await startProgram(
      { WORKERS: '2', ROLE: 'all', REDIS_URL: redisUrl, PROOF_COST: '1', TRUST_PROXY: '127.0.0.1' },
      { preload },
    );
    await program.running();
    const { id } = await createPoll(program.url, { mip: true });
    const engine = await openEngine({ redisUrl });
    rig.closeAfter(() => engine.close());
    const answer = (await engine.polls.find(id))?.poll.answers[0]?.id as string;
    const page = `${program.voteUrl}/${id}`;
    const workers = new Set<string>();
    const journeys: string[] = [];
    for (let n = 0; n < VOTERS; n += 1) {
      const from = { 'x-forwarded-for': `198.51.100.${n}` };
      const opened = await ask(page, 'GET', { ...from, accept: 'text/html' });
      const form = (await solveForm(opened.text)) as Record<string, string>;
      const headers = {
        ...from,
        accept: 'application/json',
        origin: program.voteUrl,
        'content-type': 'application/x-www-form-urlencoded',
        cookie: opened.cookies.join('; '),
      };
      const body = new URLSearchParams({ ...form, answer }).toString();
      const sent = [await ask(`${page}/ballot`, 'POST', headers, body)];
      sent.push(await ask(`${page}/ballot`, 'POST', headers, body));
      expect([opened, ...sent].map(({ status }) => status)).toEqual([200, 200, 200]);
      for (const { worker } of [opened, ...sent]) workers.add(worker);
      journeys.push([opened, ...sent].map(({ worker }) => worker).join(' '));
    }
    expect(workers.size).toBe(2);
    expect(journeys.some(journey => new Set(journey.split(' ')).size === 2)).toBe(true);
    const { results } = (await engine.polls.find(id))!;
    expect([results.totalVoters, results.votes[0]]).toEqual([VOTERS, VOTERS]);
    process.kill(Number([...workers][0]), 'SIGKILL');
    await until(
      async () => (await ask(page, 'GET', {}).catch(() => undefined))?.status === 200,
      'the others',
    );
    process.kill(program.child.pid as number, 'SIGTERM');
    await program.ended();
  });

  it('are rejected on the embedded engine', async () => {
    const program = await startProgram({ WORKERS: '2', ROLE: 'all' });
    expect(await program.ended()).toBe(2);
    expect(program.log).toContain(
      'WORKERS above 1 needs REDIS_URL, because the embedded engine runs in one process',
    );
  });
});
