import type { Socket } from 'node:net';

/** Bytes for the other side that have not left this process: in the stream of a socket, and in the queue under it. */
export function waitingBytes(socket: Socket): number {
  const { _handle: handle, _writableState: stream } = socket as Socket & {
    readonly _handle: { readonly writeQueueSize: number } | null;
    /** What the stream has handed to the queue, and still counts as its own. */
    readonly _writableState: { readonly writelen: number };
  };
  return socket.writableLength - stream.writelen + (handle?.writeQueueSize ?? 0);
}
