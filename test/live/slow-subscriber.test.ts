import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EngineDouble } from '../support/engine-double.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { castBallots, startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { waitingBytes } from '../support/waiting-bytes.ts';

const FAT = {
  title: '😀'.repeat(300),
  answers: Array.from({ length: 100 }, (_, index) => `${index} ${'😀'.repeat(196)}`),
};
const SLOW_MS = 300;
const OPCODE_CLOSE = 8;

describe.concurrent('a subscriber that does not read', () => {
  let relay: TestRelay;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    relay = await startTestRelay({ slowSubscriberMs: SLOW_MS, maxConnectionsPerAddress: 1_000 });
    relay.app.server.on('connection', socket => sockets.push(socket));
  });
  afterAll(() => relay.close());

  /** Casts until bytes wait in the relay because the other side does not read. */
  const block = async (id: string, raw: RawSocket): Promise<Socket> => {
    await until(() => raw.received.length > 80_000, 'the first results');
    raw.stopReading();
    const socket = sockets.find(({ remotePort }) => remotePort === raw.socket.localPort) as Socket;
    while (waitingBytes(socket) === 0) {
      await castBallots(relay.engine, id, 0, 1);
      await relay.engine.hints.publish(id);
    }
    return socket;
  };

  it('P40: is closed with 4408 on a WebSocket', async () => {
    const { id } = await relay.create(FAT);
    const raw = await RawSocket.upgrade(relay.url, `/api/poll/${id}/live?hz=20`);
    const socket = await block(id, raw);
    const waiting = waitingBytes(socket);
    await until(() => waitingBytes(socket) > waiting, 'the close to wait behind the rest');
    raw.resumeReading();
    await until(() => raw.frames().at(-1)?.opcode === OPCODE_CLOSE, 'the close');
    const { payload } = raw.frames().at(-1) as { payload: Buffer };
    expect([payload.readUInt16BE(0), payload.subarray(2).toString()]).toEqual([
      4408,
      'took nothing for too long',
    ]);
    raw.close();
  });

  it('is terminated on a WebSocket if it does not read the close either', async () => {
    const { id } = await relay.create(FAT);
    const raw = await RawSocket.upgrade(relay.url, `/api/poll/${id}/live?hz=20`);
    const socket = await block(id, raw);
    await until(() => socket.destroyed, 'the end');
    raw.close();
  });

  it('is terminated on an event stream', async () => {
    const { id } = await relay.create(FAT);
    const raw = await RawSocket.open(relay.url);
    raw.send(`GET /api/poll/${id}/live?hz=20 HTTP/1.1\r\nHost: a\r\n\r\n`);
    const socket = await block(id, raw);
    await until(() => socket.destroyed, 'the end');
    raw.close();
  });
});

it('a stream whose client disconnects during the first read no longer counts', async () => {
  const inner = await startTestRelay();
  const faulty = new EngineDouble(inner.engine);
  const relay = await startTestRelay({ engine: faulty.engine, maxConnectionsPerAddress: 1 });
  const { id } = await relay.create();
  let reads = 0;
  let gone = () => {};
  const untilGone = new Promise<void>(done => {
    gone = done;
  });
  faulty.stall(() => {
    reads += 1;
    return untilGone;
  });
  const raw = await RawSocket.open(relay.url);
  raw.send(`GET /api/poll/${id}/live HTTP/1.1\r\nHost: a\r\n\r\n`);
  await until(() => reads === 1, 'the read');
  const connections = () =>
    new Promise<number>(done => relay.app.server.getConnections((_, count) => done(count)));
  const before = await connections();
  raw.reset();
  await until(async () => (await connections()) < before, 'the relay to notice');
  gone();
  faulty.stall(async () => {});
  const next = await RawSocket.open(relay.url);
  next.send(`GET /api/poll/${id}/live HTTP/1.1\r\nHost: a\r\n\r\n`);
  await until(() => next.text.includes('\r\n\r\n'), 'the reply');
  expect(next.text).toMatch(/^HTTP\/1\.1 200 /);
  next.close();
  await relay.close();
  await inner.close();
});
