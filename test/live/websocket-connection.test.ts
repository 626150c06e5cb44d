import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DirectWriter } from '../../src/live/direct-writer.ts';
import { Frame } from '../../src/live/frame.ts';
import { WebsocketConnection } from '../../src/live/websocket-connection.ts';
import { RelayClosing } from '../../src/protocol/close-event.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { openSocketPair } from '../support/socket-pair.ts';
import { startTestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

/** To real sockets, past their streams. */

const FRAMES = Array.from({ length: 800 }, (_, index) => new Frame(`${index}`.repeat(6_000)));

interface Pair {
  readonly connection: WebsocketConnection;
  readonly near: Socket;
  readonly far: Socket;
  readonly received: Buffer[];
}

async function open(writer: DirectWriter): Promise<Pair> {
  const { near, far } = await openSocketPair();
  const connection = new WebsocketConnection(near, Buffer.alloc(0), writer);
  const received: Buffer[] = [];
  far.on('data', chunk => received.push(chunk));
  // The batch writer knows the descriptor from the first frame on.
  connection.sendOrDrop(FRAMES[0] as Frame);
  return { connection, near, far, received };
}

let pairs: Pair[];
beforeEach(async () => {
  const writer = new DirectWriter(() => {});
  await writer.enable();
  pairs = [await open(writer), await open(writer), await open(writer)];
});
afterEach(() => {
  for (const { near, far } of pairs) for (const end of [near, far]) end.destroy();
});

/** To all of them, as a rate group does. @returns indexes of those that did not take the whole frame */
function writeToAll(frame: Frame): number[] {
  const short: number[] = [];
  const slots = Int32Array.from(pairs, ({ connection }) => connection.slot);
  pairs[0]?.connection.batchWriter?.(frame, slots, 0, slots.length, (index, taken) => {
    short.push(index);
    const { connection } = pairs[index] as Pair;
    const sendLatest = () => connection.sendOrDrop(FRAMES.at(-1) as Frame);
    connection.sendResults({ id: 'stubbedPoll1', sendLatest }, frame, taken);
  });
  return short;
}

/** The frames in these bytes, by index. @throws where they are not whole frames */
function framesIn(bytes: Buffer): number[] {
  const found: number[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const index = FRAMES.findIndex(({ websocket }) =>
      websocket.equals(bytes.subarray(offset, offset + websocket.length)),
    );
    if (index < 0) throw new Error(`no frame at ${offset}`);
    found.push(index);
    offset += (FRAMES[index] as Frame).websocket.length;
  }
  return found;
}

it('sends whole frames in order to all, and the latest to one that reads late', async () => {
  const [quick, late] = pairs as [Pair, Pair, Pair];
  late.far.pause();
  let short = 0;
  for (const frame of FRAMES.slice(1))
    for (const index of writeToAll(frame)) {
      short += 1;
      if (index !== 1) await until(() => pairs[index]?.near.writableLength === 0, 'the reader');
    }
  expect(short).toBeGreaterThan(1);
  late.far.resume();
  const last = FRAMES.at(-1)?.websocket as Buffer;
  for (const { received } of pairs) {
    await until(() => Buffer.concat(received).subarray(-last.length).equals(last), 'the latest');
    const found = framesIn(Buffer.concat(received));
    expect(found).toEqual([...found].sort((one, other) => one - other));
  }
  expect(framesIn(Buffer.concat(quick.received)).length).toBeGreaterThan(FRAMES.length / 2);
});

it('writes nothing past the stream to a socket that is closing or destroyed', async () => {
  const [first, second, third] = pairs as [Pair, Pair, Pair];
  expect(writeToAll(FRAMES[1] as Frame)).toEqual([]);
  first.near.destroy();
  // Before any event.
  expect(writeToAll(FRAMES[2] as Frame)).toEqual([0]);
  second.connection.close(RelayClosing);
  expect(writeToAll(FRAMES[3] as Frame)).toEqual([0, 1]);
  await until(() => third.received.some(chunk => chunk.includes(FRAMES[3]?.websocket ?? '')), 'the frame');
});

it('gives a reused slot only to the poll of its new connection', async () => {
  const relay = await startTestRelay();
  const [one, other] = [await relay.create(), await relay.create()];
  const watch = async (id: string) => {
    const client = await RawSocket.upgrade(relay.url, `/api/poll/${id}/live?hz=20`);
    await until(() => client.text.includes('"type":"results"'), 'the first results');
    return client;
  };
  const [leaver, stayer] = [await watch(one.id), await watch(one.id)];
  for (let vote = 1; vote <= 3; vote += 1) {
    await relay.cast(one.id, 0);
    await until(() => leaver.text.includes(`"total_votes":${vote}`), 'a batch');
  }
  leaver.close();
  await until(() => leaver.closed, 'the close');
  const newcomer = await watch(other.id);
  for (let vote = 4; vote <= 6; vote += 1) {
    await relay.cast(one.id, 0);
    await until(() => stayer.text.includes(`"total_votes":${vote}`), 'the rest of the batch');
  }
  expect(newcomer.text).not.toContain(one.id);
  for (const client of [stayer, newcomer]) client.close();
  await relay.close();
});
