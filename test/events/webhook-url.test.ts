import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { postOnce } from '../../src/events/webhook-url.ts';

/** Starts a server that answers each request with `answer`. */
async function startReceiver(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const post = (url: string, signal = new AbortController().signal) =>
  postOnce({ url, headers: {}, body: '{}', allowPrivate: true, signal });
const HEAD = 'HTTP/1.1 200 OK\r\n';

describe('a request to a webhook', () => {
  it('is not sent to a host that has a private address beside a public one', async () => {
    let asked = false;
    const url = await startReceiver(socket => {
      asked = true;
      socket.end(`${HEAD}\r\n`);
    });
    const addresses = ['8.8.8.8', '127.0.0.1'].map(address => ({ address, family: 4 }));
    const answer = (...[, , done]: unknown[]) =>
      (done as (error: null, found: typeof addresses) => void)(null, addresses);
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation(answer as never);
    onTestFinished(() => {
      lookup.mockRestore();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    const named = url.replace('127.0.0.1', 'webhook.example');
    const signal = new AbortController().signal;
    await expect(
      postOnce({ url: named, headers: {}, body: '', allowPrivate: false, signal }),
    ).rejects.toThrow('the address is private');
    expect([lookup.mock.calls.length, asked]).toEqual([1, false]);
  });

  it.each<[string, (socket: Socket) => void]>([
    [
      '101 with an upgrade',
      socket => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    ],
    ['an early hint alone', socket => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n')],
    ['no byte', socket => socket.end()],
    ['a reset', socket => socket.resetAndDestroy()],
    ['half a head', socket => socket.end('HTTP/1.1 200')],
    ['no HTTP', socket => socket.end('220 mail.example ESMTP\r\n')],
  ])('that is answered with %s fails', async (_, answer) => {
    await expect(post(await startReceiver(answer))).rejects.toThrow();
  });

  it.each<[string, (socket: Socket) => void]>([
    ['nothing', socket => socket.end(`${HEAD}\r\n`)],
    ['less than its length', socket => socket.end(`${HEAD}Content-Length: 9\r\n\r\nshort`)],
    ['a body without an end', socket => socket.write(`${HEAD}\r\n${'x'.repeat(100_000)}`)],
  ])('has the status of a reply with %s', async (_, answer) => {
    expect(await post(await startReceiver(answer))).toBe(200);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['hangs', () => {}],
    ['drips its head', socket => void setInterval(() => socket.write('H'), 10).unref()],
    [
      'sends early hints without an end',
      socket => void setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 10).unref(),
    ],
  ])('settles once it is aborted, though its receiver %s', async (_, answer) => {
    const ending = new AbortController();
    const url = await startReceiver(socket => {
      answer(socket);
      setImmediate(() => ending.abort());
    });
    await expect(post(url, ending.signal)).rejects.toThrow('aborted');
  });
});
