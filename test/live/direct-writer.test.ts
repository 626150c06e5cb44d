import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { DirectWriter, type Send } from '../../src/live/direct-writer.ts';
import { Frame } from '../../src/live/frame.ts';
import { WebsocketConnection } from '../../src/live/websocket-connection.ts';
import { openSocketPair } from '../support/socket-pair.ts';
import { until } from '../support/until.ts';

const CHUNK_BYTES = 10_000;

const ignore = () => {};

async function enabled(load?: () => Promise<Send>, warn: (reason: string) => void = ignore) {
  const writer = new DirectWriter(warn);
  await writer.enable(load);
  return writer;
}

async function openDirectly(writer: DirectWriter): Promise<{ near: Socket; far: Socket; slot: number }> {
  const pair = await openSocketPair();
  const slot = writer.openSlot();
  writer.attach(slot, pair.near);
  if (!writer.isAttached(slot)) throw new Error('Sockets of this Node have no descriptor');
  return { ...pair, slot };
}

/** In place of libc's, once the trial at start has passed. */
async function enabledWith(send: Send, warn?: (reason: string) => void): Promise<DirectWriter> {
  let isTrial = true;
  const load = async (): Promise<Send> => (descriptor, bytes, length, flags) =>
    isTrial ? writeSync(descriptor, bytes) : send(descriptor, bytes, length, flags);
  const writer = await enabled(load, warn);
  isTrial = false;
  return writer;
}

/** Whether it writes to sockets from now on. */
function attaches(writer: DirectWriter, socket: Socket): boolean {
  const slot = writer.openSlot();
  writer.attach(slot, socket);
  return writer.isAttached(slot);
}

describe.each([
  ['send()', () => enabled()],
  ['write(), without koffi', () => enabled(() => Promise.reject(new Error()))],
])('by %s', (_, start) => {
  let writer: DirectWriter;
  beforeEach(async () => {
    writer = await start();
  });

  it('keeps every byte in order for a slow reader, including bytes that the stream wrote', async () => {
    const { near, far, slot } = await openDirectly(writer);
    far.pause();
    const sent: Buffer[] = [];
    for (let index = 0; near.writableLength === 0; index += 1) {
      const chunk = Buffer.alloc(CHUNK_BYTES, index % 251);
      sent.push(chunk);
      const taken = index % 7 === 0 ? 0 : writer.write(slot, chunk);
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
    const broken = await openDirectly(writer);
    const sound = await openDirectly(writer);
    broken.near.end();
    await once(broken.near, 'finish');
    expect(writer.write(broken.slot, Buffer.from('broken'))).toBe(0);
    expect(writer.write(sound.slot, Buffer.from('sound'))).toBe(5);
    const [bytes] = (await once(sound.far, 'data')) as [Buffer];
    expect(bytes.toString()).toBe('sound');
    for (const { near } of [broken, sound]) near.destroy();
  });
});

it('writes nothing to the descriptor of a destroyed socket, which may be in use again', async () => {
  const written: string[] = [];
  const writer = await enabledWith((_, bytes, length) => {
    written.push(Buffer.from(bytes).toString('latin1'));
    return length;
  });
  const { near, far } = await openSocketPair();
  const connection = new WebsocketConnection(near, Buffer.alloc(0), writer);
  connection.sendOrDrop(new Frame('one'));
  near.destroy();
  // Before any event.
  connection.sendOrDrop(new Frame('two'));
  expect(connection.isBlocked).toBe(false);
  expect(written).toEqual([expect.stringContaining('one')]);
  far.destroy();
});

it('ignores sockets without a descriptor', async () => {
  const writer = await enabled();
  const odd = (handle: unknown) => ({ _handle: handle }) as unknown as Socket;
  for (const socket of [new Socket(), odd({}), odd({ fd: -1 }), odd({ fd: '7' })])
    expect(attaches(writer, socket)).toBe(false);
});

it('is disabled by a write that throws, with one warning', async () => {
  const warnings: string[] = [];
  const writer = await enabledWith(
    () => {
      throw new TypeError('a fifth argument is needed now');
    },
    reason => warnings.push(reason),
  );
  const { near, slot } = await openDirectly(writer);
  for (let attempt = 0; attempt < 3; attempt += 1) expect(writer.write(slot, Buffer.from('x'))).toBe(0);
  expect(attaches(writer, near)).toBe(false);
  expect(warnings).toEqual(['TypeError: a fifth argument is needed now']);
  near.destroy();
});

it.each([undefined, 'yes', Number.NaN, 100])(
  'is disabled if a write returns %s, and writes nothing twice',
  async answer => {
    const writer = await enabledWith(() => answer as number);
    const { near, slot } = await openDirectly(writer);
    expect(writer.write(slot, Buffer.from('written or not'))).toBe(14);
    expect(attaches(writer, near)).toBe(false);
    near.destroy();
  },
);

it.each([
  ['swallows', (_: number, bytes: Uint8Array) => bytes.length],
  ['changes', (descriptor: number, bytes: Uint8Array) => writeSync(descriptor, Buffer.alloc(bytes.length))],
])('is never enabled if send() %s the bytes of the trial', async (_, send) => {
  const warnings: string[] = [];
  const writer = await enabled(
    async () => send,
    reason => warnings.push(reason),
  );
  const { near } = await openSocketPair();
  expect(attaches(writer, near)).toBe(false);
  expect(warnings).toHaveLength(1);
  near.destroy();
});
