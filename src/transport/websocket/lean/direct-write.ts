import type { Socket } from 'node:net';

/** What Node's streams of TCP sockets are made on; not public, and so only used where it is as it is known here. */
export interface SocketHandle {
  /**
   * @param request an object of Node's own that is filled where bytes wait; from Node 26.10 on null
   * @returns 0, the negative number of an error, or from Node 26.10 on the request that bytes wait with
   */
  writeBuffer(request: WriteRequest | null, bytes: Uint8Array): unknown;
  /** Bytes that the kernel has not taken yet. */
  readonly writeQueueSize: number;
}

interface WriteRequest {
  buffer?: Uint8Array;
  oncomplete?: () => void;
}

/** How a write went: taken by the kernel, waiting for it, on a lost connection, or not tried because nothing is known. */
export type DirectWrite = 'taken' | 'waiting' | 'lost' | 'unknown';

/** Makes what this Node takes as a request; undefined as long as direct writes are off. */
let makeRequest: (() => WriteRequest | null) | undefined;
/** Node touches a request only where the kernel does not take all bytes at once, so that one serves for all until then. */
let spare: WriteRequest | null | undefined;
let onOff: ((reason: string) => void) | undefined;

/** The handle of a socket for `writeDirectly`, or undefined where direct writes are off: then write to the socket itself. */
export function directHandle(socket: Socket): SocketHandle | undefined {
  return makeRequest && handleOf(socket);
}

/**
 * Hands bytes to the kernel past the stream of a socket, which makes a request, a callback and a tick for each write, and
 * whose state lies in a dozen objects that are in no cache when thousands of sockets are written to. What was written
 * before goes out before, because the stream uses the same queue of the same handle.
 *
 * @returns `unknown` where not a byte was written and direct writes are off from now on
 */
export function writeDirectly(handle: SocketHandle, bytes: Uint8Array): DirectWrite {
  if (!makeRequest) return 'unknown';
  try {
    spare ??= makeRequest();
    const result = handle.writeBuffer(spare, bytes);
    if (result !== 0) return settle(result, bytes);
    if (handle.writeQueueSize === 0) return 'taken';
    hold(spare, bytes);
    spare = undefined;
    return 'waiting';
  } catch (error) {
    // Node throws at what it is handed, before it has written any of it.
    stopDirectWrites(error instanceof Error ? error.message : String(error));
    return 'unknown';
  }
}

/** From here on every frame goes through the public stream. Never throws. */
export function stopDirectWrites(reason: string): void {
  makeRequest = undefined;
  spare = undefined;
  const tell = onOff;
  onOff = undefined;
  tell?.(reason);
}

/**
 * Turns direct writes on as this Node does them. To learn how, it watches what a socket of our own does for its next write.
 *
 * @throws where the socket is not made as it is known here
 */
export function learnDirectWrites(socket: Socket): void {
  const handle = handleOf(socket);
  if (!handle) throw new Error('sockets have no handle with writeBuffer and writeQueueSize');
  let learnt: (() => WriteRequest | null) | undefined;
  const { writeBuffer } = handle;
  handle.writeBuffer = (request, bytes) => {
    // What stands in the prototype counts again.
    delete (handle as Partial<SocketHandle>).writeBuffer;
    const Request = request?.constructor as (new () => WriteRequest) | undefined;
    learnt = Request ? () => new Request() : () => null;
    return writeBuffer.call(handle, request, bytes);
  };
  socket.write(Buffer.from('learnt'));
  if (!learnt) throw new Error('a stream writes in another way than by writeBuffer');
  makeRequest = learnt;
}

/** @param tell called once, where direct writes turn out to be other than known */
export function whenDirectWritesStop(tell: (reason: string) => void): void {
  onOff = tell;
}

function handleOf(socket: Socket): SocketHandle | undefined {
  const { _handle: handle } = socket as Socket & { _handle?: Partial<SocketHandle> | null };
  return typeof handle?.writeBuffer === 'function' && typeof handle.writeQueueSize === 'number'
    ? (handle as SocketHandle)
    : undefined;
}

function settle(result: unknown, bytes: Uint8Array): DirectWrite {
  if (typeof result === 'number' && result < 0) return 'lost';
  if (typeof result === 'object' && result !== null) {
    hold(result, bytes);
    return 'waiting';
  }
  // Whether these bytes went out nobody knows: this connection is given up, all others write through their streams.
  stopDirectWrites(`writeBuffer answered with ${String(result)}`);
  return 'lost';
}

/** Now the request is Node's until the bytes are gone, and nobody else holds on to them. */
function hold(request: WriteRequest | null, bytes: Uint8Array): void {
  if (!request) return;
  request.buffer = bytes;
  request.oncomplete = () => {};
}
