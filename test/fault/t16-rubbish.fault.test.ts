// @module-tag redis-server
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Program, startProgram } from '../start/program.ts';
import { LiveClient } from '../support/live-client.ts';
import { clientFrame, RawSocket } from '../support/raw-socket.ts';
import { redisRig } from '../support/redis-rig.ts';
import { createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { measured, seed, size } from './plan.ts';

const BODIES = size(1_000, 10_000);
const SEQUENCES = size(1_000, 10_000);
const REQUESTS = size(1_000, 10_000);
const AT_ONCE = 20;
/** Long enough for an answer to a whole request; to half of one the relay owes none yet. */
const ANSWER_MS = 300;

const rig = redisRig();

/** The relay as it runs, and a neighbour that must not be affected. */
describe('T16 to T18 rubbish', () => {
  let relay: Program;
  let id: string;
  let neighbour: LiveClient;
  let descriptors: number;
  const prepare = async () => {
    const redis = await rig.start();
    relay = await startRelay(redis.url);
    ({ id } = await createPoll(relay.url));
    neighbour = await LiveClient.open(`${relay.url.replace('http', 'ws')}/api/poll/${id}/live`);
    rig.closeAfter(() => neighbour.close());
    await neighbour.results(0);
    await fetch(`${relay.url}/livez`).then(response => response.text());
    descriptors = openFiles(relay);
  };

  async function expectWell(): Promise<void> {
    expect(relay.child.exitCode).toBeNull();
    expect(neighbour.closed).toBeUndefined();
    expect((await fetch(`${relay.url}/api/poll/${id}`)).status).toBe(200);
    // One or two that this process keeps open for its next request.
    await until(() => openFiles(relay) <= descriptors + AT_ONCE, 'every descriptor to be given back', 30_000);
  }

  it('T18: bodies of any kind are created or refused, and never a fault', async () => {
    await prepare();
    const statuses = new Map<number, number>();
    const good = { title: 'Which?', answers: ['a', 'b'] };
    const names = [
      'title',
      'answers',
      'deadline',
      'image',
      'ma',
      'results_visibility',
      'closes_in',
      '__proto__',
      'poll',
    ];
    const nearly = fc
      .dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 4 }))
      .map(fields => JSON.stringify({ poll: { ...good, ...fields } }));
    const broken = fc
      .tuple(nearly, fc.nat(), fc.string({ unit: 'binary', maxLength: 5 }))
      .map(
        ([text, at, inserted]) => text.slice(0, at % text.length) + inserted + text.slice(at % text.length),
      );
    const special = fc.constantFrom(
      '['.repeat(10_000),
      '{"poll":'.repeat(1_000),
      '{"poll":{"title":1e400}}',
      '{"poll":{},"poll":{}}',
      '\u0000',
      '',
    );
    const body = fc.oneof(nearly, broken, special, fc.string({ unit: 'binary', maxLength: 300 }));
    const type = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('application/json', 'text/plain') },
      {
        weight: 1,
        arbitrary: fc.constantFrom('application/json\t; x', 'multipart/form-data', 'application/xml'),
      },
    );
    await inBatches(
      fc.sample(fc.tuple(body, type), { numRuns: BODIES, seed }),
      async ([sent, contentType]) => {
        const headers = { 'content-type': contentType };
        const response = await fetch(`${relay.url}/api/poll`, { method: 'POST', body: sent, headers });
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        const answer = await response.text();
        if (response.status >= 400) expect(answer.length).toBeLessThan(4_096);
        expect(answer).not.toMatch(/node_modules|\.ts:\d|at async/);
      },
    );
    measured(
      'T18',
      `${BODIES} bodies: ${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}`,
    );
    expect([...statuses.keys()].filter(status => status >= 500)).toEqual([]);
    await expectWell();
  });

  it('T16: frames of any kind end the connection that sent them, and no other', async () => {
    await prepare();
    const payload = fc.uint8Array({ maxLength: 200 });
    const frame = fc.oneof(
      fc.tuple(payload, fc.nat(255)).map(([bytes, first]) => clientFrame(bytes, first)),
      payload.map(bytes => Buffer.from(bytes)),
      fc
        .constantFrom('subscribe', 'unsubscribe', '__proto__')
        .map(type => clientFrame(JSON.stringify({ type, id: {} }))),
      // A length of 2^63, and a control frame that is too long.
      fc.constant(Buffer.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4])),
      fc.constant(clientFrame('x'.repeat(126), 0x89)),
    );
    const paths = ['/api/live', `/api/poll/${id}/live`];
    const sequences = fc.sample(
      fc.tuple(fc.constantFrom(...paths), fc.array(frame, { minLength: 1, maxLength: 12 })),
      {
        numRuns: SEQUENCES,
        seed,
      },
    );
    await inBatches(sequences, async ([path, frames]) => {
      const raw = await RawSocket.upgrade(relay.url, path);
      for (const bytes of frames) raw.send(bytes);
      await new Promise(done => setTimeout(done, 5));
      raw.reset();
    });
    await expectWell();
    measured(
      'T16',
      `${SEQUENCES} sequences of frames: alive, the neighbour unaffected, ${openFiles(relay) - descriptors} descriptors more than before`,
    );
  });

  it('T17: requests and upgrades of any kind are answered below 500, or not at all', async () => {
    await prepare();
    const text = fc.string({ unit: 'binary-ascii', maxLength: 60 });
    const line = fc.oneof(
      fc.tuple(text, text).map(([name, value]) => `${name}: ${value}`),
      fc.constantFrom(
        'Upgrade: websocket',
        'Connection: Upgrade',
        'Sec-WebSocket-Version: 99',
        'Transfer-Encoding: chunked',
      ),
      fc.constantFrom(
        'Content-Length: -1',
        'Content-Length: 5',
        `X-Long: ${'x'.repeat(20_000)}`,
        'Host: a\r\nHost: b',
      ),
    );
    const target = fc.oneof(
      text.map(rest => `/${rest}`),
      fc.constantFrom(
        `/api/poll/${id}/live`,
        '/api/poll/%00',
        '/api/poll/%',
        `/api/poll/${'x'.repeat(5_000)}`,
        '//',
        '/../etc/passwd',
        '*',
      ),
    );
    const method = fc.constantFrom('GET', 'POST', 'PUT', 'OPTIONS', 'HEAD', 'TRACE', 'get', 'CONNECT', '');
    const request = fc
      .tuple(method, target, fc.array(line, { maxLength: 6 }), text)
      .map(([verb, path, lines, rest]) =>
        [`${verb} ${path} HTTP/1.1`, 'Host: relay.test', ...lines, '', rest].join('\r\n'),
      );
    const faults: string[] = [];
    await inBatches(fc.sample(request, { numRuns: REQUESTS, seed }), async sent => {
      const raw = await RawSocket.open(relay.url);
      raw.send(Buffer.from(sent, 'latin1'));
      await until(() => raw.closed || raw.text.includes('\r\n\r\n'), 'an answer', ANSWER_MS).catch(() => {});
      if (/^HTTP\/1\.1 5/.test(raw.text)) faults.push(`${sent.slice(0, 200)} → ${raw.text.slice(0, 100)}`);
      raw.reset();
    });
    await expectWell();
    measured('T17', `${REQUESTS} requests of rubbish: ${faults.length} × 5xx, alive, descriptors back`);
    expect(faults).toEqual([]);
  });
});

async function startRelay(redisUrl: string): Promise<Program> {
  const program = await startProgram({
    ROLE: 'relay',
    REDIS_URL: redisUrl,
    MAX_CONNECTIONS_PER_ADDRESS: '100000',
    CREATE_PER_MINUTE: '1000000',
    CREATE_BYTES_PER_DAY: '1000000000',
  });
  await program.running();
  return program;
}

async function inBatches<T>(values: readonly T[], act: (value: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < values.length; start += AT_ONCE)
    await Promise.all(values.slice(start, start + AT_ONCE).map(act));
}

function openFiles({ child }: Program): number {
  return readdirSync(`/proc/${child.pid}/fd`).length;
}
