import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { limitConnections } from '../../src/http/server-limits.ts';
import { droppedConnections } from '../../src/metrics/catalogue.ts';
import { startProgram } from '../start/program.ts';
import { LiveClient } from '../support/live-client.ts';
import { RawSocket, upgradeRequest } from '../support/raw-socket.ts';
import { createPoll, startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

const GET = 'GET /livez HTTP/1.1\r\nHost: a.test\r\n\r\n';
/** Loopback addresses that no other test uses. */
const OTHER = '127.0.0.2';

/** Connections of one address that send these bytes and never hang up by themselves. */
async function hold(url: string, count: number, bytes: string, localAddress?: string): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: count }, () => {
    const socket = connect({ port: Number(port), host: hostname, ...(localAddress && { localAddress }) });
    return socket.on('error', () => {}).resume();
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) {
    if (socket.connecting) await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    socket.write(bytes);
  }
  return sockets;
}

/** @returns the status of an answer to this address */
function ask(url: string, localAddress: string): Promise<number> {
  return new Promise((done, fail) => {
    const asked = request(`${url}/livez`, { localAddress, agent: false }, response => {
      response.resume();
      done(response.statusCode ?? 0);
    });
    asked.on('error', fail).end();
  });
}

async function limitedRelay(maxConnections: number, proxies: readonly string[] = []): Promise<TestRelay> {
  const relay = await startTestRelay();
  onTestFinished(() => relay.close());
  limitConnections(relay.app.server, maxConnections, proxies);
  return relay;
}

const droppedOf = (reason: string) => droppedConnections.of({ reason } as { reason: string }).value;
const isOpen = (socket: Socket) => !socket.destroyed && socket.readyState === 'open';

describe('a program whose descriptors one address could use up', () => {
  it.each([
    ['silent', 2_048, ''],
    ['kept alive', 512, GET],
    ['half a request', 512, GET.slice(0, -2)],
  ])(
    'answers other addresses on both servers while one address holds %s connections, as many as its %i descriptors',
    async (_, openFiles, bytes) => {
      const program = await startProgram({}, { openFiles });
      await program.running();
      for (const url of [program.url, program.voteUrl]) {
        await hold(url, openFiles, bytes);
        expect(await ask(url, OTHER)).toBe(200);
        expect(await ask(url, '127.0.0.1')).toBe(200);
      }
      await until(() => /"dropped":\{"idle":\d{2,}/.test(program.log), 'the line that says so');
      // One line in ten seconds, however many connections are dropped.
      expect(program.log.match(/"dropped"/g)!.length).toBeLessThan(20);
    },
  );
});

describe('a server that is nearly full', () => {
  it('closes the idle connection that was used least recently, and leaves live ones alone', async () => {
    const relay = await limitedRelay(40);
    const { id } = await relay.create();
    const path = `/api/poll/${id}/live`;
    const before = droppedOf('idle');
    const live = await Promise.all(Array.from({ length: 12 }, () => RawSocket.upgrade(relay.url, path)));
    const [stream] = await hold(relay.url, 1, `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`);
    const [used] = (await hold(relay.url, 1, GET)) as [Socket];
    const idle = await hold(relay.url, 20, GET);
    await until(() => [used, ...idle].every(({ bytesRead }) => bytesRead > 0), 'all answers');
    used.write(GET);
    const answered = used.bytesRead;
    await until(() => used.bytesRead > answered, 'its second answer');
    await hold(relay.url, 12, '');
    await until(() => droppedOf('idle') - before >= 10, 'those that had to go');
    expect(isOpen(used)).toBe(true);
    expect(isOpen(stream as Socket)).toBe(true);
    expect(live.some(({ closed }) => closed)).toBe(false);
    for (const raw of live) raw.close();
  });

  it('denies the last connections to an address whose requests hold all others', async () => {
    const relay = await limitedRelay(100);
    let underWay = 0;
    relay.app.server.on('request', () => {
      underWay += 1;
    });
    const unfinished = 'POST /api/poll HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\n{';
    for (let busy = 1; busy <= 97; busy += 1) {
      await hold(relay.url, 1, unfinished);
      await until(() => underWay === busy, 'its request');
    }
    const before = droppedOf('address');
    await hold(relay.url, 20, unfinished);
    await until(() => droppedOf('address') - before === 20, 'the end of the others');
    expect(await ask(relay.url, OTHER)).toBe(200);
  });

  it('closes idle connections of an address beyond its share first', async () => {
    const relay = await limitedRelay(100);
    const others = await hold(relay.url, 10, GET, OTHER);
    await until(() => others.every(({ bytesRead }) => bytesRead > 0), 'their answers');
    await hold(relay.url, 500, GET);
    expect(others.every(isOpen)).toBe(true);
    expect(await ask(relay.url, OTHER)).toBe(200);
  });

  it('applies no share to a trusted proxy, and closes no connection of it', async () => {
    const relay = await limitedRelay(40, ['127.0.0.1']);
    const proxy = await hold(relay.url, 38, GET);
    await until(() => proxy.every(({ bytesRead }) => bytesRead > 0), 'its answers');
    expect(await ask(relay.url, OTHER)).toBe(200);
    expect(proxy.every(isOpen)).toBe(true);
    // More than there are, a proxy gets no more than anybody else.
    const before = droppedOf('full');
    await hold(relay.url, 10, GET);
    await until(() => droppedOf('full') > before, 'the end of those beyond the bound');
  });
});

it('an address keeps its live connections, however many of its other connections are idle', async () => {
  const relay = await limitedRelay(60);
  const { id } = await createPoll(relay.url);
  const phones = await Promise.all(
    Array.from({ length: 40 }, () => LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live`)),
  );
  await hold(relay.url, 200, GET);
  await relay.cast(id);
  await Promise.all(phones.map(phone => phone.results(1)));
  for (const phone of phones) phone.close();
  const raw = await RawSocket.open(relay.url);
  raw.send(upgradeRequest(`/api/poll/${id}/live`));
  await until(() => raw.text.startsWith('HTTP/1.1 101'), 'one more phone');
  raw.close();
});
