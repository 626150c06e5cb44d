import { once } from 'node:events';
import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  directHandle,
  learnDirectWrites,
  type SocketHandle,
  stopDirectWrites,
  whenDirectWritesStop,
  writeDirectly,
} from '../../../../src/transport/websocket/lean/direct-write.ts';
import { learnAgain, openSocketPair } from '../../../support/socket-pair.ts';
import { until } from '../../../support/until.ts';

/** Past the stream of a real socket, on whatever Node this is. */

const CHUNK_BYTES = 10_000;

beforeEach(() => learnAgain());
afterEach(() => learnAgain());

async function openDirectly(): Promise<{ near: Socket; far: Socket; handle: SocketHandle }> {
  const pair = await openSocketPair();
  const handle = directHandle(pair.near);
  if (!handle)
    throw new Error('This Node writes in another way: adapt the direct write, or measure what it costs now');
  return { ...pair, handle };
}

it('learns from a write of a socket, which comes through unharmed and keeps nothing of it', async () => {
  const { near, far } = await openSocketPair();
  learnDirectWrites(near);
  const [bytes] = (await once(far, 'data')) as [Buffer];
  expect(bytes.toString()).toBe('learnt');
  expect(Object.hasOwn(directHandle(near) as object, 'writeBuffer')).toBe(false);
  near.destroy();
});

it('keeps every byte in order, whoever reads late, and whatever the stream writes in between', async () => {
  const { near, far, handle } = await openDirectly();
  far.pause();
  const sent: Buffer[] = [];
  let blockedAt = 0;
  let isFree = false;
  for (let index = 0; blockedAt === 0 || index < blockedAt + 100; index += 1) {
    // A buffer of its own each time, which nobody holds on to but the request under way.
    const chunk = Buffer.alloc(CHUNK_BYTES, index % 251);
    sent.push(Buffer.from(chunk));
    if (index % 7 === 0) near.write(chunk);
    else if (writeDirectly(handle, chunk) === 'waiting' && blockedAt === 0) blockedAt = index;
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

it('says that a connection is lost, and leaves others alone', async () => {
  const lost = await openDirectly();
  const sound = await openDirectly();
  lost.near.destroy();
  expect(writeDirectly(lost.handle, Buffer.from('to nobody'))).toBe('lost');
  expect(writeDirectly(sound.handle, Buffer.from('to somebody'))).toBe('taken');
  await once(sound.far, 'data');
  sound.near.destroy();
});

it('leaves sockets alone that are not as it knows them', () => {
  const odd = (handle: unknown) => ({ _handle: handle }) as unknown as Socket;
  for (const socket of [
    new Socket(),
    odd({ writeBuffer: 1, writeQueueSize: 0 }),
    odd({ writeBuffer: () => 0 }),
  ]) {
    expect(directHandle(socket)).toBeUndefined();
    expect(() => learnDirectWrites(socket)).toThrow('no handle');
  }
});

it('is off from the first write that throws, which has written nothing, and says so once', async () => {
  const told: string[] = [];
  whenDirectWritesStop(reason => told.push(reason));
  const { near, handle } = await openDirectly();
  const changed: SocketHandle = {
    writeQueueSize: 0,
    writeBuffer() {
      throw new TypeError('a third argument is needed now');
    },
  };
  for (const each of [changed, handle, changed])
    expect(writeDirectly(each, Buffer.from('x'))).toBe('unknown');
  expect(directHandle(near)).toBeUndefined();
  expect(told).toEqual(['a third argument is needed now']);
  near.destroy();
});

it.each([undefined, null, 1, 'yes', true])(
  'gives a connection up whose write is answered with %s',
  async answer => {
    const { near } = await openDirectly();
    const changed: SocketHandle = { writeQueueSize: 0, writeBuffer: () => answer };
    expect(writeDirectly(changed, Buffer.from('written or not'))).toBe('lost');
    expect(directHandle(near)).toBeUndefined();
    near.destroy();
  },
);

it('learns nothing from a socket whose stream writes in another way', () => {
  stopDirectWrites('to begin with');
  const handle = { writeBuffer: () => 0, writeQueueSize: 0 };
  const socket = { _handle: handle, write: () => true } as unknown as Socket;
  expect(() => learnDirectWrites(socket)).toThrow('another way');
  expect(directHandle(socket)).toBeUndefined();
});
