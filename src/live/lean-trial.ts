import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { descriptorOf, startDirectWrites, stopDirectWrites, whenDirectWritesStop } from './direct-write.ts';
import { Frame } from './frame.ts';
import { LeanWebSocket } from './lean-websocket.ts';

/** How far this Node and this `ws` are as the lean WebSocket knows them. */
export interface LeanTrial {
  readonly isLean: boolean;
  /** What was not as known, in words for a log. */
  readonly faults: readonly string[];
}

/** A machine that is busy with a start may let things wait; what takes longer is taken for a fault. */
const PATIENCE_MS = 5_000;
const WORD = 'a word of the other side';
/** FIN and text; masked with zeros, which leaves the payload as it is. */
const WORD_FRAME = Buffer.concat([Buffer.from([0x81, 0x80 | WORD.length, 0, 0, 0, 0]), Buffer.from(WORD)]);
const SMALL = ['one', 'two', 'three'].map(word => new Frame(word));
/** Written until some of it has to wait, because the other side does not read. */
const LARGE = new Frame('0123456789abcdef'.repeat(4_096));
const MAX_FRAMES = 1_000;

let trial: Promise<LeanTrial> | undefined;

/**
 * Tries every private part once in a process, on a socket pair of our own, and compares the bytes. Never rejects.
 *
 * @param tell called once, where direct writes turn out later to be other than known
 */
export function tryLean(tell: (reason: string) => void): Promise<LeanTrial> {
  trial ??= tryAll(tell);
  return trial;
}

async function tryAll(tell: (reason: string) => void): Promise<LeanTrial> {
  const faults: string[] = [];
  whenDirectWritesStop(reason => faults.push(`direct writes: ${reason}`));
  try {
    await startDirectWrites();
    await withSocketPair((near, far) => {
      if (descriptorOf(near) === undefined) throw new Error('sockets have no descriptor');
      return converse(near, far);
    });
    if (faults.length === 0) whenDirectWritesStop(tell);
    return { isLean: true, faults };
  } catch (error) {
    stopDirectWrites(messageOf(error));
  }
  try {
    await withSocketPair(converse);
    return { isLean: true, faults };
  } catch (error) {
    faults.push(`lean WebSocket: ${messageOf(error)}`);
    return { isLean: false, faults };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a WebSocket does in its life: handshake, frames, waiting for a slow reader, a message, the end. */
async function converse(near: Socket, far: Socket): Promise<void> {
  const socket = await shakeHands(near);
  const heard: string[] = [];
  const closed = new Promise<void>(done => {
    socket.owner = { text: text => void heard.push(text), control: () => true, closed: done };
  });
  await readHead(far);
  far.pause();
  const expected: Buffer[] = [];
  const write = (frame: Frame): boolean => {
    expected.push(frame.websocket);
    return socket.write(frame);
  };
  for (const frame of SMALL) if (!write(frame)) throw new Error('a small frame had to wait');
  while (write(LARGE)) if (expected.length === MAX_FRAMES) throw new Error('nothing ever has to wait');
  write(LARGE);
  const freed = new Promise<void>(done => socket.whenFree(done));
  await readAll(far, expected);
  await freed;
  if (!socket.write(LARGE)) throw new Error('a frame had to wait for a reader that waits');
  far.write(WORD_FRAME);
  far.end();
  await closed;
  if (heard.join() !== WORD) throw new Error('a message was not heard');
}

async function shakeHands(near: Socket): Promise<LeanWebSocket> {
  const request = new IncomingMessage(near);
  request.method = 'GET';
  request.url = '/';
  Object.assign(request.headers, {
    upgrade: 'websocket',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
  });
  const server = new WebSocketServer({
    ...{ noServer: true, perMessageDeflate: false, clientTracking: false, autoPong: false },
    WebSocket: LeanWebSocket as never,
  });
  return new Promise((done, fail) => {
    server.on('wsClientError', fail);
    server.handleUpgrade(request, near, Buffer.alloc(0), socket => done(socket as unknown as LeanWebSocket));
  });
}

function readHead(far: Socket): Promise<void> {
  return new Promise(done => {
    let head = '';
    far.on('data', function read(chunk: Buffer) {
      head += chunk.toString('latin1');
      if (!head.endsWith('\r\n\r\n')) return;
      far.off('data', read);
      done();
    });
  });
}

/** @throws where other bytes come */
function readAll(far: Socket, expected: readonly Buffer[]): Promise<void> {
  let frame = 0;
  let offset = 0;
  return new Promise((done, fail) => {
    far.on('data', (chunk: Buffer) => {
      for (let start = 0; start < chunk.length && frame < expected.length; ) {
        const rest = (expected[frame] as Buffer).subarray(offset);
        const size = Math.min(rest.length, chunk.length - start);
        if (chunk.compare(rest, 0, size, start, start + size) !== 0)
          fail(new Error('other bytes came than were written'));
        start += size;
        offset = size < rest.length ? offset + size : 0;
        if (offset === 0) frame += 1;
      }
      if (frame === expected.length) done();
    });
    far.resume();
  });
}

async function withSocketPair(act: (near: Socket, far: Socket) => Promise<void>): Promise<void> {
  const server = createServer({ allowHalfOpen: true });
  const sockets: Socket[] = [];
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error('something expected did not come')), PATIENCE_MS);
  });
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const far = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(far.on('error', ignore));
    const [near] = (await Promise.race([once(server, 'connection'), deadline])) as [Socket];
    sockets.push(near.on('error', ignore));
    await Promise.race([act(near, far), deadline]);
  } finally {
    clearTimeout(timer);
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

/** What a socket of the trial does not survive is seen by what does not come of it. */
function ignore(): void {}
