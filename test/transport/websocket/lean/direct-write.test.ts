import { once } from 'node:events';
import { connect, createServer, type Server, Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  directHandle,
  type SocketHandle,
  writeDirectly,
} from '../../../../src/transport/websocket/lean/direct-write.ts';
import { until } from '../../../support/until.ts';

/** Past the stream of a real socket, on whatever Node this is. */

const CHUNK_BYTES = 10_000;

let server: Server;

beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

async function openPair(): Promise<{ near: Socket; far: Socket }> {
  const { port } = server.address() as { port: number };
  const far = connect(port, '127.0.0.1');
  const [near] = (await once(server, 'connection')) as [Socket];
  return { near, far };
}

/** The handle of a socket that has written, as every connection has before its first frame. */
async function openDirectly(): Promise<{ near: Socket; far: Socket; handle: SocketHandle }> {
  const { near, far } = await openPair();
  directHandle(near);
  near.write(Buffer.from('learnt'));
  const handle = directHandle(near);
  if (!handle)
    throw new Error('This Node writes in another way: adapt the direct write, or measure what it costs now');
  return { near, far, handle };
}

test('learns from the first write of a socket, which comes through unharmed', async () => {
  const { near, far } = await openDirectly();
  const [bytes] = (await once(far, 'data')) as [Buffer];
  expect(bytes.toString()).toBe('learnt');
  expect(Object.hasOwn(directHandle(near) as object, 'writeBuffer')).toBe(false);
  near.destroy();
});

test('keeps every byte in order, whoever reads late, and whatever the stream writes in between', async () => {
  const { near, far, handle } = await openDirectly();
  far.pause();
  const sent: Buffer[] = [Buffer.from('learnt')];
  let blockedAt = 0;
  let isFree = false;
  for (let index = 0; blockedAt === 0 || index < blockedAt + 100; index += 1) {
    // A buffer of its own each time, which nobody holds on to but the request under way.
    const chunk = Buffer.alloc(CHUNK_BYTES, index % 251);
    sent.push(Buffer.from(chunk));
    if (index % 7 === 0) near.write(chunk);
    else if (!writeDirectly(handle, chunk) && blockedAt === 0) blockedAt = index;
    // The stream waits for the queue: what is written past it now would come before what waits in it.
    if (blockedAt > 0 && near.writableLength > 0) break;
  }
  expect(handle.writeQueueSize).toBeGreaterThan(0);
  near.write(Buffer.alloc(0), () => {
    isFree = true;
  });
  const expected = Buffer.concat(sent);
  const received: Buffer[] = [];
  far.on('data', chunk => received.push(chunk));
  far.resume();
  await until(() => received.reduce((sum, { length }) => sum + length, 0) >= expected.length, 'all bytes');
  expect(Buffer.concat(received).equals(expected)).toBe(true);
  await until(() => isFree, 'the queue to be empty');
  expect(handle.writeQueueSize).toBe(0);
  near.destroy();
});

test('says that a connection is lost, and leaves others alone', async () => {
  const lost = await openDirectly();
  const sound = await openDirectly();
  lost.near.destroy();
  expect(writeDirectly(lost.handle, Buffer.from('to nobody'))).toBeUndefined();
  expect(writeDirectly(sound.handle, Buffer.from('to somebody'))).toBe(true);
  await once(sound.far, 'data');
  sound.near.destroy();
});

test('leaves sockets alone that are not as it knows them', () => {
  expect(directHandle(new Socket())).toBeUndefined();
  expect(
    directHandle({ _handle: { writeBuffer: 1, writeQueueSize: 0 } } as unknown as Socket),
  ).toBeUndefined();
  expect(directHandle({ _handle: { writeBuffer: () => 0 } } as unknown as Socket)).toBeUndefined();
});
