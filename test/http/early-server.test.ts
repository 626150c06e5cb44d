import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EarlyServer } from '../../src/http/early-server.ts';
import { upgradeOptions } from '../../src/live/upgrade-request.ts';
import { RawSocket, upgradeRequest } from '../support/raw-socket.ts';
import { startTestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

const LIVEZ = 'GET /livez HTTP/1.1\r\nHost: relay.test\r\n\r\n';

async function openEarly(patienceMs?: number) {
  const server = new EarlyServer(upgradeOptions()).on('upgrade', () => {});
  await server.open({ host: '127.0.0.1', port: 0 }, patienceMs);
  onTestFinished(() => void server.close());
  const held: string[] = [];
  // What Node tells a server of is held, and seen only here.
  const { emit } = server;
  server.emit = (event: string, ...args: never[]) => {
    if (event === 'request' || event === 'upgrade') held.push(event);
    return emit.call(server, event, ...args);
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, held, url };
}

describe('a server that listens before its program is there', () => {
  it('answers whoever has come meanwhile, in the order of one connection, and who comes later', async () => {
    const { server, held, url } = await openEarly();
    const reader = await RawSocket.open(url);
    reader.send(LIVEZ + LIVEZ.replace('/livez', '/nowhere'));
    const watcher = await RawSocket.open(url);
    watcher.send(upgradeRequest('/api/live'));
    await until(() => held.length === 3, 'all to have arrived');
    expect(reader.text + watcher.text).toBe('');
    const relay = await startTestRelay({ early: server });
    onTestFinished(() => relay.close());
    await until(() => reader.text.includes('404') && watcher.text.includes('101'), 'the answers');
    expect(reader.text.indexOf('200 OK')).toBeLessThan(reader.text.indexOf('404'));
    expect((await fetch(`${url}/livez`)).status).toBe(200);
  });

  it('forgets who has hung up while waiting, and bears that', async () => {
    const { server, held, url } = await openEarly();
    for (const bytes of [LIVEZ, upgradeRequest('/api/live')]) {
      const impatient = await RawSocket.open(url);
      impatient.send(bytes);
      await until(() => held.length > 0, 'it to have arrived');
      held.length = 0;
      impatient.reset();
    }
    const connections = promisify(server.getConnections.bind(server));
    await until(async () => (await connections()) === 0, 'both to have gone');
    const relay = await startTestRelay({ early: server });
    onTestFinished(() => relay.close());
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect(held).toEqual(['request']);
  });

  it('turns away whoever waits, and who comes then, where the program takes too long', async () => {
    const { server, url } = await openEarly(100);
    const waiting = await RawSocket.open(url);
    waiting.send(LIVEZ + LIVEZ);
    await until(() => waiting.closed, 'the end of its patience');
    const late = await RawSocket.open(url);
    late.send(upgradeRequest('/api/live'));
    await until(() => late.closed, 'the refusal');
    for (const { text } of [waiting, late]) {
      expect(text).toMatch(/^HTTP\/1.1 503 .*Retry-After: 1\r\n.*This server is starting/s);
      expect(text.match(/HTTP\/1.1/g)).toHaveLength(1);
    }
    const relay = await startTestRelay({ early: server });
    onTestFinished(() => relay.close());
    expect((await fetch(`${url}/livez`)).status).toBe(200);
  });

  it('says so where somebody listens there already', async () => {
    const { server } = await openEarly();
    const { port } = server.address() as AddressInfo;
    await expect(new EarlyServer().open({ host: '127.0.0.1', port })).rejects.toThrow(/EADDRINUSE/);
  });

  it('has the limits that every server has', async () => {
    const { server } = await openEarly();
    const relay = await startTestRelay();
    onTestFinished(() => relay.close());
    const limits = ({
      requestTimeout,
      keepAliveTimeout,
      headersTimeout,
      timeout,
      maxHeadersCount,
    }: EarlyServer) => [requestTimeout, keepAliveTimeout, headersTimeout, timeout, maxHeadersCount];
    expect(limits(server)).toEqual(limits(relay.app.server as EarlyServer));
  });
});
