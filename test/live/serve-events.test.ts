import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawSocket } from '../support/raw-socket.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

const LIMIT = 1_000;
const BURST = 1_500;
const AT_A_TIME = 100;
/** Pipelined requests that do not close the connection. */
const AHEAD = 100;

let relay: TestRelay;
let request: string;
const sockets: RawSocket[] = [];
beforeEach(async () => {
  relay = await startTestRelay({ maxConnectionsPerAddress: LIMIT });
  const { id } = await relay.create();
  request = `GET /api/poll/${id}/live HTTP/1.1\r\nHost: relay.test\r\n\r\n`;
});
afterEach(async () => {
  for (const raw of sockets.splice(0)) raw.close();
  await relay.close();
});

async function open(): Promise<RawSocket> {
  const raw = await RawSocket.open(relay.url);
  sockets.push(raw);
  return raw;
}

function connections(): Promise<number> {
  return new Promise(done => relay.app.server.getConnections((_, count) => done(count)));
}

const statusOf = (raw: RawSocket) => Number(/^HTTP\/1\.1 (\d+)/.exec(raw.text)?.[1]);

it('disables buffering of proxies', async () => {
  const raw = await open();
  raw.send(request);
  await until(() => raw.text.includes('data:'), 'the first event');
  expect(raw.text).toMatch(/\r\nx-accel-buffering: no\r\n/i);
});

describe('event streams of one address', () => {
  it('are limited to a thousand in a burst of fifteen hundred', async () => {
    // A connection without a request would be closed on a machine that takes long to open all of them.
    const ask = async () => (await open()).send(request);
    for (let opened = 0; opened < BURST; opened += AT_A_TIME)
      await Promise.all(Array.from({ length: AT_A_TIME }, ask));
    await until(() => sockets.every(raw => raw.text.includes('\r\n\r\n')), 'every answer');
    const taken = sockets.filter(raw => statusOf(raw) === 200);
    expect([taken.length, sockets.filter(raw => statusOf(raw) === 429).length]).toEqual([
      LIMIT,
      BURST - LIMIT,
    ]);
  });

  it('open once for a connection that pipelines requests, and close with it', async () => {
    const quiet = await connections();
    const ahead = await open();
    ahead.send(request.repeat(AHEAD));
    await until(() => ahead.text.includes('data: '), 'the first stream');
    const others = await Promise.all(Array.from({ length: 10 }, open));
    for (const raw of others) raw.send(request);
    await until(() => others.every(raw => raw.text.includes('data: ')), 'streams beside it');
    expect(ahead.text.match(/^HTTP/gm)).toHaveLength(1);
    for (const raw of sockets) raw.close();
    await until(async () => (await connections()) <= quiet, 'the end of all of them');
    const again = await Promise.all(Array.from({ length: LIMIT }, open));
    for (const raw of again) raw.send(request);
    await until(() => again.every(raw => raw.text.includes('\r\n\r\n')), 'every answer');
    expect(again.filter(raw => statusOf(raw) !== 200)).toHaveLength(0);
  });
});
