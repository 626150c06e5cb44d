import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startDirectWrites } from '../../src/live/direct-write.ts';
import { Frame } from '../../src/live/frame.ts';
import { LeanBulkWriter } from '../../src/live/lean-bulk-writer.ts';
import { LeanWebSocket } from '../../src/live/lean-websocket.ts';
import { traffic } from '../../src/metrics/catalogue.ts';
import { openSocketPair } from '../support/socket-pair.ts';
import { until } from '../support/until.ts';

/** To real sockets, past their streams. */

const FRAMES = Array.from({ length: 800 }, (_, index) => new Frame(`${index}`.repeat(6_000)));

interface Pair {
  readonly socket: LeanWebSocket;
  readonly near: Socket;
  readonly far: Socket;
  readonly received: Buffer[];
}

async function open(): Promise<Pair> {
  const { near, far } = await openSocketPair();
  const socket = new LeanWebSocket(null as never, undefined, {});
  socket.setSocket(near, Buffer.alloc(0));
  const received: Buffer[] = [];
  far.on('data', chunk => received.push(chunk));
  // Known to the writer from the first frame on.
  socket.write(FRAMES[0] as Frame);
  return { socket, near, far, received };
}

let pairs: Pair[];
beforeEach(async () => {
  await startDirectWrites();
  pairs = [await open(), await open(), await open()];
});
afterEach(() => {
  for (const { near, far } of pairs) for (const end of [near, far]) end.destroy();
});

/** To all of them, as a cohort does. @returns indexes of those that did not take the whole of it */
function writeToAll(frame: Frame): number[] {
  const short: number[] = [];
  const slots = Int32Array.from(pairs, ({ socket }) => socket.slot);
  new LeanBulkWriter(traffic.websocket).write(frame, slots, 0, slots.length, (index, taken) => {
    short.push(index);
    pairs[index]?.socket.write(frame, taken);
  });
  return short;
}

it('gives every byte in order to all, also to one that reads late', async () => {
  const [quick, late, other] = pairs as [Pair, Pair, Pair];
  late.far.pause();
  const countBefore = traffic.websocket.frames.value;
  let short = 0;
  for (const frame of FRAMES.slice(1)) {
    for (const index of writeToAll(frame)) {
      short += 1;
      if (index !== 1) await until(() => pairs[index]?.near.writableLength === 0, 'a reader has read');
    }
  }
  expect(short).toBeGreaterThan(1);
  expect(traffic.websocket.frames.value - countBefore).toBeGreaterThan(FRAMES.length);
  late.far.resume();
  const expected = Buffer.concat(FRAMES.map(({ websocket }) => websocket));
  for (const { received } of [quick, late, other]) {
    await until(() => received.reduce((sum, { length }) => sum + length, 0) >= expected.length, 'all bytes');
    expect(Buffer.concat(received).equals(expected)).toBe(true);
  }
});

it('writes nothing past the stream to a socket that ends, is destroyed or is gone', async () => {
  const [first, second, third] = pairs as [Pair, Pair, Pair];
  expect(writeToAll(FRAMES[1] as Frame)).toEqual([]);
  first.near.destroy();
  // Before its end is known by any event.
  expect(writeToAll(FRAMES[2] as Frame)).toEqual([0]);
  second.socket.farewell({ code: 1001, reason: 'relay closing' } as never);
  expect(writeToAll(FRAMES[3] as Frame)).toEqual([0, 1]);
  await until(() => first.near.closed, 'it is gone');
  const { slot } = first.socket;
  pairs[1] = await open();
  expect(pairs[1].socket.slot).not.toBe(slot);
  expect(writeToAll(FRAMES[4] as Frame)).toEqual([0]);
  await until(() => third.received.some(chunk => chunk.includes(FRAMES[4]?.websocket ?? '')), 'it is there');
});
