import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { descriptorOf, enableDirectWrites, type Send, writeDirectly } from '../../src/live/direct-write.ts';
import { Frame } from '../../src/live/frame.ts';
import { WebsocketConnection } from '../../src/live/websocket-connection.ts';
import { openSocketPair } from '../support/socket-pair.ts';
import { until } from '../support/until.ts';

const CHUNK_BYTES = 10_000;

const ignore = () => {};

beforeEach(() => enableDirectWrites(ignore));
afterEach(() => enableDirectWrites(ignore));

async function openDirectly(): Promise<{ near: Socket; far: Socket; descriptor: number }> {
  const pair = await openSocketPair();
  const descriptor = descriptorOf(pair.near);
  if (descriptor === 0) throw new Error('Sockets of this Node have no descriptor');
  return { ...pair, descriptor };
}

/** In place of libc's, once the trial at start has passed. */
async function enableWith(send: Send, warn: (reason: string) => void = ignore): Promise<void> {
  let isTrial = true;
  await enableDirectWrites(warn, async () => (descriptor, bytes, length, flags) => {
    if (!isTrial) return send(descriptor, bytes, length, flags);
    return writeSync(descriptor, bytes);
  });
  isTrial = false;
}

describe.each([
  ['send()', () => enableDirectWrites(ignore)],
  ['write(), without koffi', () => enableDirectWrites(ignore, () => Promise.reject(new Error()))],
])('by %s', (_, start) => {
  beforeEach(start);

  it('keeps every byte in order for a slow reader, including bytes that the stream wrote', async () => {
    const { near, far, descriptor } = await openDirectly();
    far.pause();
    const sent: Buffer[] = [];
    for (let index = 0; near.writableLength === 0; index += 1) {
      const chunk = Buffer.alloc(CHUNK_BYTES, index % 251);
      sent.push(chunk);
      const taken = index % 7 === 0 ? 0 : writeDirectly(descriptor, chunk);
      if (taken < CHUNK_BYTES) near.write(chunk.subarray(taken));
    }
    const expected = Buffer.concat(sent);
    const received: Buffer[] = [];
    far.on('data', chunk => received.push(chunk));
    far.resume();
    await until(() => received.reduce((sum, { length }) => sum + length, 0) >= expected.length, 'all bytes');
    expect(Buffer.concat(received).equals(expected)).toBe(true);
    near.destroy();
  });

  it('writes nothing to a broken connection, and does not affect others', async () => {
    const broken = await openDirectly();
    const sound = await openDirectly();
    broken.near.end();
    await once(broken.near, 'finish');
    expect(writeDirectly(broken.descriptor, Buffer.from('broken'))).toBe(0);
    expect(writeDirectly(sound.descriptor, Buffer.from('sound'))).toBe(5);
    const [bytes] = (await once(sound.far, 'data')) as [Buffer];
    expect(bytes.toString()).toBe('sound');
    for (const { near } of [broken, sound]) near.destroy();
  });
});

it('writes nothing to the descriptor of a destroyed socket, which may be in use again', async () => {
  const descriptors: number[] = [];
  await enableWith((descriptor, { length }) => {
    descriptors.push(descriptor);
    return length;
  });
  const { near, far, descriptor } = await openDirectly();
  const connection = new WebsocketConnection(near, Buffer.alloc(0));
  connection.sendOrDrop(new Frame('one'));
  near.destroy();
  // Before any event.
  connection.sendOrDrop(new Frame('two'));
  expect(connection.isBlocked).toBe(false);
  expect(descriptors).toEqual([descriptor]);
  far.destroy();
});

it('ignores sockets without a descriptor', () => {
  const odd = (handle: unknown) => ({ _handle: handle }) as unknown as Socket;
  for (const socket of [new Socket(), odd({}), odd({ fd: -1 }), odd({ fd: '7' })])
    expect(descriptorOf(socket)).toBe(0);
});

it('is disabled by a write that throws, with one warning', async () => {
  const warnings: string[] = [];
  const { near, descriptor } = await openDirectly();
  await enableWith(
    () => {
      throw new TypeError('a fifth argument is needed now');
    },
    reason => warnings.push(reason),
  );
  for (let attempt = 0; attempt < 3; attempt += 1)
    expect(writeDirectly(descriptor, Buffer.from('x'))).toBe(0);
  expect(descriptorOf(near)).toBe(0);
  expect(warnings).toEqual(['TypeError: a fifth argument is needed now']);
  near.destroy();
});

it.each([undefined, 'yes', Number.NaN, 100])(
  'is disabled if a write returns %s, and writes nothing twice',
  async answer => {
    const { near, descriptor } = await openDirectly();
    await enableWith(() => answer as number);
    expect(writeDirectly(descriptor, Buffer.from('written or not'))).toBe(14);
    expect(descriptorOf(near)).toBe(0);
    near.destroy();
  },
);

it.each([
  ['swallows', (_: number, bytes: Uint8Array) => bytes.length],
  ['changes', (descriptor: number, bytes: Uint8Array) => writeSync(descriptor, Buffer.alloc(bytes.length))],
])('is never enabled if send() %s the bytes of the trial', async (_, send) => {
  const warnings: string[] = [];
  const { near } = await openDirectly();
  await enableDirectWrites(
    reason => warnings.push(reason),
    async () => send,
  );
  expect(descriptorOf(near)).toBe(0);
  expect(warnings).toHaveLength(1);
  near.destroy();
});
