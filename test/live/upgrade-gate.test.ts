import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upgrades } from '../../src/metrics/catalogue.ts';
import { logLines } from '../support/log-lines.ts';
import { RawSocket, upgradeRequest } from '../support/raw-socket.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

const SOCKETS = 100;
const RESETS = 2_000;
const BODY = JSON.stringify({ poll: { title: 'Which song next?', answers: ['Waterloo', 'Volare'] } });

function request(method: string, path: string, headers: readonly string[] = [], body = ''): string {
  const length = body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`];
  return `${[`${method} ${path} HTTP/1.1`, 'Host: relay.test', ...headers, ...length].join('\r\n')}\r\n\r\n${body}`;
}

/** Clients that never hang up by themselves. */
function openSockets(url: string, count: number, bytes: string): Socket[] {
  const { port, hostname } = new URL(url);
  return Array.from({ length: count }, () => {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    socket.on('error', () => {}).on('data', () => {});
    socket.write(bytes);
    return socket;
  });
}

describe.concurrent('an upgrade that is refused leaves no descriptor behind', () => {
  const refused = (id: string): Record<string, string> => ({
    'an invalid address': upgradeRequest('/api/poll/%ZZ/live'),
    'a parameter of 150 characters': upgradeRequest(`/api/poll/${'x'.repeat(150)}/live`),
    'a request before it that is not answered yet': `${request('GET', `/api/poll/${id}`)}${upgradeRequest(`/api/poll/${id}/live`)}`,
    'a stream before it': `${request('GET', `/api/poll/${id}/live`)}${upgradeRequest('/api/live')}`,
    'an invalid handshake': upgradeRequest('/api/live').replace(/Key: .*/, 'Key: short'),
    'an unknown path': upgradeRequest('/nowhere'),
    'a path without a WebSocket': upgradeRequest('/overlay'),
    'what is no HTTP at all': 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
  });

  it.for(Object.keys(refused('')))('%s', async (kind, context) => {
    const relay = await startTestRelay();
    context.onTestFinished(() => relay.close());
    const { id } = await relay.create();
    const accepted = new Set<Socket>();
    relay.app.server.on('connection', socket => {
      accepted.add(socket);
      socket.on('close', () => accepted.delete(socket));
    });
    const sockets = openSockets(relay.url, SOCKETS, refused(id)[kind] as string);
    context.onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    await until(() => accepted.size === SOCKETS || sockets.some(socket => socket.bytesRead > 0), 'the first');
    await until(() => sockets.every(({ connecting }) => !connecting), 'all connections');
    // 3 s on an idle machine; the bound is for a busy one, and without an owner they stay for ever.
    await until(() => accepted.size === 0, 'every descriptor');
  });
});

describe('upgrades that are reset at once', () => {
  it('are dropped without a line in the log, and none counts as accepted', async () => {
    const { logger, lines } = logLines();
    const relay = await startTestRelay({ logger });
    const { id } = await relay.create();
    let asked = 0;
    relay.app.server.on('upgrade', () => {
      asked += 1;
    });
    const accepted = upgrades.of({ outcome: 'accepted' }).value;
    const { port, hostname } = new URL(relay.url);
    let left = 0;
    for (let count = 0; count < RESETS; count += 1) {
      const socket = connect(Number(port), hostname, () => {
        socket.write(upgradeRequest(`/api/poll/${id}/live`), () => socket.resetAndDestroy());
      });
      socket
        .on('error', () => {})
        .on('close', () => {
          left += 1;
        });
    }
    await until(() => left === RESETS, 'all resets');
    await (await RawSocket.upgrade(relay.url, `/api/poll/${id}/live`)).close();
    expect(asked).toBeGreaterThan(1);
    expect(upgrades.of({ outcome: 'accepted' }).value - accepted).toBeLessThan(asked);
    expect(lines.length).toBeLessThanOrEqual(2);
    await relay.close();
  });
});

describe('an upgrade to anything but a WebSocket', () => {
  let relay: TestRelay;
  let id: string;
  beforeAll(async () => {
    relay = await startTestRelay();
    ({ id } = await relay.create());
  });
  afterAll(() => relay.close());

  const H2C = [
    'Connection: Upgrade, HTTP2-Settings',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA',
  ];

  it('is passed over: the request is served by HTTP/1.1, its body included, and so is the next on the connection', async () => {
    const raw = await RawSocket.open(relay.url);
    const answers = () => raw.text.match(/HTTP\/1\.1 \d+/g) ?? [];
    const requests = [
      request('GET', `/api/poll/${id}`, H2C),
      request('POST', '/api/poll', H2C, BODY),
      request('PUT', '/api/poll', H2C, BODY),
      request('GET', `/api/poll/${id}`),
    ];
    for (const [index, each] of requests.entries()) {
      raw.send(each);
      await until(() => answers().length > index, `answer ${index + 1}`);
    }
    expect(answers()).toEqual([200, 201, 405, 200].map(status => `HTTP/1.1 ${status}`));
    raw.close();
  });

  it('reads a body that arrives in pieces, long after its headers', async () => {
    const raw = await RawSocket.open(relay.url);
    const [head, body] = request('POST', '/api/poll', H2C, BODY).split('\r\n\r\n') as [string, string];
    raw.send(`${head}\r\n\r\n`);
    for (const piece of [body.slice(0, 10), body.slice(10)]) {
      await new Promise(done => setTimeout(done, 20));
      raw.send(piece);
    }
    await until(() => raw.text.includes('HTTP/1.1'), 'the answer');
    expect(raw.text).toMatch(/^HTTP\/1\.1 201 /);
    raw.close();
  });

  it('is what a handshake with a body is, or by another method', async () => {
    const withBody = upgradeRequest('/api/live', ['Content-Length: 4']);
    for (const bytes of [`${withBody}body`, upgradeRequest('/api/live').replace('GET', 'POST')]) {
      const raw = await RawSocket.open(relay.url);
      raw.send(bytes);
      await until(() => raw.text.includes('HTTP/1.1'), 'the answer');
      expect(raw.text).toMatch(/^HTTP\/1\.1 40[05] /);
      raw.close();
    }
  });
});

it('an upgrade by HTTP/1.0 is refused', async () => {
  const relay = await startTestRelay();
  const { id } = await relay.create();
  for (const path of ['/api/live', `/api/poll/${id}/live`]) {
    const raw = await RawSocket.open(relay.url);
    raw.send(upgradeRequest(path).replace('HTTP/1.1', 'HTTP/1.0'));
    await until(() => raw.text.includes('HTTP/1.1'), 'the answer');
    expect(raw.text).toMatch(/^HTTP\/1\.1 400 /);
    raw.close();
  }
  await relay.close();
});

describe('an upgrade while the relay drains', () => {
  it('does not keep the relay from ending', async () => {
    const relay = await startTestRelay();
    const { id } = await relay.create();
    let connections = 0;
    relay.app.server.on('connection', () => {
      connections += 1;
    });
    const slow = await RawSocket.upgrade(relay.url, `/api/poll/${id}/live`);
    slow.stopReading();
    const late = await Promise.all(Array.from({ length: 3 }, () => RawSocket.open(relay.url)));
    await until(() => connections === 4, 'all of them');
    const closed = relay.close();
    for (const path of [`/api/poll/${id}/live`, '/api/poll/%ZZ/live', '/nowhere'])
      late.pop()?.send(upgradeRequest(path));
    await closed;
    slow.close();
  });
});

describe('a relay that is full', () => {
  it('rejects upgrades with 503 and serves reads, until a connection closes', async () => {
    const relay = await startTestRelay();
    const { id } = await relay.create();
    const path = `/api/poll/${id}/live`;
    // 38 of them may be live.
    relay.app.server.maxConnections = 40;
    const live = await Promise.all(Array.from({ length: 38 }, () => RawSocket.upgrade(relay.url, path)));
    for (const refused of [path, '/nowhere', '/api/poll/%ZZ/live']) {
      const raw = await RawSocket.open(relay.url);
      raw.send(upgradeRequest(refused));
      await until(() => raw.closed, 'the end');
      expect(raw.text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n[\s\S]*\r\nRetry-After: 1\r\n/);
      expect(JSON.parse(raw.text.slice(raw.text.indexOf('\r\n\r\n')))).toEqual({
        success: 0,
        error: { code: 'engine_unavailable', message: 'This server is full. Try again in a moment.' },
      });
    }
    const read = (suffix: string) =>
      fetch(`${relay.url}/api/poll/${id}${suffix}`, { headers: { connection: 'close' } });
    expect((await read('')).status).toBe(200);
    const stream = await read('/live');
    expect([stream.status, stream.headers.get('retry-after')]).toEqual([503, '1']);

    live.pop()?.close();
    await until(async () => {
      const raw = await RawSocket.open(relay.url);
      raw.send(upgradeRequest(path));
      await until(() => raw.text.includes('\r\n\r\n'), 'an answer');
      live.push(raw);
      return raw.text.startsWith('HTTP/1.1 101');
    }, 'room');
    for (const raw of live) raw.close();
    await relay.close();
  });
});
