import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { engineWith } from '../../src/engine/engine-with.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { EventClient } from '../support/event-client.ts';
import { LiveClient } from '../support/live-client.ts';
import { clientFrame, RawSocket, upgradeRequest } from '../support/raw-socket.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';

/** The shipped limits, divided. 0 (unlimited) stays 0. */
const FASTER = 50;
const DRIP_EVERY_MS = 50;
const OPCODE_CLOSE = 8;

function hasten(server: Server): void {
  server.headersTimeout /= FASTER;
  server.requestTimeout /= FASTER;
  server.setTimeout(server.timeout / FASTER);
}

describe('slow clients', () => {
  let site: LiveSite;
  const drips: NodeJS.Timeout[] = [];
  const raws: RawSocket[] = [];
  beforeEach(async () => {
    site = await startLiveSite();
    hasten(site.relay.app.server);
    hasten(site.server.server);
  });
  afterEach(async () => {
    for (const drip of drips.splice(0)) clearInterval(drip);
    for (const raw of raws.splice(0)) raw.close();
    await site.close();
  });

  const open = async (url: string) => {
    const raw = await RawSocket.open(url);
    raws.push(raw);
    return raw;
  };

  /** @param head said at once @param drop said again and again */
  const drip = async (url: string, head: string, drop: string) => {
    const raw = await open(url);
    raw.send(head);
    drips.push(setInterval(() => raw.closed || raw.send(drop), DRIP_EVERY_MS));
    return raw;
  };

  it('are disconnected while they send headers or a body, or nothing; subscribers of a quiet poll are not', async () => {
    const { id } = await site.relay.create();
    const live = await LiveClient.open(`${site.relay.wsUrl}/api/poll/${id}/live`);
    const events = await EventClient.open(`${site.relay.url}/api/poll/${id}/live`);
    await live.results(0);
    for (const [url, path] of [
      [site.relay.url, '/api/poll'],
      [site.url, '/new'],
    ] as const) {
      const slow = [
        await drip(url, `POST ${path} HTTP/1.1\r\nHost: a.test\r\n`, 'X-Drip: 1\r\n'),
        await drip(
          url,
          `POST ${path} HTTP/1.1\r\nHost: a.test\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n`,
          ' ',
        ),
        await open(url),
      ];
      await until(() => slow.every(({ closed }) => closed), 'all to be hung up on');
      expect((await fetch(`${url}/livez`)).status).toBe(200);
    }
    expect([live.closed, events.ended]).toEqual([undefined, false]);
    await site.relay.cast(id);
    await live.results(1);
    await until(() => events.text.includes('"total_votes":1'), 'the ballot');
    live.close();
    events.close();
  });

  it('are disconnected when they stop reading a reply', async () => {
    const answers = Array.from({ length: 100 }, (_, index) => `${index} ${'\u{1F600}'.repeat(60)}`);
    const { id } = await site.relay.create({ answers });
    const accepted: Socket[] = [];
    site.relay.app.server.on('connection', socket => accepted.push(socket));
    const raw = await open(site.relay.url);
    raw.stopReading();
    raw.send(`GET /livez HTTP/1.1\r\nHost: a.test\r\n\r\n`);
    await until(() => accepted.length === 1, 'the connection');
    const [socket] = accepted as [Socket];
    while (socket.writableLength === 0 && !socket.destroyed) {
      raw.send(`GET /api/poll/${id} HTTP/1.1\r\nHost: a.test\r\n\r\n`.repeat(20));
      await new Promise(done => setTimeout(done, 10));
    }
    expect(socket.destroyed).toBe(false);
    await until(() => socket.destroyed, 'the connection to be given up');
  });

  it('may pause between two requests', async () => {
    const raw = await open(site.relay.url);
    for (let round = 1; round <= 2; round += 1) {
      raw.send('GET /livez HTTP/1.1\r\nHost: a.test\r\n\r\n');
      await until(() => raw.text.match(/HTTP\/1\.1 200/g)?.length === round, 'the answer');
      const { requestTimeout, timeout } = site.relay.app.server;
      await new Promise(done => setTimeout(done, 2 * (requestTimeout + timeout)));
    }
    expect(raw.closed).toBe(false);
  });
});

it('a message that arrives byte by byte is read completely', async context => {
  const relay = await startTestRelay();
  context.onTestFinished(() => relay.close());
  const raw = await RawSocket.upgrade(relay.url, '/api/live');
  context.onTestFinished(() => raw.close());
  raw.socket.setNoDelay();
  const bytes = clientFrame('x'.repeat(1_000));
  for (let byte = 0; byte < bytes.length; byte += 1) {
    raw.send(bytes.subarray(byte, byte + 1));
    await new Promise(done => setTimeout(done, 1));
  }
  await until(() => raw.frames().some(({ opcode }) => opcode === OPCODE_CLOSE), 'the close');
  const close = raw.frames().find(({ opcode }) => opcode === OPCODE_CLOSE);
  expect(close?.payload.readUInt16BE(0)).toBe(4400);
});

describe('a handler that never replies', () => {
  let inner: TestRelay;
  beforeEach(async () => {
    inner = await startTestRelay();
  });
  afterEach(() => inner.close());
  const never = () => new Promise<never>(() => {});

  it('is aborted: the connection of a read is closed', async context => {
    const { id } = await inner.create();
    const double = new EngineDouble(inner.engine);
    const relay = await startTestRelay({ engine: double.engine });
    context.onTestFinished(() => relay.close());
    hasten(relay.app.server);
    double.held = [];
    for (const path of [`/api/poll/${id}`, `/api/poll/${id}/live`]) {
      const raw = await RawSocket.open(relay.url);
      raw.send(`GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`);
      await until(() => raw.closed, 'the end');
      expect(raw.text).toBe('');
    }
    for (const letGo of double.held) letGo();
  });

  it('is aborted: changes and pages get 503', async context => {
    const engine = engineWith(inner.engine, {
      polls: { create: never, listPublic: never },
      close: async () => {},
    });
    const relay = await startTestRelay({ engine });
    context.onTestFinished(() => relay.close());
    const site = await startLiveSite({ engine });
    context.onTestFinished(() => site.close());
    const [created, page] = await Promise.all([
      fetch(`${relay.url}/api/poll`, {
        method: 'POST',
        body: '{"poll":{"title":"Which song next?","answers":["Waterloo","Volare"]}}',
      }),
      fetch(`${site.url}/`),
    ]);
    expect([created.status, page.status]).toEqual([503, 503]);
    expect(await created.json()).toMatchObject({ error: { code: 'engine_unavailable' } });
    expect(await page.text()).toContain('Voting is unavailable right now');
  });
});

describe('headers', () => {
  let site: LiveSite;
  beforeEach(async () => {
    site = await startLiveSite();
  });
  afterEach(() => site.close());

  const statusWith = async (url: string, path: string, headers: readonly string[]) => {
    const raw = await RawSocket.open(url);
    raw.send([`GET ${path} HTTP/1.1`, 'Host: a.test', 'Connection: close', ...headers, '\r\n'].join('\r\n'));
    await until(() => raw.closed, 'the answer');
    return Number(/^HTTP\/1\.1 (\d+)/.exec(raw.text)?.[1]);
  };
  const many = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: 1`);

  it('of more than 64 lines or 8 KB are rejected on both servers, never truncated', async () => {
    for (const url of [site.relay.url, site.url]) {
      expect(await statusWith(url, '/livez', many(62))).toBe(200);
      expect(await statusWith(url, '/livez', [`X: ${'x'.repeat(7_900)}`])).toBe(200);
      for (const count of [63, 65, 500, 1_100])
        expect(await statusWith(url, '/livez', many(count))).toBe(431);
      expect(await statusWith(url, '/livez', [`X: ${'x'.repeat(8_192)}`])).toBe(431);
      expect(await statusWith(url, '/nowhere', many(500))).toBe(431);
    }
  });

  it('with two hosts are rejected on both servers, even with an upgrade', async () => {
    const { id } = await site.relay.create();
    const upgrade = upgradeRequest('').split('\r\n').slice(2, -2);
    for (const url of [site.relay.url, site.url]) {
      expect(await statusWith(url, '/livez', ['HOST: b.test'])).toBe(400);
      expect(await statusWith(url, '/livez', ['X-Host: b.test'])).toBe(200);
    }
    for (const path of ['/api/live', `/api/poll/${id}/live`])
      expect(await statusWith(site.relay.url, path, ['Host: a.test', ...upgrade])).toBe(400);
  });
});
